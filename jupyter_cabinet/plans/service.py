"""What people do with plans. Everyone who may see a plan may read it; its owner and administrators change and run it.

If all people share one token, everybody is an owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.errors import Conflict, NotAllowed, NotFound
from ..core.ids import new_id
from ..core.people import Principal, may_see, owns
from ..runs.intake import visibility_for
from ..runs.model import Run
from ..runs.records import RunRecords
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import store
from .checklist_files import ChecklistFiles
from .field_checks import check_fields, checked_report
from .model import (
    Artifact,
    Breakdown,
    Execution,
    NewBreakdownRun,
    NewPlan,
    NewStep,
    Plan,
    PlanDeleted,
    PlanFields,
    PlanLine,
    PlanView,
    Proposal,
    QueuedStep,
    SplitStep,
    StepDetail,
    StepFields,
    StepReport,
)
from .plan_file import plan_of, text_of
from .rules import graph, mutations, transitions
from .rules.checklist import followed, moved, with_checklist
from .rules.rest import resting
from .views import in_list, queued_steps, step_views, viewed, waiting_steps
from .work import PlanWork, changed_event

Change = Callable[[Connection, Plan], Plan]  # a change of a plan, inside a transaction
# Sees all plans, because two plans of different people must not work through one file either.
EVERYONE = Principal(username="", display_name="", administrator=True)


class Plans:
    """All plans of the root directory."""

    def __init__(
        self,
        *,
        root: Path,
        database: Database,
        commits: Commits,
        clock: Clock,
        records: RunRecords,
        work: PlanWork,
        checklists: ChecklistFiles,
    ) -> None:
        self._checklists = checklists
        self._root = root
        self._database = database
        self._commits = commits
        self._clock = clock
        self._records = records
        self._work = work

    # --- looking -----------------------------------------------------------------------------

    async def find(self, principal: Principal, *, archived: bool = False) -> list[PlanLine]:
        """Return the plans that the caller may see, the last changed first; at most 500.

        `archived`: only those that are archived, instead of only the others.
        """
        found = await self._database.read(lambda c: store.list_plans(c, principal, archived=archived))
        work = self._work
        waiting = (waiting_steps(p, work.trouble.get(p.id, ""), self._run_of, paused=work.paused) for p in found)
        return [in_list(plan, principal, waiting=number) for plan, number in zip(found, waiting, strict=True)]

    async def with_open_proposals(self, principal: Principal) -> list[tuple[Plan, list[Proposal]]]:
        """Return the plans that the caller may see with their open proposals, the last changed first, without steps.

        Archived plans are left out.
        """
        found = await self._database.read(lambda c: store.plans_with_proposals(c, principal))
        proposals = [(plan, [each for each in plan.proposals if each.state == "open"]) for plan in found]
        return [(plan, open_ones) for plan, open_ones in proposals if open_ones]

    async def get(self, plan_id: str, principal: Principal) -> PlanView:
        """Return a plan with its steps. Raises `NotFound`, also if the caller may not see it."""
        return await self._view(await self._seen(plan_id, principal), principal)

    async def step(self, plan_id: str, step_id: str, principal: Principal) -> StepDetail:
        """Return a step, what it has left, and what it receives from others. Raises `NotFound`."""
        plan = await self._seen(plan_id, principal)
        view = next((each for each in (await self._view(plan, principal)).steps if each.id == step_id), None)
        if view is None:
            raise NotFound("There is no such step.")

        def read(connection: Connection) -> tuple[list[Artifact], list[Artifact]]:
            artifacts = store.artifacts_of(connection, step_id)
            return artifacts, store.latest_of(connection, view.depends_on, "handoff")

        artifacts, receives = await self._database.read(read)
        return StepDetail(step=view, artifacts=tuple(artifacts), receives=tuple(receives))

    async def queue(self, principal: Principal) -> list[QueuedStep]:
        """Return the running steps of all plans that the caller may see, then the queued ones, with why each waits."""
        plans = await self._database.read(store.plans_at_work)
        occupied = await self._database.read(lambda c: store.occupied_folders(c, principal))
        seen = [plan for plan in plans if may_see(principal, plan.owner, plan.visibility)]
        work = self._work
        return queued_steps(seen, occupied=occupied, trouble=work.trouble, run_of=self._run_of, paused=work.paused)

    async def export(self, plan_id: str, principal: Principal) -> str:
        """Return a plan as the YAML text that `import_text` reads. Raises `NotFound`."""
        return text_of(await self._seen(plan_id, principal))

    # --- plans -------------------------------------------------------------------------------

    async def create(self, new: NewPlan, principal: Principal) -> PlanView:
        """Create a plan as a draft, with the steps of its checklist. The caller owns it. Nothing is started.

        Raises `Invalid` for fields, steps or a folder that are not valid, `OutsideRoot` for a folder outside the root,
        and for a checklist `NotFound`, `Malformed`, and `Conflict` if another plan that is not archived has it.
        """
        now = self._clock.now()
        plan = Plan(
            **_values_of(new),
            id=new_id(),
            owner=principal.username,
            owner_name=principal.display_name,
            visibility=visibility_for(principal),
            created_at=now,
            updated_at=now,
        )
        await asyncio.to_thread(check_fields, plan, new.steps, self._root)
        plan = graph.with_new_steps(plan, new.steps, new_id)
        if (checklist := plan.checklist) is not None:
            text = await asyncio.to_thread(self._checklists.read, checklist.path)
            plan = followed(plan, checklist, text, new_id).plan

        def insert(connection: Connection) -> Plan:
            _refuse_second(connection, plan)
            return store.insert_plan(connection, plan)

        made = await self._commits.commit(insert, lambda plan: [changed_event(plan)])
        return await self._view(made, principal)

    async def import_text(self, text: str, principal: Principal) -> PlanView:
        """Create a plan from a YAML text. Raises `Invalid` with the line or the field, and what `create` raises."""
        return await self.create(plan_of(text), principal)

    async def edit(self, plan_id: str, fields: PlanFields, principal: Principal) -> PlanView:
        """Replace all settings of a plan; a setting that `fields` leaves out gets its default.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator, `Invalid`, `OutsideRoot`,
        and `Conflict` for another checklist, or for another working directory while a step is running.
        """
        values = _values_of(fields)

        def change(connection: Connection, plan: Plan) -> Plan:
            if fields.checklist is not None and (
                plan.checklist is None or fields.checklist.path != plan.checklist.path
            ):
                raise Conflict("A plan keeps its checklist. Create another plan for this file.", field="checklist.path")
            if values["cwd"] != plan.cwd and any(step.state == "running" for step in plan.steps):
                raise Conflict("A step is running. Change the working directory when it has ended.")
            return msgspec.structs.replace(with_checklist(plan, fields.checklist), **values)

        await asyncio.to_thread(check_fields, fields, (), self._root)
        return await self._change(plan_id, change, principal)

    async def choose_checklist(self, plan_id: str, path: str, principal: Principal) -> PlanView:
        """Continue with the checklist at another path, because its file was renamed or moved. Nothing is started.

        Raises `NotFound` if there is no such plan or file, `NotAllowed` unless the caller is the plan's owner or an
        administrator, `Conflict` if the plan has no checklist or is running, its file still exists, or another plan
        works through the new one, `Invalid` if the file has none of its tasks, and `Malformed` if it cannot be read.
        """
        plan = await self._database.read(lambda c: self._owned(c, plan_id, principal))
        before = plan.checklist
        if before is None:
            raise Conflict("This plan works through no checklist.")
        if not await asyncio.to_thread(self._checklists.is_missing, before.path):
            raise Conflict(f"{before.path} still exists. Create another plan for another file.", field="path")
        chosen = msgspec.structs.replace(before, path=path)
        graph.check_checklist(chosen)
        text = await asyncio.to_thread(self._checklists.read, path)

        def change(connection: Connection, plan: Plan) -> Plan:
            after = moved(plan, chosen, text)
            _refuse_second(connection, after)
            return after

        return await self._change(plan_id, change, principal)

    async def archive(self, plan_id: str, principal: Principal, *, archived: bool) -> PlanView:
        """Archive a plan, or take it out of the archive.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator, and `Conflict` while it is
        running, or if another plan works through its checklist by now.
        """

        def change(connection: Connection, plan: Plan) -> Plan:
            if archived and (plan.state == "running" or any(step.state == "running" for step in plan.steps)):
                raise Conflict("This plan is running. Pause it, and wait for the steps that are running.")
            return msgspec.structs.replace(plan, archived=archived)

        return await self._change(plan_id, change, principal)

    async def delete(self, plan_id: str, principal: Principal) -> None:
        """Delete a plan and what its steps have left. Its runs and its checklist stay.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator, and `Conflict` while a step
        is running.
        """

        def change(connection: Connection) -> Plan:
            plan = self._owned(connection, plan_id, principal)
            if any(step.state == "running" for step in plan.steps):
                raise Conflict("A step of this plan is running. Stop its run first.")
            store.delete_plan(connection, plan_id)
            return plan

        def events(plan: Plan) -> list[ScopedEvent]:
            return [ScopedEvent(PlanDeleted(plan_id=plan.id), changed_event(plan).scope)]

        await self._commits.commit(change, events)

    async def run(self, plan_id: str, principal: Principal) -> PlanView:
        """Start everything that is left of a plan, also tasks that are new in its checklist.

        Its runs are queued in the background. Raises `NotFound`, `NotAllowed` unless the caller is its owner or an
        administrator, `Conflict` if nothing can be started, and as `create` for a checklist that cannot be used.
        """

        def check(connection: Connection) -> None:
            _refuse_second(connection, self._owned(connection, plan_id, principal))

        await self._database.read(check)  # before it writes the marks of the file
        await self._work.follow_checklist(plan_id)
        now = self._clock.now()
        return await self._change(plan_id, lambda c, plan: transitions.run_all(plan, now=now), principal, advance=True)

    async def pause(self, plan_id: str, principal: Principal) -> PlanView:
        """Pause a plan: the steps that are running finish.

        Raises `NotFound`, `NotAllowed` unless the caller is its owner or an administrator, and `Conflict` if it is not
        running.
        """
        return await self._change(
            plan_id, lambda c, plan: transitions.pause(plan, by=principal.display_name), principal
        )

    async def break_down(self, plan_id: str, asked: Breakdown, principal: Principal) -> Run:
        """Queue a run in which an agent breaks work into steps of this plan, and return it.

        The steps are added when it ends. Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an
        administrator, `Conflict` while there is one or it will be repeated, and what `Runs.submit` raises.
        """
        plan = await self._database.read(lambda c: self._owned(c, plan_id, principal))
        new = NewBreakdownRun(
            plan_id=plan.id,
            instruction=asked.instruction,
            agent=asked.agent or (None if asked.runtime else plan.agent),
            runtime=asked.runtime or plan.runtime,
            model=plan.model,
            permission_mode=plan.permission_mode,
            isolate=plan.isolate,
            cwd=plan.cwd,
        )
        return await self._work.request_breakdown(plan, new)

    # --- steps -------------------------------------------------------------------------------

    async def add_steps(self, plan_id: str, new: Sequence[NewStep], principal: Principal) -> PlanView:
        """Add steps at the end of a plan, all of them or none. They are pending: nothing is started.

        A plan that was done is paused. Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an
        administrator, `OutsideRoot` for a folder outside the root, and `Invalid` as `graph.with_new_steps`.
        """
        await asyncio.to_thread(check_fields, None, new, self._root)
        return await self._change(plan_id, lambda c, plan: graph.with_new_steps(plan, new, new_id), principal)

    async def edit_step(self, plan_id: str, step_id: str, fields: StepFields, principal: Principal) -> PlanView:
        """Replace what people write about a step; a field that `fields` leaves out gets its default.

        Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, `Conflict` while it
        is running and for other dependencies after it has begun, `Invalid`, and `OutsideRoot`.
        """
        await asyncio.to_thread(check_fields, None, (fields,), self._root)
        return await self._change_step(plan_id, step_id, lambda c, plan: graph.edited(plan, step_id, fields), principal)

    async def remove_step(self, plan_id: str, step_id: str, principal: Principal) -> PlanView:
        """Remove a step and what it has left; its dependents no longer depend on it.

        Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, and `Conflict` while
        it is running.
        """
        return await self._change_step(plan_id, step_id, lambda c, plan: graph.removed(plan, step_id), principal)

    async def split_step(self, plan_id: str, step_id: str, asked: SplitStep, principal: Principal) -> PlanView:
        """Replace a step by at least two new ones. The original stays in the plan as a skipped step.

        Raises `NotFound`, `NotAllowed`, `Conflict` if the step is running, done or from a checklist, or if a step that
        depends on it has begun, and `Invalid` for invalid steps or fewer than two.
        """
        await asyncio.to_thread(check_fields, None, asked.steps, self._root)

        def change(connection: Connection, plan: Plan) -> Plan:
            return graph.split(plan, step_id, asked.steps, new_id, in_order=asked.in_order)

        return await self._change_step(plan_id, step_id, change, principal)

    async def run_step(self, plan_id: str, step_id: str, principal: Principal, *, resume: bool = False) -> PlanView:
        """Start one step, again if it has ended.

        `resume`: in the session of its last run. Its run is queued in the background. Other queued steps of the plan
        may begin too; if nothing can begin, because a dependency has not been started, the plan is paused. Raises
        `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, and `Conflict` while the
        step is running, if a dependency has failed or is blocked, or if there is nothing to continue.
        """
        execution: Execution = "continuation" if resume else "primary"
        now = self._clock.now()

        def change(connection: Connection, plan: Plan) -> Plan:
            return transitions.run_step(plan, step_id, execution, now=now)

        return await self._change_step(plan_id, step_id, change, principal)

    async def skip_step(self, plan_id: str, step_id: str, principal: Principal) -> PlanView:
        """Skip a step: its dependents may begin without it.

        Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, and `Conflict` if it
        is running or done.
        """
        by = principal.display_name
        return await self._change_step(plan_id, step_id, lambda c, p: transitions.skip(p, step_id, by=by), principal)

    async def reset_step(self, plan_id: str, step_id: str, principal: Principal) -> PlanView:
        """Take a step out of the queue, or restore it after it was skipped. It is pending afterwards.

        Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, and `Conflict` if it
        is neither queued nor skipped, or a dependent has begun without it.
        """

        def change(connection: Connection, plan: Plan) -> Plan:
            queued = graph.step_of(plan, step_id).state == "queued"
            return transitions.unqueue(plan, step_id) if queued else transitions.restore(plan, step_id)

        return await self._change_step(plan_id, step_id, change, principal)

    async def report(self, plan_id: str, step_id: str, report: StepReport, principal: Principal) -> PlanView:
        """Store the result of a step that a person, or a program of theirs, reports. Long texts are cut.

        While its work is running, the report only counts when that ends. Raises `NotFound`, `NotAllowed` unless the
        caller is the plan's owner or an administrator, `Conflict` if the step is done or skipped or its result is being
        checked, and `Invalid` for `blocked` without a blocker.
        """
        now = self._clock.now()
        report = checked_report(report)

        def change(connection: Connection, plan: Plan) -> Plan:
            if report.status == "done" and report.summary.strip():
                artifact = Artifact(
                    id=new_id(), step_id=step_id, kind="handoff", run_id="", text=report.summary, at=now
                )
                store.add_artifact(connection, plan_id, artifact)
            return transitions.reported(plan, step_id, report, now=now)

        return await self._change_step(plan_id, step_id, change, principal)

    async def decide(self, plan_id: str, proposal_id: str, decision: str, principal: Principal) -> PlanView:
        """Apply, refuse or undo a proposal: `decision` is `apply` or `refuse`; any other word undoes it.

        Raises `NotFound`, `NotAllowed` unless the caller is the plan's owner or an administrator, `Conflict` if there
        is no such proposal or it cannot be decided so any more, and `Invalid` if the plan would have too many steps.
        """
        by = f"By {principal.display_name}."

        def change(connection: Connection, plan: Plan) -> Plan:
            match decision:
                case "apply":
                    return mutations.applied(plan, proposal_id, new_id, by=by)
                case "refuse":
                    return mutations.refused(plan, proposal_id, reason=by)
                case _:
                    return mutations.undone(plan, proposal_id, by=by)

        return await self._change(plan_id, change, principal, advance=True)

    # --- inside ------------------------------------------------------------------------------

    async def _change_step(self, plan_id: str, step_id: str, change: Change, principal: Principal) -> PlanView:
        """Apply a change of one step, and carry on. Raises `NotFound` if there is no such step."""

        def of_step(connection: Connection, plan: Plan) -> Plan:
            if all(step.id != step_id for step in plan.steps):
                raise NotFound("There is no such step.")
            return change(connection, plan)

        return await self._change(plan_id, of_step, principal, advance=True)

    async def _change(self, plan_id: str, change: Change, principal: Principal, *, advance: bool = False) -> PlanView:
        now = self._clock.now()

        def work(connection: Connection) -> Plan:
            before = self._owned(connection, plan_id, principal)
            after = resting(change(connection, before))
            if before.archived and not after.archived:
                _refuse_second(connection, before)
            return store.save_plan(connection, before, msgspec.structs.replace(after, updated_at=now))

        plan = await self._commits.commit(work, lambda plan: [changed_event(plan)])
        if advance:
            self._work.advance_soon()
        return await self._view(plan, principal)

    def _owned(self, connection: Connection, plan_id: str, principal: Principal) -> Plan:
        plan = _seen(connection, plan_id, principal)
        if not owns(principal, plan.owner):
            raise NotAllowed("Only the owner of this plan or an administrator can do this.")
        return plan

    async def _seen(self, plan_id: str, principal: Principal) -> Plan:
        return await self._database.read(lambda c: _seen(c, plan_id, principal))

    async def _view(self, plan: Plan, principal: Principal) -> PlanView:
        occupied = await self._database.read(lambda c: store.occupied_folders(c, principal))
        trouble = self._work.trouble.get(plan.id, "")
        steps = step_views(plan, occupied, trouble, self._run_of, paused=self._work.paused)
        checklist = plan.checklist
        missing = checklist is not None and await asyncio.to_thread(self._checklists.is_missing, checklist.path)
        return viewed(plan, tuple(steps), principal, checklist_missing=missing)

    def _run_of(self, run_id: str | None) -> Run | None:
        """Return an unfinished run of this server."""
        live = self._records.live.get(run_id or "")
        return live.run if live is not None else None


def _seen(connection: Connection, plan_id: str, principal: Principal) -> Plan:
    plan = store.load_plan(connection, plan_id)
    if plan is None or not may_see(principal, plan.owner, plan.visibility):
        raise NotFound("There is no such plan.")
    return plan


def _refuse_second(connection: Connection, plan: Plan) -> None:
    """Raise `Conflict` if another plan works through the file of this one: only one may write its marks."""
    if plan.checklist is None:
        return
    path = plan.checklist.path
    others = (each for each in store.list_plans(connection, EVERYONE, archived=False) if each.id != plan.id)
    if any(each.checklist is not None and each.checklist.path == path for each in others):
        raise Conflict(
            f"Another plan already works through {path}. Run that plan, or archive it first.", field="checklist"
        )


def _values_of(fields: PlanFields) -> dict[str, Any]:
    return {name: getattr(fields, name) for name in PlanFields.__struct_fields__}
