"""Runs of the kind `evaluate`: a short run that judges what a step's result means for the plan."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection

from ...core.errors import CabinetError, Invalid
from ...core.ids import new_id
from ...core.people import Principal
from ...runs.kinds import Prepared, RunSubject
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from .. import store
from ..model import NewEvaluateRun, Plan, Proposal
from ..prompts import evaluation_prompt
from ..rules import mutations, step_phases
from ..rules.answer_blocks import evaluation_block, nonce_of
from .plan_kind import PlanKind, answer_of, begin_phase, change_plan, end_of, subject

AUTOMATIC = "Applied without a question, as the plan says."


class EvaluateKind(PlanKind):
    """Asks for an evaluation, and adds its proposal to the plan. If the run fails, the plan stays as it is."""

    request: type[NewRun] = NewEvaluateRun

    async def check(self, new: NewEvaluateRun, principal: Principal) -> RunSubject:
        """Return the subject.

        Raises `Invalid` for a permission mode above the agent's, and `NotFound`, `OutOfService` or `OverBudget` for its
        agent.
        """
        terms = await self._terms(new, principal)
        return subject(terms, "", plan_id=new.plan_id, step_id=new.step_id)

    def put_begin(self, connection: Connection, run: Run, new: NewEvaluateRun) -> None:
        """Store that the evaluation has begun. Raises `Conflict` if the step does not wait for it."""
        begin_phase(connection, run, "evaluate")

    async def prepare(self, run: Run, new: NewEvaluateRun) -> Prepared:
        """Build the prompt from the plan as it is now and the step's handoff.

        Raises `Skip` if the plan or the step is gone.
        """
        plan, step = await self._plan_and_step(new)
        left = await self._database.read(lambda c: store.latest_of(c, [step.id], "handoff"))
        prompt = evaluation_prompt(plan, step, left[0].text if left else "", nonce=nonce_of(run.id))
        return await self._with_agent(run, Prepared(prompt=prompt))

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store the proposal, apply it if the plan says so, and end the step."""

        def change(plan: Plan) -> Plan:
            step_id = run.step_id or ""
            if not step_phases.is_current(plan, step_id, run.id, "evaluate"):
                return plan
            proposal = self._proposal(run) if run.state == "succeeded" else None
            if proposal is not None:
                plan = _with_proposal(plan, proposal)
            return step_phases.evaluated(plan, step_id, end_of(run), now=self.now)

        change_plan(connection, run, change)

    def _proposal(self, run: Run) -> Proposal | None:
        """Return what the answer proposes; None if there is nothing to decide."""
        base = Proposal(
            id=new_id(), step_id=run.step_id or "", run_id=run.id, verdict="COMPLETE", state="refused", at=self.now
        )
        try:
            found = evaluation_block(answer_of(run), nonce=nonce_of(run.id))
        except Invalid as problem:
            return msgspec.structs.replace(base, reason=f"It cannot be read. {problem.message}")
        if not found.mutations and found.verdict == "COMPLETE":
            return None
        return msgspec.structs.replace(
            base, verdict=found.verdict, comment=found.comment, mutations=found.mutations, state="open", reason=""
        )


def _with_proposal(plan: Plan, proposal: Proposal) -> Plan:
    """Return the plan with a proposal, applied if the plan says so and if that is possible."""
    plan = mutations.proposed(plan, proposal)
    if plan.evaluation != "auto" or proposal.state != "open" or proposal.verdict == "HAS_BLOCKER":
        return plan
    try:
        return mutations.applied(plan, proposal.id, new_id, by=AUTOMATIC)
    except CabinetError as problem:
        return mutations.refused(plan, proposal.id, reason=problem.message)
