"""`plans`: graphs of steps, each carried out by a run; and `plan-queue`, what all plans do next.

Changing a step needs the right to execute: in a running plan, it decides what starts next.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ...plans.model import (
    AddSteps,
    Breakdown,
    ChooseChecklist,
    NewPlan,
    PlanFields,
    PlanLine,
    PlanView,
    QueuedStep,
    SplitStep,
    StepDetail,
    StepFields,
    StepReport,
)
from ...runs.model import Run
from ..handler import CabinetHandler
from ..operation import Query, operation


class EditPlan(PlanFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT plans/{id}`. A field that is left out gets its default."""


class EditStep(StepFields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `PUT plans/{id}/steps/{id}`. A field that is left out gets its default."""


class PlanText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan as YAML: body of `POST plans/import`, and the reply of `GET plans/{id}/export`."""

    text: str


class PlanList(msgspec.Struct, frozen=True, kw_only=True):
    """The last changed first."""

    items: tuple[PlanLine, ...]


class PlanQueue(msgspec.Struct, frozen=True, kw_only=True):
    """The running steps, then the queued ones."""

    items: tuple[QueuedStep, ...]


class RunStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/steps/{id}/run`. `resume`: in the session of its last run."""

    resume: bool = False


class ArchivePlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/archive`. False: take it out of the archive."""

    archived: bool = True


class DecideProposal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST plans/{id}/proposals/{id}`. `undo` reverts one that was applied."""

    decision: Literal["apply", "refuse", "undo"]


ARCHIVED = Query(name="archived", kind="boolean", about="the archived ones instead")


class PlansHandler(CabinetHandler):
    """`plans`"""

    @operation("read", gives=PlanList, query=(ARCHIVED,))
    async def get(self) -> None:
        """List the plans that the caller may see, the last changed first."""
        found = await self.services.plans.find(self.principal, archived=self.flag_argument("archived"))
        self.reply(PlanList(items=tuple(found)))

    @operation("write", body=NewPlan, gives=PlanView, status=201)
    async def post(self) -> None:
        """Create a plan as a draft, with its steps: all of them, or nothing."""
        self.reply(await self.services.plans.create(self.body(NewPlan), self.principal), 201)


class PlanImportHandler(CabinetHandler):
    """`plans/import`"""

    @operation("write", body=PlanText, gives=PlanView, status=201)
    async def post(self) -> None:
        """Create a plan from a YAML text."""
        self.reply(await self.services.plans.import_text(self.body(PlanText).text, self.principal), 201)


class PlanQueueHandler(CabinetHandler):
    """`plan-queue`"""

    @operation("read", gives=PlanQueue)
    async def get(self) -> None:
        """List the running and queued steps of all plans, with why each waits."""
        self.reply(PlanQueue(items=tuple(await self.services.plans.queue(self.principal))))


class PlanHandler(CabinetHandler):
    """`plans/{id}`"""

    @operation("read", gives=PlanView)
    async def get(self, plan_id: str) -> None:
        """Return a plan with its steps."""
        self.reply(await self.services.plans.get(plan_id, self.principal))

    @operation("write", body=EditPlan, gives=PlanView)
    async def put(self, plan_id: str) -> None:
        """Change the settings of a plan. For its owner."""
        self.reply(await self.services.plans.edit(plan_id, self.body(EditPlan), self.principal))

    @operation("write", status=204)
    async def delete(self, plan_id: str) -> None:
        """Delete a plan. Its runs stay. For its owner, and only while no step is running."""
        await self.services.plans.delete(plan_id, self.principal)
        self.reply_empty()


class PlanExportHandler(CabinetHandler):
    """`plans/{id}/export`"""

    @operation("read", gives=PlanText)
    async def get(self, plan_id: str) -> None:
        """Return a plan as a YAML text, without states, results and runs."""
        self.reply(PlanText(text=await self.services.plans.export(plan_id, self.principal)))


class PlanRunHandler(CabinetHandler):
    """`plans/{id}/run`"""

    @operation("execute", gives=PlanView)
    async def post(self, plan_id: str) -> None:
        """Start what is left of a plan, or again what has failed if nothing else can begin. For its owner."""
        self.reply(await self.services.plans.run(plan_id, self.principal))


class PlanPauseHandler(CabinetHandler):
    """`plans/{id}/pause`"""

    @operation("execute", gives=PlanView)
    async def post(self, plan_id: str) -> None:
        """Pause a plan: the steps that are running finish. For its owner."""
        self.reply(await self.services.plans.pause(plan_id, self.principal))


class PlanArchiveHandler(CabinetHandler):
    """`plans/{id}/archive`"""

    @operation("write", body=ArchivePlan, gives=PlanView)
    async def post(self, plan_id: str) -> None:
        """Archive a plan, or take it out of the archive. For its owner."""
        archived = self.body(ArchivePlan).archived
        self.reply(await self.services.plans.archive(plan_id, self.principal, archived=archived))


class PlanChecklistHandler(CabinetHandler):
    """`plans/{id}/checklist`"""

    @operation("write", body=ChooseChecklist, gives=PlanView)
    async def post(self, plan_id: str) -> None:
        """Continue with the checklist at another path, because its file was renamed or moved. For its owner."""
        path = self.body(ChooseChecklist).path
        self.reply(await self.services.plans.choose_checklist(plan_id, path, self.principal))


class PlanBreakdownHandler(CabinetHandler):
    """`plans/{id}/breakdown`"""

    @operation("execute", body=Breakdown, gives=Run, status=201)
    async def post(self, plan_id: str) -> None:
        """Ask an agent to break work into steps, which are added to the plan. For its owner."""
        self.reply(await self.services.plans.break_down(plan_id, self.body(Breakdown), self.principal), 201)


class PlanProposalHandler(CabinetHandler):
    """`plans/{id}/proposals/{id}`"""

    @operation("execute", body=DecideProposal, gives=PlanView)
    async def post(self, plan_id: str, proposal_id: str) -> None:
        """Apply, refuse or undo what an evaluation has proposed. For the owner of the plan."""
        decision = self.body(DecideProposal).decision
        self.reply(await self.services.plans.decide(plan_id, proposal_id, decision, self.principal))


class PlanStepsHandler(CabinetHandler):
    """`plans/{id}/steps`"""

    @operation("write", body=AddSteps, gives=PlanView, status=201)
    async def post(self, plan_id: str) -> None:
        """Add steps to a plan: all of them, or nothing. For its owner."""
        self.reply(await self.services.plans.add_steps(plan_id, self.body(AddSteps).steps, self.principal), 201)


class PlanStepHandler(CabinetHandler):
    """`plans/{id}/steps/{id}`"""

    @operation("read", gives=StepDetail)
    async def get(self, plan_id: str, step_id: str) -> None:
        """Return a step, what it has left, and what it receives from the steps that it depends on."""
        self.reply(await self.services.plans.step(plan_id, step_id, self.principal))

    @operation("execute", body=EditStep, gives=PlanView)
    async def put(self, plan_id: str, step_id: str) -> None:
        """Change a step that is not running. For the owner of the plan."""
        self.reply(await self.services.plans.edit_step(plan_id, step_id, self.body(EditStep), self.principal))

    @operation("execute", gives=PlanView)
    async def delete(self, plan_id: str, step_id: str) -> None:
        """Remove a step that is not running. For the owner of the plan."""
        self.reply(await self.services.plans.remove_step(plan_id, step_id, self.principal))


class PlanStepRunHandler(CabinetHandler):
    """`plans/{id}/steps/{id}/run`"""

    @operation("execute", body=RunStep, gives=PlanView)
    async def post(self, plan_id: str, step_id: str) -> None:
        """Start one step, again if it has ended. For the owner of the plan."""
        resume = self.body(RunStep).resume
        self.reply(await self.services.plans.run_step(plan_id, step_id, self.principal, resume=resume))


class PlanStepSkipHandler(CabinetHandler):
    """`plans/{id}/steps/{id}/skip`"""

    @operation("execute", gives=PlanView)
    async def post(self, plan_id: str, step_id: str) -> None:
        """Skip a step: the steps that depend on it may begin without it. For the owner of the plan."""
        self.reply(await self.services.plans.skip_step(plan_id, step_id, self.principal))


class PlanStepResetHandler(CabinetHandler):
    """`plans/{id}/steps/{id}/reset`"""

    @operation("execute", gives=PlanView)
    async def post(self, plan_id: str, step_id: str) -> None:
        """Take a step out of the queue, or restore it after it was skipped. For the owner of the plan."""
        self.reply(await self.services.plans.reset_step(plan_id, step_id, self.principal))


class PlanStepSplitHandler(CabinetHandler):
    """`plans/{id}/steps/{id}/split`"""

    @operation("execute", body=SplitStep, gives=PlanView)
    async def post(self, plan_id: str, step_id: str) -> None:
        """Replace a step by several. For the owner of the plan."""
        self.reply(await self.services.plans.split_step(plan_id, step_id, self.body(SplitStep), self.principal))


class PlanStepReportHandler(CabinetHandler):
    """`plans/{id}/steps/{id}/report`"""

    @operation("execute", body=StepReport, gives=PlanView)
    async def post(self, plan_id: str, step_id: str) -> None:
        """Store the result of a step that was done elsewhere, or correct that it failed. For the owner of the plan."""
        self.reply(await self.services.plans.report(plan_id, step_id, self.body(StepReport), self.principal))
