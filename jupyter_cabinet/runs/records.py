"""The one writer of run records: database first, then memory, then the event.

Called by `service.py` and `worker.py`. Who may do what is theirs to ask; who may see what is asked here.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict, NotFound
from ..core.events import EventBus, Scope
from ..core.people import Principal, may_see
from ..core.redaction import Redactor
from ..runtimes.model import Failure
from ..storage.database import Database
from . import ledger
from .live import LiveRun
from .model import (
    NewRun,
    Run,
    RunChanged,
    RunFilter,
    RunFinished,
    RunQueued,
    RunResumed,
    RunStarted,
    RunState,
    RunUpdated,
    RunWaiting,
)
from .states import is_final, move

log = logging.getLogger(__name__)


class RunRecords:
    """The runs that are not final, by id, and every change of them."""

    def __init__(self, *, database: Database, bus: EventBus, clock: Clock, holder: str, redactor: Redactor) -> None:
        self.live: dict[str, LiveRun] = {}
        self.holder = holder
        self._database = database
        self._bus = bus
        self._clock = clock
        self._redactor = redactor

    def hold(self, run: Run, new: NewRun) -> LiveRun:
        """Keep a run in memory; `create` or an earlier server puts it on record."""
        live = LiveRun(run, new, self._clock)
        self.live[run.id] = live
        return live

    async def create(self, live: LiveRun) -> None:
        async with live.lock:
            run, new = live.run, live.new
            try:
                live.run = await self._database.write(lambda c: ledger.insert_run(c, run, new, self.holder))
            except BaseException:
                self.live.pop(run.id, None)
                raise
            live.recorded = True
            self._publish(RunQueued(run=live.run))

    async def advance(
        self,
        live: LiveRun,
        state: RunState,
        *,
        reason: str = "",
        failure: Failure | None = None,
        **changes: Any,
    ) -> Run:
        """Move a run to another state. A change that the table lacks is refused and logged, and nothing changes."""
        async with live.lock:
            return await self._move(live, state, reason, failure, changes)

    async def update(self, live: LiveRun, **changes: Any) -> None:
        """Change something but the state."""
        async with live.lock:
            await self._change(live, changes)

    async def wait_for(self, live: LiveRun, reason: str) -> None:
        """It waits, for this reason; also when it waits already, for another one."""
        async with live.lock:  # a change that is on its way counts: it may go on just now
            if live.run.state == "waiting":
                await self._change(live, {"reason": self._redactor.redact(reason)})
            else:
                await self._move(live, "waiting", reason, None, {})

    async def _move(
        self, live: LiveRun, state: RunState, reason: str, failure: Failure | None, changes: dict[str, Any]
    ) -> Run:
        before = live.run
        try:
            moved = move(
                before,
                state,
                now=self._clock.now(),
                reason=self._redactor.redact(reason),
                failure=failure,
                worked_seconds=live.worked_seconds,
            )
        except Conflict as error:
            log.info("Run %s stays %s: %s", before.id, before.state, error)
            return before
        run = msgspec.structs.replace(moved, **changes)
        if not await self._save(live, run):
            return live.run
        live.run = run
        log.debug("Run %s of %s: %s", run.id, run.runtime, run.state)
        if run.state == "running":
            live.runs()
        if is_final(run):
            self._let_go(live)
        self._publish(_event(before, run))
        return run

    async def _change(self, live: LiveRun, changes: dict[str, Any]) -> None:
        if is_final(live.run):
            return
        run = msgspec.structs.replace(live.run, **changes)
        if await self._save(live, run):
            live.run = run
            self._publish(RunUpdated(run=run))

    async def _save(self, live: LiveRun, run: Run) -> bool:
        """Write the record. False: another server took this one for dead, and the run is that server's now."""
        if await self._database.write(lambda c: ledger.save_run(c, run, self.holder)):
            return True
        log.warning("Run %s was taken over by another server", run.id)
        live.lost = live.interrupted = True
        recorded = await self._database.read(lambda c: ledger.load_run(c, run.id))
        live.run = recorded or live.run
        self._let_go(live)
        return False

    def _let_go(self, live: LiveRun) -> None:
        self.live.pop(live.run.id, None)
        if live.journal is not None:
            live.journal.end()
        live.begun.set()
        live.finished.set()

    async def note_launcher(self, live: LiveRun, pid: int, started_at: str) -> None:
        await self._database.write(lambda c: ledger.note_launcher(c, live.run.id, pid, started_at))

    async def get(self, run_id: str, principal: Principal) -> Run:
        """The run as it is. Raises `NotFound`, also for a run that is not the caller's to see."""
        live = self.live.get(run_id)
        run = live.run if live else await self._database.read(lambda c: ledger.load_run(c, run_id))
        if run is None or not may_see(principal, run.owner, run.visibility):
            raise NotFound("There is no such run.")
        return run

    async def find(self, wanted: RunFilter, principal: Principal) -> list[Run]:
        """Newest first."""
        return self._fresh(await self._database.read(lambda c: ledger.list_runs(c, wanted, principal)))

    async def of_session(self, session_id: str) -> list[Run]:
        """A session's runs, oldest first."""
        return self._fresh(await self._database.read(lambda c: ledger.runs_of_session(c, session_id)))

    async def delete(self, run: Run) -> None:
        await self._database.write(lambda c: ledger.delete_run(c, run.id))

    async def note_settled(self, run: Run) -> None:
        await self._database.write(lambda c: ledger.note_settled(c, run.id))

    def _fresh(self, runs: list[Run]) -> list[Run]:
        """Memory knows a little more than the record: the place in line."""
        return [self.live[run.id].run if run.id in self.live else run for run in runs]

    def queued(self) -> list[Run]:
        """Runs that wait for a place."""
        return [live.run for live in self.live.values() if live.recorded and not live.claimed]

    def working(self) -> list[Run]:
        """Runs that hold a place."""
        return [live.run for live in self.live.values() if live.claimed]

    def place_in_line(self, places: dict[str, int]) -> None:
        """Tell the waiting runs their places. Derived, so it is told and never stored."""
        for run_id, place in places.items():
            live = self.live.get(run_id)
            if live is not None and live.run.state == "queued" and live.run.position != place:
                live.run = msgspec.structs.replace(live.run, position=place)
                self._publish(RunUpdated(run=live.run))

    def _publish(self, event: RunChanged) -> None:
        self._bus.publish(event, Scope(owner=event.run.owner, visibility=event.run.visibility))


def _event(before: Run, run: Run) -> RunChanged:
    if is_final(run):
        return RunFinished(run=run)
    if run.state == "waiting":
        return RunWaiting(run=run)
    if run.state == "running":
        return RunResumed(run=run) if before.state == "waiting" else RunStarted(run=run)
    return RunUpdated(run=run)
