"""Runs of the kind `handoff`: a short run that writes what the next steps need to know."""

from __future__ import annotations

from sqlalchemy import Connection

from ...core.people import Principal
from ...runs.kinds import Prepared, RunSubject
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ..model import NewHandoffRun, Plan
from ..prompts import handoff_prompt
from ..rules import step_phases
from ..rules.answer_blocks import MAX_SUMMARY
from .plan_kind import PlanKind, answer_of, begin_phase, change_plan, end_of, subject


class HandoffKind(PlanKind):
    """Asks for a handoff. If the run fails, the end of the step's answer remains the handoff."""

    request: type[NewRun] = NewHandoffRun

    async def check(self, new: NewHandoffRun, principal: Principal) -> RunSubject:
        """Return the subject.

        Raises `Invalid` for a permission mode above the agent's, and `NotFound`, `OutOfService` or `OverBudget` for its
        agent.
        """
        terms = await self._terms(new, principal)
        return subject(terms, "", plan_id=new.plan_id, step_id=new.step_id)

    def put_begin(self, connection: Connection, run: Run, new: NewHandoffRun) -> None:
        """Store that the handoff is being written. Raises `Conflict` if the step does not wait for it."""
        begin_phase(connection, run, "handoff")

    async def prepare(self, run: Run, new: NewHandoffRun) -> Prepared:
        """Build the prompt from the step's answer. Raises `Skip` if the plan or the step is gone."""
        _, step = await self._plan_and_step(new)
        return await self._with_agent(run, Prepared(prompt=handoff_prompt(step)))

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store the handoff, and begin the next phase."""
        text = answer_of(run).strip()[:MAX_SUMMARY] if run.state == "succeeded" else ""

        def change(plan: Plan) -> Plan:
            after = step_phases.handoff_ended(plan, run.step_id or "", end_of(run), now=self.now)
            if after is not plan:
                self._leave(connection, run, "handoff", text)
            return after

        change_plan(connection, run, change)
