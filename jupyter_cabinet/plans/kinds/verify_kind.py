"""Runs of the kind `verify`: the program that decides whether a step counts as done."""

from __future__ import annotations

from sqlalchemy import Connection

from ...core.people import Principal
from ...runs.kinds import Prepared, RunSubject
from ...runs.model import NewRun, Run
from ...runtimes.model import Outcome
from ..model import NewVerifyRun, Plan
from ..rules import step_phases
from .plan_kind import PlanKind, answer_of, begin_phase, change_plan, end_of, subject

MAX_REPORT = 20_000  # characters of the program's output that are kept, from its end
MAX_SHOWN = 1_500  # of them in the reason of a failed step, which its next attempt reads


class VerifyKind(PlanKind):
    """Starts a verify command like any other program: without a shell, with the limits of runs."""

    request: type[NewRun] = NewVerifyRun

    async def check(self, new: NewVerifyRun, principal: Principal) -> RunSubject:
        """Return the subject."""
        return subject(None, "", plan_id=new.plan_id, step_id=new.step_id)

    def put_begin(self, connection: Connection, run: Run, new: NewVerifyRun) -> None:
        """Store that the command has begun. Raises `Conflict` if the step does not wait for it."""
        begin_phase(connection, run, "verify")

    async def prepare(self, run: Run, new: NewVerifyRun) -> Prepared:
        """Return the command. Raises `Skip` if the step is gone."""
        await self._plan_and_step(new)
        return Prepared(prompt="", command=new.command)

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Store whether the command has succeeded, and the end of its output."""
        output = answer_of(run)
        problem, failure = "", ""
        if run.state != "succeeded":
            why = run.failure.message if run.failure else run.reason
            tail = output.strip()[-MAX_SHOWN:]
            problem = f"The verify command failed. {why}" + (f"\n\n{tail}" if tail else "")
            failure = "verify" if run.failure and run.failure.kind == "crashed" else _kind(run)

        def change(plan: Plan) -> Plan:
            after = step_phases.verify_ended(
                plan, run.step_id or "", end_of(run), problem=problem, failure=failure, now=self.now
            )
            if after is not plan:
                self._leave(connection, run, "test_report", output[-MAX_REPORT:])
            return after

        change_plan(connection, run, change)


def _kind(run: Run) -> str:
    """Return the kind of the failure. A command that could not be started is not cured by another attempt."""
    kind = run.failure.kind if run.failure else run.state
    return "skipped" if kind == "unknown" else kind
