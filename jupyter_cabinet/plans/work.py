"""Carries plans on: queues the next runs whenever something has changed.

What comes next is decided by `rules/`; this file only requests runs. Each request is recorded in the transaction that
queues its run (`kinds/`), so calling `advance` too often changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from ..agents.run_kinds.run_terms import AGENT_ORIGIN
from ..core.clock import Clock, Timer
from ..core.errors import (
    CabinetError,
    Conflict,
    Invalid,
    NotFound,
    NotTrusted,
    OutOfService,
    OverBudget,
    Refused,
    ShuttingDown,
    Unavailable,
)
from ..core.events import Scope
from ..core.people import Principal
from ..runs import store as run_store
from ..runs.model import NewRun, Run, Trigger
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import store
from .checklists import Checklists
from .kinds.step_kind import request_of
from .model import (
    NewBreakdownRun,
    NewCommitRun,
    NewEvaluateRun,
    NewHandoffRun,
    NewStepRun,
    NewVerifyRun,
    Plan,
    PlanChanged,
    Step,
)
from .rules import step_phases, transitions
from .rules.stops import Stop, stop_of
from .rules.waiting import folder_of, startable
from .views import cost

if TYPE_CHECKING:
    from ..runs.service import Runs

log = logging.getLogger(__name__)

AGAIN_SECONDS = 30.0  # until requests that were refused for now, or that another server left to do, are made
NOT_STORED = "The next run could not be stored. See the server's log. Cabinet tries again every 30 seconds."
INTERNAL = "The step could not be started because of an internal error. The server's log has it. Run the step again."
FOREIGN = "The records of this folder come from another server. Check the plan, then run it."


class PlanWork:
    """Queues the runs of all plans. `begin` must be called first."""

    def __init__(self, *, database: Database, commits: Commits, clock: Clock, checklists: Checklists) -> None:
        self._checklists = checklists
        self._database = database
        self._commits = commits
        self._clock = clock
        self._runs: Runs | None = None
        self._lock = asyncio.Lock()
        self._opened = asyncio.Event()
        self._again: Timer | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        self.when_stopped: Callable[[Plan, Stop], None] | None = None  # called again for the same stop
        self.trouble: dict[str, str] = {}  # why nothing of a plan starts now, by plan; empty after the next success

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs."""
        self._runs = runs

    @property
    def paused(self) -> str:
        """Who has paused all work on this folder, as a sentence; empty: nobody has."""
        switch = self._runs.switch.state if self._runs is not None else None
        return f"All agents are paused by {switch.by}." if switch is not None and switch.paused else ""

    async def disown(self) -> None:
        """Pause the plans of another server's database, without starting anything. Called before `open`."""
        await self._commits.commit(lambda c: self._repair(c, foreign=True), _changed_events)

    async def open(self) -> None:
        """Repair what an earlier server has left, and queue every run that may be queued now.

        Running steps whose run is gone have failed as interrupted.
        """
        await self._commits.commit(lambda c: self._repair(c, foreign=False), _changed_events)
        self._opened.set()
        await self._advance_safely()

    async def close(self) -> None:
        """Start nothing any more. What is left to do stays for the next server, or for another one on this folder."""
        self._closed = True
        if self._again is not None:
            self._again.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def do_advance(self, plan_id: str) -> None:
        """Handle the outbox topic `ADVANCE`: a run of this plan has ended. Waits until `open` has been called.

        Announces the plan, and queues what comes next. Raises `ShuttingDown` after `close`, so that the effect is kept.
        """
        await self._opened.wait()
        if self._closed:
            raise ShuttingDown  # so the effect stays for the server that takes over
        plan = await self._database.read(lambda c: store.load_plan(c, plan_id))
        if plan is not None:
            event = changed_event(plan)
            await self._commits.commit(lambda c: None, lambda _: [event])
            async with self._lock:
                await self._follow_checklist(plan)
        await self.advance()
        await self._correct_breakdown(plan)
        if (now := await self._database.read(lambda c: store.load_plan(c, plan_id))) is not None:
            self._tell_of_stop(now)

    async def advance(self) -> None:
        """Queue every run of any plan that may be queued now.

        One call works at a time; it is repeated every 30 seconds. Plans that have reached a limit, or whose checklist
        cannot be used, are paused. A run that is refused for now is noted in `trouble`, and requested again later. Any
        other refusal fails the step, or skips its commit, handoff or evaluation. Raises errors of the database.
        """
        async with self._lock:
            self.trouble = {}
            plans = await self._database.read(store.plans_at_work)
            occupied = await self._database.read(store.occupied_folders)
            for found in plans:
                plan = await self._within_limits(await self._follow_checklist(found))
                for step in plan.steps:
                    if step.state == "running" and step.run_id is None:
                        await self._begin_phase(plan, step)
                for step in startable(plan, occupied):
                    if await self._begin_step(plan, step):
                        occupied[folder_of(plan, step)] = step.title
            self._advance_later()

    def advance_soon(self) -> None:
        """Call `advance` in the background. An error is logged, and `advance` is called again after 30 seconds."""
        task = asyncio.get_running_loop().create_task(self._advance_safely())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _advance_safely(self) -> None:
        try:
            await self.advance()
        except Exception as error:
            log.error("Plans could not be carried on; this is tried again: %s", error)
            self._advance_later()

    def _advance_later(self) -> None:
        if self._again is not None:
            self._again.cancel()
        if self._closed:
            return
        self._again = self._clock.call_at(self._clock.monotonic() + AGAIN_SECONDS, self.advance_soon)

    # --- checklists and limits ---------------------------------------------------------------

    async def follow_checklist(self, plan_id: str) -> None:
        """Compare a plan with its checklist before a person starts it: new tasks become steps, and marks are written.

        Nothing happens for a plan that does not exist or has no checklist. Raises `Invalid`, `Malformed` or `NotFound`
        if the file cannot be used. If it cannot be written for now, `trouble` says why.
        """
        async with self._lock:
            plan = await self._database.read(lambda c: store.load_plan(c, plan_id))
            if plan is not None and plan.checklist is not None:
                await self._checklists.check(plan.checklist)
                await self._follow_checklist(plan)

    async def _follow_checklist(self, plan: Plan) -> Plan:
        """Compare a plan with its checklist. A plan whose file cannot be used any more is paused."""
        try:
            change = await self._checklists.follow(plan)
        except (Conflict, Refused, Unavailable) as error:
            self.trouble[plan.id] = error.message
            self._advance_later()
            return plan
        except CabinetError as error:
            message = error.message
            return await self.change(plan.id, lambda current: transitions.set_aside(current, message))
        return plan if change is None else await self.change(plan.id, change)

    async def _within_limits(self, plan: Plan) -> Plan:
        """Pause a plan that has reached one of its limits."""
        spent, now = cost(plan), self._clock.now()
        if transitions.within_limits(plan, spent, now=now) is plan:
            return plan
        return await self.change(plan.id, lambda current: transitions.within_limits(current, spent, now=now))

    # --- requests ----------------------------------------------------------------------------

    async def _begin_step(self, plan: Plan, step: Step) -> bool:
        """Request the work of a step. Return whether it was queued."""
        try:
            new = await self._step_request(plan, step)
            await self._checklists.mark_begun(plan, step)
            await self._submit(plan, new)
        except Exception as error:
            return await self._not_begun(plan, step, error)
        return True

    async def _step_request(self, plan: Plan, step: Step) -> NewStepRun:
        if step.command:
            folder = folder_of(plan, step)
            return NewStepRun(
                plan_id=plan.id,
                step_id=step.id,
                instruction="",
                command=step.command,
                cwd=folder,
                isolate=plan.isolate,
            )
        session_id = None
        if step.execution == "continuation" and step.work_run_id is not None:
            last = await self._database.read(lambda c: run_store.load_run(c, step.work_run_id or ""))
            if last is None:
                raise Invalid("Its last run was deleted, so it cannot be continued. Choose Run again.")
            session_id = last.session_id
        return NewStepRun(**request_of(plan, step, session_id=session_id))

    async def _begin_phase(self, plan: Plan, step: Step) -> None:
        """Request the run of the phase that a running step has reached."""
        try:
            await self._submit(plan, _phase_request(plan, step))
        except (OverBudget, OutOfService) as error:
            await self._phase_failed(plan, step, error)
        except (Refused, Unavailable, NotTrusted) as error:
            self.trouble[plan.id] = error.message
        except Conflict as error:
            log.debug("A phase of a step is not begun: %s", error.message)
        except CabinetError as error:
            await self._phase_failed(plan, step, error)
        except Exception as error:
            self._not_now(plan, error)

    async def _phase_failed(self, plan: Plan, step: Step, error: CabinetError) -> None:
        """Continue without a commit, handoff or evaluation. A verify command that cannot be started fails the step."""
        phase, now = step.phase, self._clock.now()

        def change(found: Plan) -> Plan:
            if phase in ("commit", "handoff", "evaluate"):
                return step_phases.phase_skipped(found, step.id, phase, error.message, now=now)
            return step_phases.could_not_begin(found, step.id, error.message, now=now)

        await self.change(plan.id, change)
        self.advance_soon()

    async def _not_begun(self, plan: Plan, step: Step, error: Exception) -> bool:
        """A step could not be queued. Return whether its directory counts as occupied."""
        match error:
            case Refused() | Unavailable() | NotTrusted() | OutOfService():
                self.trouble[plan.id] = error.message
            case OSError() | DBAPIError():
                self._not_now(plan, error)
            case Conflict():
                log.debug("The step %s is not begun: %s", step.id, error.message)
                return True  # another server was faster
            case CabinetError():
                await self._could_not_begin(plan, step, error.message)
            case _:
                log.error("The step %s could not be begun", step.id, exc_info=error)
                await self._could_not_begin(plan, step, INTERNAL)
        return False

    def _not_now(self, plan: Plan, error: Exception) -> None:
        """Note that a run could not be stored, for example because the disk is full. It is requested again."""
        log.error("A run of the plan %s could not be queued; this is tried again: %s", plan.id, error)
        self.trouble[plan.id] = NOT_STORED

    async def _could_not_begin(self, plan: Plan, step: Step, reason: str) -> None:
        now = self._clock.now()
        await self.change(plan.id, lambda found: step_phases.could_not_begin(found, step.id, reason, now=now))
        self.advance_soon()  # another step may use its directory now

    async def _submit(self, plan: Plan, new: NewRun) -> Run:
        assert self._runs is not None, "begun before anything is asked"
        trigger = Trigger(
            kind="run", username=plan.owner, display_name=plan.owner_name, source=f"the plan “{plan.title}”"
        )
        run = await self._runs.submit(new, principal_of(plan), trigger=trigger)
        await self._commits.commit(lambda c: None, lambda _: [changed_event(plan)])
        return run

    async def request_breakdown(self, plan: Plan, new: NewBreakdownRun) -> Run:
        """Queue the run of an agent that writes steps, and announce the plan. Raises what `Runs.submit` raises."""
        return await self._submit(plan, new)

    async def _correct_breakdown(self, plan: Plan | None) -> None:
        """Ask an agent once more whose steps were refused."""
        status = plan.breakdown if plan is not None else None
        if plan is None or status is None or status.state != "refused":
            return
        run = await self._database.read(lambda c: run_store.load_run(c, status.run_id))
        if run is None:
            return
        new = NewBreakdownRun(
            plan_id=plan.id,
            instruction=run.instruction,
            agent=run.agent,
            runtime=None if run.agent else run.runtime,
            model=plan.model,
            permission_mode=plan.permission_mode,
            isolate=plan.isolate,
            cwd=run.cwd,
            correction=status.problem,
        )
        try:
            await self._submit(plan, new)
        except CabinetError as error:  # the effects of later runs of this plan must not wait for it
            problem, run_id = error.message, status.run_id
            await self.change(plan.id, lambda found: transitions.breakdown_failed(found, run_id, problem))

    # --- changes -----------------------------------------------------------------------------

    async def change(self, plan_id: str, change: Callable[[Plan], Plan]) -> Plan:
        """Apply a transition in a transaction, announce it, and return the plan.

        Raises `NotFound`, and what `change` raises. `when_stopped` is called if that has stopped the plan. Nothing else
        is queued.
        """

        was = "draft"

        def work(connection: Connection) -> Plan:
            nonlocal was
            before = store.load_plan(connection, plan_id)
            if before is None:
                raise NotFound("There is no such plan.")
            was = before.state
            return store.save_plan(connection, before, change(before))

        plan = await self._commits.commit(work, lambda plan: [changed_event(plan)])
        if was == "running":
            self._tell_of_stop(plan)
        return plan

    def _tell_of_stop(self, plan: Plan) -> None:
        stop = stop_of(plan)
        if stop is not None and self.when_stopped is not None:
            self.when_stopped(plan, stop)

    def _repair(self, connection: Connection, *, foreign: bool) -> list[Plan]:
        """Interrupt running steps and breakdowns whose run is gone, and pause the plans of a foreign folder."""
        changed = []
        for plan in store.plans_at_work(connection):
            after = plan
            gone = self._gone(connection, plan)
            for step in plan.steps:
                if step.run_id in gone:
                    after = step_phases.run_lost(after, step.id, step.run_id or "", now=self._clock.now())
            if foreign:
                after = transitions.set_aside(after, FOREIGN)
            if after != plan:
                changed.append(store.save_plan(connection, plan, after))
        for plan in store.plans_asking(connection):
            run_id = plan.breakdown.run_id if plan.breakdown is not None else ""
            if not run_store.unfinished_among(connection, {run_id}):
                after = transitions.breakdown_failed(plan, run_id, "Its run was interrupted.")
                changed.append(store.save_plan(connection, plan, after))
        return changed

    def _gone(self, connection: Connection, plan: Plan) -> Collection[str]:
        ids = {step.run_id for step in plan.steps if step.state == "running" and step.run_id is not None}
        return ids - run_store.unfinished_among(connection, ids) if ids else ids


def _phase_request(plan: Plan, step: Step) -> NewRun:
    fields = request_of(plan, step, session_id=None)
    kept = {name: fields[name] for name in ("plan_id", "step_id", "cwd", "isolate")}
    match step.phase:
        case "verify":
            return NewVerifyRun(**kept, instruction="", command=step.verify)
        case "commit":
            return NewCommitRun(**kept, agent=fields["agent"], instruction="")
        case "handoff":
            return NewHandoffRun(**fields)
        case _:
            return NewEvaluateRun(**fields)


def principal_of(plan: Plan) -> Principal:
    """Return the principal that is responsible for the runs of a plan: its owner."""
    return Principal(
        username=plan.owner,
        display_name=plan.owner_name,
        origin=AGENT_ORIGIN,
        shared_token=plan.visibility == "server",
    )


def changed_event(plan: Plan) -> ScopedEvent:
    """Return the event that announces a change of a plan."""
    checklist = plan.checklist.path if plan.checklist is not None else None
    event = PlanChanged(plan_id=plan.id, title=plan.title, state=plan.state, reason=plan.reason, checklist=checklist)
    return ScopedEvent(event, Scope(owner=plan.owner, visibility=plan.visibility))


def _changed_events(plans: list[Plan]) -> list[ScopedEvent]:
    return [changed_event(plan) for plan in plans]
