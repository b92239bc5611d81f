"""Runs of the kind `breakdown`: an agent breaks work into the steps of a plan."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection

from ...core.errors import CabinetError, Conflict
from ...core.ids import new_id
from ...core.people import Principal
from ...runs.kinds import Prepared, RunSubject, check_instruction
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ..model import BreakdownStatus, NewBreakdownRun, Plan
from ..prompts import breakdown_prompt
from ..rules.answer_blocks import nonce_of, plan_block
from ..rules.graph import with_new_steps, with_other_cost
from ..rules.rest import resting
from .plan_kind import PlanKind, answer_of, change_plan, subject


class BreakdownKind(PlanKind):
    """Adds the steps of an answer to the plan. `PlanWork` lets a refused answer be corrected once."""

    request: type[NewRun] = NewBreakdownRun

    async def check(self, new: NewBreakdownRun, principal: Principal) -> RunSubject:
        """Check the request.

        Raises `Invalid` for an empty or too long instruction and a permission mode above the agent's, and `NotFound`,
        `OutOfService` or `OverBudget` for its agent.
        """
        check_instruction(new.instruction)
        return subject(await self._terms(new, principal), "", plan_id=new.plan_id)

    def put_begin(self, connection: Connection, run: Run, new: NewBreakdownRun) -> None:
        """Store which run writes the steps. Raises `Conflict` if another one does, or the plan is gone."""
        status = BreakdownStatus(run_id=run.id, corrected=bool(new.correction))

        def change(plan: Plan) -> Plan:
            state = plan.breakdown.state if plan.breakdown is not None else ""
            if state == "running" or (state == "refused" and not new.correction):
                raise Conflict("An agent is already writing steps for this plan. Wait until it has finished.")
            return msgspec.structs.replace(plan, breakdown=status)

        if change_plan(connection, run, change) is None:
            raise Conflict("The plan was deleted.")

    async def prepare(self, run: Run, new: NewBreakdownRun) -> Prepared:
        """Build the prompt from the plan as it is now. Raises `Skip` if the plan was deleted."""
        plan = await self._plan(new.plan_id)
        nonce = nonce_of(run.id)
        prompt = breakdown_prompt(plan, new.instruction, nonce=nonce, correction=new.correction)
        return await self._with_agent(run, Prepared(prompt=prompt))

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Add the steps to the plan, or store why they were refused."""

        def change(plan: Plan) -> Plan:
            status = plan.breakdown
            if status is None or status.run_id != run.id or status.state != "running":
                return plan
            plan = with_other_cost(plan, run.cost_usd)
            if run.state != "succeeded":
                return _noted(plan, status, state="failed", problem=run.reason)
            try:
                steps = plan_block(answer_of(run), nonce=nonce_of(run.id))
                after = resting(with_new_steps(plan, steps, new_id))
            except CabinetError as problem:
                state = "failed" if status.corrected else "refused"
                return _noted(plan, status, state=state, problem=problem.message)
            return _noted(after, status, state="added", added=len(steps))

        change_plan(connection, run, change)


def _noted(plan: Plan, status: BreakdownStatus, **changes: Any) -> Plan:
    return msgspec.structs.replace(plan, breakdown=msgspec.structs.replace(status, **changes))
