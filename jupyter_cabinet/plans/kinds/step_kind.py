"""Runs of the kind `step`: the work of one step of a plan."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import Connection

from ...agents.run_kinds.agent_terms import AgentTerms
from ...core.clock import Clock
from ...core.errors import Conflict, Invalid
from ...core.people import Principal
from ...runs.intake import visibility_for
from ...runs.kinds import Prepared, RunSubject, Skip
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ...runtimes.registry import Runtimes
from ...sessions.service import Sessions
from ...storage.database import Database
from .. import store
from ..checklist_files import ChecklistFiles
from ..model import NewStepRun, Plan, Step
from ..prompts import continuation_prompt, step_prompt
from ..rules import results, step_phases, transitions
from ..rules.answer_blocks import MAX_SUMMARY, nonce_of
from ..rules.graph import step_of
from ..rules.waiting import folder_of
from .plan_kind import NO_STEP, PlanKind, answer_of, change_plan, end_of, subject

TOOLS = ("plan",)
NOT_ISOLATED = (
    "This step may only work isolated, and programs, verify commands and commits cannot be isolated. Remove them, or "
    "switch isolation off in the settings of the plan or of its agent."
)
OCCUPIED = "Another step works in this directory."


class StepKind(PlanKind):
    """Carries out the work of a step, and judges its result."""

    request: type[NewRun] = NewStepRun

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        agents: AgentTerms,
        sessions: Sessions,
        runtimes: Runtimes,
        checklists: ChecklistFiles,
    ) -> None:
        super().__init__(database=database, clock=clock, agents=agents)
        self._checklists = checklists
        self._sessions = sessions
        self._runtimes = runtimes

    async def check(self, new: NewStepRun, principal: Principal) -> RunSubject:
        """Check the request of a plan, and find the session, or create one. A command gets no session.

        Raises `NotFound`, `OutOfService` or `OverBudget` for its agent or session, `Invalid` if the step may only work
        isolated and starts a program, or for a permission mode above the agent's, and `UnknownRuntime`.
        """
        ids = {"plan_id": new.plan_id, "step_id": new.step_id}
        terms = None if new.command else await self._terms(new, principal)
        if new.isolate or (terms is not None and terms.isolate):
            await self._check_no_program(new)
        if new.command:
            return subject(None, "", **ids)
        if new.session_id is not None:
            session = await self._sessions.get(new.session_id, principal)
        else:
            runtime = new.runtime or (terms.runtime if terms else None) or self._runtimes.default_name()
            visibility = visibility_for(principal)
            session = await self._sessions.create(principal, subject=None, runtime=runtime, visibility=visibility)
        return subject(terms, "", session=session, own_tools=TOOLS, **ids)

    async def _check_no_program(self, new: NewStepRun) -> None:
        """Raise `Invalid` if a step that may only work isolated starts a program: none can be isolated.

        Its verify command, or a hook of git, would execute outside the sandbox what was written in it.
        """
        plan = await self._database.read(lambda c: store.load_plan(c, new.plan_id))
        verified = plan is not None and any(each.id == new.step_id and each.verify for each in plan.steps)
        if new.command or verified or (plan is not None and plan.commit):
            raise Invalid(NOT_ISOLATED, field="isolate")

    def put_begin(self, connection: Connection, run: Run, new: NewStepRun) -> None:
        """Store that the step has begun. Raises `Conflict` if it may not begin now, so that the run is not queued.

        That is so if another step works in its folder, it does not wait for a run, or it or the plan is gone.
        """

        def change(plan: Plan) -> Plan:
            if folder_of(plan, step_of(plan, new.step_id)) in store.occupied_folders(connection):
                raise Conflict(OCCUPIED)
            return transitions.begun(plan, new.step_id, run.id, now=run.queued_at)

        if change_plan(connection, run, change) is None:
            raise Conflict(NO_STEP)

    async def prepare(self, run: Run, new: NewStepRun) -> Prepared:
        """Build the prompt from the plan as it is now and the handoffs of the step's dependencies.

        Raises `Skip` if the plan or the step is gone, or if the step no longer waits for this run.
        """
        plan, step = await self._plan_and_step(new)
        if step.run_id != run.id:
            raise Skip("The step no longer waits for this run.")
        if new.command:
            return Prepared(prompt="", command=new.command)
        nonce = nonce_of(run.id)
        if step.execution == "continuation":
            return await self._with_agent(run, Prepared(prompt=continuation_prompt(step, nonce=nonce)))
        artifacts = await self._database.read(lambda c: store.latest_of(c, step.depends_on, "handoff"))
        titles = {each.id: each.title for each in plan.steps}
        handoffs = [(titles[each.step_id], each.text) for each in artifacts if each.step_id in titles]
        learnt = await asyncio.to_thread(self._checklists.learnt, plan.checklist.path) if plan.checklist else ""
        prompt = step_prompt(plan, step, handoffs, nonce=nonce, learnt=learnt)
        return await self._with_agent(run, Prepared(prompt=prompt))

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store the result of the step's work, and its handoff if there is one already."""

        def change(plan: Plan) -> Plan:
            step = step_of(plan, run.step_id or "")
            result = results.judged(_finished(run, step), step.report, nonce=nonce_of(run.id))
            after = step_phases.work_ended(plan, step.id, end_of(run), result, now=self.now)
            if after is not plan and result.status == "done":
                self._leave(connection, run, "handoff", _handoff(step_of(after, step.id)))
            return after

        change_plan(connection, run, change)


def _handoff(step: Step) -> str:
    """Return the beginning of the report's summary; without one, the end of the step's answer.

    The phase `handoff` may later replace it.
    """
    summary = step.report.summary.strip() if step.report else ""
    return summary[:MAX_SUMMARY] if summary else step.answer.strip()[-MAX_SUMMARY:]


def _finished(run: Run, step: Step) -> results.Finished:
    return results.Finished(
        succeeded=run.state == "succeeded",
        reason=run.failure.message if run.failure else run.reason,
        failure=run.failure.kind if run.failure else run.state,
        text=answer_of(run),
        changed_files=run.changed.files if run.changed else None,
        is_command=bool(step.command),
    )


def request_of(plan: Plan, step: Step, *, session_id: str | None) -> dict[str, Any]:
    """Return the fields of a request for a run of a step's agent, as the step and its plan choose them."""
    return {
        "plan_id": plan.id,
        "step_id": step.id,
        "instruction": step.title,
        "session_id": session_id,
        "agent": step.agent or (None if step.runtime else plan.agent),
        "runtime": None if session_id else step.runtime or plan.runtime,
        "model": plan.model,
        "permission_mode": plan.permission_mode,
        "isolate": plan.isolate,
        "cwd": folder_of(plan, step),
    }
