"""The tool with which a step reports its result, beside the tools of agents. Implements the port `RunTools`."""

from __future__ import annotations

from ..agents.prompts import tool_list
from ..agents.prompts.tool_arguments import tool_arguments
from ..core.clock import Clock
from ..core.errors import Invalid, NotAllowed
from ..core.redaction import Redactor
from ..execution.model import ToolAnswer
from ..runs.model import Run
from ..runs.tools.run_tools import RunTools
from .model import Plan, StepReport
from .rules import transitions
from .work import PlanWork

REPORT = "step_report"


class StepTools(RunTools):
    """Carries out `step_report` for the run of a step, and passes every other call on."""

    def __init__(self, *, others: RunTools, work: PlanWork, clock: Clock, redactor: Redactor) -> None:
        self._others = others
        self._work = work
        self._clock = clock
        self._redactor = redactor

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Run a tool: `step_report` is carried out here, any other one by the tools of agents.

        Raises as `AgentTools.call`; for `step_report` `Invalid` for wrong arguments, `NotAllowed` if the run does no
        step's work, `NotFound` if the plan was deleted, and `Conflict` if the step was removed. A run that no longer
        works on its step gets an answer with `is_error`.
        """
        if tool != REPORT:
            return await self._others.call(run, tool, arguments)
        if run.plan_id is None or run.step_id is None or "plan" not in run.own_tools:
            raise NotAllowed("This run does not work on a step of a plan.")
        asked = tool_arguments(arguments, tool_list.StepReport)
        if asked.status == "blocked" and not (asked.blocker.strip() or asked.summary.strip()):
            raise Invalid("Say in `blocker` what a person has to do.", field="blocker")
        report = StepReport(
            status=asked.status,
            summary=self._redactor.redact(asked.summary),
            blocker=self._redactor.redact(asked.blocker),
        )
        step_id, now = run.step_id, self._clock.now()

        def change(plan: Plan) -> Plan:
            return transitions.reported(plan, step_id, report, now=now, run_id=run.id)

        plan = await self._work.change(run.plan_id, change)
        if all(step.work_run_id != run.id for step in plan.steps):
            return ToolAnswer(text="This run no longer works on the step, so its result does not count.", is_error=True)
        return ToolAnswer(text="The result is noted. End your answer now.")
