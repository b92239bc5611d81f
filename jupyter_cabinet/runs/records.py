"""The only writer of run records. It stores each change of a run and publishes its event.

The state in memory changes at once; the record follows in the order of the changes. `service.py` checks who may change
a run; this module checks who may see it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.errors import Busy, NotFound, Unavailable
from ..core.events import EventBus, Scope
from ..core.people import Principal, may_see
from ..core.redaction import Redactor
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from ..storage.outbox import Effect
from . import store
from .dispatch.live import LiveRun
from .manual import wanted_terminal
from .model import NewRun, Run, RunChanged, RunDeleted, RunFilter, RunQueued, RunUpdated, revised
from .rules import lifecycle
from .rules.budgets import Since, Spent
from .rules.lifecycle import Life, RunTransition, is_final

log = logging.getLogger(__name__)

RECORD_AGAIN_SECONDS = 2.0

# Writes additional records in the transaction of a run's change.
Also = Callable[[Connection], None]
AlsoOf = Callable[[Connection, Run], None]  # receives the run as it is stored


def nothing(connection: Connection) -> None:
    """Write no additional records."""


def told(event: RunChanged) -> ScopedEvent:
    """Return the event with its audience: everyone who may see the run."""
    return ScopedEvent(event, Scope(owner=event.run.owner, visibility=event.run.visibility))


class RunRecords:
    """The runs that are not final, by id, and all their changes. `holder`: the id of this server's lease.

    Methods that read raise `Unavailable` if the database does not answer. Those that store also raise `NoRoom` when the
    disk is full and `LeaseLost` if another server has taken over from this one. Only methods with a `principal` check
    who may see a run.
    """

    def __init__(
        self, *, database: Database, commits: Commits, bus: EventBus, clock: Clock, holder: str, redactor: Redactor
    ) -> None:
        self.live: dict[str, LiveRun] = {}
        self._holder = holder
        self._database = database
        self._commits = commits
        self._bus = bus
        self._clock = clock
        self._redactor = redactor
        self._tasks: set[asyncio.Task[Any]] = set()

    # --- changes ---------------------------------------------------------------------------

    def hold(self, run: Run, new: NewRun, *, on_record: bool = False, by_administrator: bool = False) -> LiveRun:
        """Keep a run in memory. `on_record`: an earlier server has stored it; otherwise `create` must store it.
        `by_administrator`: the person who requested it administers this server.

        Stores nothing.
        """
        life = lifecycle.of_record(run) if on_record else Life()
        live = self.live[run.id] = LiveRun(run, new, life, self._clock, by_administrator=by_administrator)
        return live

    async def create(self, live: LiveRun, also: Also = nothing) -> None:
        """Store a new run that `hold` keeps, with `also` in the same transaction, and announce it (`RunQueued`).

        If that fails, the run is removed from memory and the error is raised. The caller must not be cancelled
        meanwhile, because the run might be stored nevertheless.
        """

        def change(connection: Connection) -> Run:
            run = store.insert_run(connection, live.run, live.new, self._holder)
            also(connection)
            return run

        async with live.lock:
            try:
                live.run = await self._commits.commit(change, lambda run: [told(RunQueued(run=run))])
            except BaseException:
                self.live.pop(live.run.id, None)
                live.let_go()
                raise
            live.follow(lifecycle.recorded(live.life).life)

    async def put(self, live: LiveRun, step: RunTransition, also: Also = nothing, **changes: Any) -> Run:
        """Apply a transition and store it with other changes of the run.

        Return the run as stored, and publish its event. `also` writes in the same transaction. If that or the storing
        fails, the error is raised and the record is unchanged, but the state in memory has the transition. If the run
        is final or another server has taken it over, nothing is stored and `also` is not called; returns the known
        record then.
        """
        self._take(live, step)
        return await self._record(live, step.life, lambda c, run: also(c), changes)

    async def start(self, live: LiveRun) -> bool:
        """Store that the run is being started, and return True.

        If another server is working on a run of the same session or agent, return the run to the queue and return
        False; a run that is being stopped is not returned, and the result is True. Nothing is stored for it, nor for a
        run that is over or was taken over.
        """
        run = live.run

        def alone(connection: Connection) -> None:
            if store.works_elsewhere(connection, run, self._holder):
                raise Busy

        try:
            await self.put(live, lifecycle.starting(live.life), alone)
        except Busy:
            if not live.life.stopping:
                live.follow(lifecycle.put_back(live.life).life)
                return False
        return True

    async def database_back(self) -> None:
        """Wait without a limit while the database does not answer.

        A request should not wait for that: it would only seem slow.
        """
        while True:
            try:
                return await self._database.answer()
            except Unavailable:
                await self._clock.sleep(RECORD_AGAIN_SECONDS)

    def put_later(self, live: LiveRun, step: RunTransition) -> None:
        """Apply a transition now. Its record is stored later, after those of earlier transitions.

        Errors are only logged.
        """
        if step.life != live.life:
            self._take(live, step)
            self.later(self._record(live, step.life, lambda c, run: None, {}))

    def _take(self, live: LiveRun, step: RunTransition) -> None:
        live.follow(step.life)
        if step.stop and live.execution is not None:
            self.later(live.execution.stop())

    async def end(
        self,
        live: LiveRun,
        step: RunTransition,
        also: AlsoOf,
        effects: Callable[[Run], Iterable[Effect]],
        **changes: Any,
    ) -> None:
        """Store a final state or the next attempt, with `also` and `effects` in one transaction. Publish the event.

        Retries without a limit until that succeeds, for example while the disk is full. Without effect if the run is
        already final or another server has taken it over. A final run leaves memory.
        """
        live.follow(step.life)
        while not (is_final(live.run) or live.life.lost):
            try:
                await self._record(live, step.life, also, changes, effects)
                return
            except Exception as error:
                log.error("The end of run %s cannot be recorded, it is tried again: %s", live.run.id, error)
                await self._clock.sleep(RECORD_AGAIN_SECONDS)

    def _redacted(self, life: Life) -> Life:
        """Redact the texts that people read, because they may quote the output of the CLI."""
        failure = life.failure
        if failure is not None:
            failure = msgspec.structs.replace(failure, message=self._redactor.redact(failure.message))
        return msgspec.structs.replace(life, reason=self._redactor.redact(life.reason), failure=failure)

    async def _record(
        self,
        live: LiveRun,
        life: Life,
        also: AlsoOf,
        changes: dict[str, Any],
        effects: Callable[[Run], Iterable[Effect]] = lambda run: (),
    ) -> Run:
        async with live.lock:
            before = live.run
            if is_final(before) or live.life.lost:
                return before
            life = self._redacted(life)
            worked = live.worked_seconds
            run = lifecycle.on_record(before, life, now=self._clock.now(), worked_seconds=worked)
            run = msgspec.structs.replace(run, **changes)
            warnings = tuple(map(self._redactor.redact, run.warnings))
            run = revised(before, msgspec.structs.replace(run, warnings=warnings))

            def change(connection: Connection) -> Run | None:
                if not store.save_run(connection, run, self._holder):
                    return None
                also(connection, run)
                return run

            saved = await self._commits.commit(
                change,
                lambda saved: [told(lifecycle.event_of(before, saved))] if saved and saved != before else [],
                lambda saved: effects(saved) if saved else (),
            )
            if saved is None:
                return await self._lose(live)
            live.run = run
            log.debug("Run %s of %s: %s", run.id, run.runtime, run.state)
            if is_final(run):
                self._let_go(live)
            return run

    async def _lose(self, live: LiveRun) -> Run:
        """Give up a run that another server has taken over because it considered this one dead. Return that server's
        record.
        """
        log.warning("Run %s was taken over by another server", live.run.id)
        self._take(live, lifecycle.lost(live.life))
        theirs = await self._database.read(lambda c: store.load_run(c, live.run.id))
        live.run = theirs or live.run
        self._let_go(live)
        return live.run

    def _let_go(self, live: LiveRun) -> None:
        self.live.pop(live.run.id, None)
        live.let_go()

    def later(self, work: Any) -> None:
        """Await the work in a background task. `settled` waits for it. An error is only logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A change of a run could not be put on record: %s", error)

    async def keep_reserve(self) -> None:
        """Reserve some disk space for final states: see `storage/reserve.py`."""
        await self._database.keep_reserve()

    async def settled(self) -> None:
        """Wait until all background tasks are done."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def delete(self, run: Run, also: Also) -> None:
        """Delete the record of a run, and what `also` deletes, in one transaction. Announces it (`RunDeleted`).

        The caller makes sure that the run has ended, and deletes its files.
        """

        def change(connection: Connection) -> None:
            store.delete_run(connection, run.id)
            also(connection)

        deleted = RunDeleted(run_id=run.id, session_id=run.session_id)
        audience = Scope(owner=run.owner, visibility=run.visibility)
        await self._commits.commit(change, lambda _: [ScopedEvent(deleted, audience)])

    def place_in_line(self, places: dict[str, int]) -> None:
        """Announce the queue positions that have changed, by id of the run.

        They are computed, so they are never stored.
        """
        for run_id, place in places.items():
            live = self.live.get(run_id)
            if live is not None and live.run.state == "queued" and live.run.position != place:
                live.run = msgspec.structs.replace(live.run, position=place)
                self._bus.publish(*told(RunUpdated(run=live.run)))

    # --- reading ---------------------------------------------------------------------------

    async def get(self, run_id: str, principal: Principal) -> Run:
        """Return the run in its current state. Raises `NotFound`, also if the caller may not see it."""
        live = self.live.get(run_id)
        run = live.run if live else await self._database.read(lambda c: store.load_run(c, run_id))
        if run is None or not may_see(principal, run.owner, run.visibility):
            raise NotFound("There is no such run.")
        return run

    async def session_pairs(self, principal: Principal) -> set[tuple[str, str]]:
        """Return runtime and session of every run that the caller may see."""
        return await self._database.read(lambda c: store.session_pairs(c, principal))

    async def find(self, wanted: RunFilter, principal: Principal, also: store.AlsoIs | None = None) -> list[Run]:
        """Return the matching runs that the caller may see, newest first: at most `wanted.limit`, and never over 200.

        `also`: a further condition, in SQL. Damaged records are left out.
        """
        return self._fresh(await self._database.read(lambda c: store.list_runs(c, wanted, principal, also)))

    async def of_session(self, session_id: str) -> list[Run]:
        """Return the last 200 runs of a session, oldest first. The caller checks who may see them."""
        return self._fresh(await self._database.read(lambda c: store.runs_of_session(c, session_id)))

    async def after(self, session_id: str, number: int) -> list[Run]:
        """Return the next runs of a session after this number: see `store.runs_after`."""
        return self._fresh(await self._database.read(lambda c: store.runs_after(c, session_id, number)))

    async def spent(self, agent: str, since: Since, *, before: int | None) -> Spent:
        """Return what an agent's runs have used: see `store.spent`."""
        return await self._database.read(lambda c: store.spent(c, agent, since, before=before))

    async def spent_by_agent(self, since: Since) -> dict[str, Spent]:
        """Return what the runs of all agents have used: see `store.spent_by_agent`."""
        return await self._database.read(lambda c: store.spent_by_agent(c, since))

    async def first_runs(self, session_ids: Collection[str], principal: Principal) -> list[Run]:
        """Return the oldest run of each session, as it is stored, among those that the caller may see.

        They are in no fixed order. A session without such a run is left out.
        """
        return await self._database.read(lambda c: store.first_runs(c, session_ids, principal))

    async def latest(self, session_ids: Collection[str]) -> dict[str, store.Latest]:
        """Return the newest run of each session and the number of its runs, by session id, whoever may see them.

        Sessions without a run are left out.
        """
        found = await self._database.read(lambda c: store.latest_runs(c, session_ids))
        return {id: msgspec.structs.replace(one, run=self._fresh([one.run])[0]) for id, one in found.items()}

    async def latest_of_agents(self, agents: Collection[str]) -> dict[str, Run]:
        """Return the newest run of each agent, by slug, whoever may see it. Agents without a run are left out."""
        found = await self._database.read(lambda c: store.latest_of_agents(c, agents))
        return {agent: self._fresh([run])[0] for agent, run in found.items()}

    async def sessions_with(self, text: str, principal: Principal) -> list[str]:
        """Return the ids of sessions in which a text occurs: see `store.sessions_with`."""
        return await self._database.read(lambda c: store.sessions_with(c, text, principal))

    async def unfinished_of_agents(self) -> list[Run]:
        """Return the unfinished runs of all agents in every server. Those at work come first, else the oldest."""
        return self._fresh(await self._database.read(store.unfinished_of_agents))

    async def unfinished_among(self, run_ids: Collection[str]) -> set[str]:
        """Return the ids of the stored runs that have not ended, in this server or another.

        Unknown ids are left out.
        """
        return await self._database.read(lambda c: store.unfinished_among(c, run_ids))

    async def known_among(self, run_ids: Collection[str]) -> set[str]:
        """Return the ids for which a run is stored."""
        return await self._database.read(lambda c: store.known_among(c, run_ids))

    def queued(self) -> list[Run]:
        """Return the runs of this server that wait for a slot or for the time of their next attempt."""
        return [live.run for live in self.live.values() if live.life.recorded and not live.life.claimed]

    def working(self) -> list[Run]:
        """Return the runs of this server that occupy a slot, also those that are being started or ended."""
        return [live.run for live in self.live.values() if live.life.claimed]

    def is_at_work(self, patience_seconds: float, *, queue_goes_on: bool) -> bool:
        """Return whether an agent of this server is working, or is about to.

        A run that has waited for a person for `patience_seconds` no longer counts. Queued runs count if
        `queue_goes_on`, but only while no run holds a slot.
        """
        working = [live for live in self.live.values() if live.life.claimed]
        if working:
            return any(live.waits_for_seconds < patience_seconds for live in working)
        return queue_goes_on and bool(self.queued())

    def started_by(self, run: Run) -> list[LiveRun]:
        """Return the unfinished runs that the agent of a run has started, and those that these have started.

        Only runs of this server that have the same owner.
        """
        return [
            live
            for live in self.live.values()
            if run.id in live.run.trigger.ancestors and live.run.owner == run.owner and not live.life.over
        ]

    def in_terminal(self, terminal_id: str) -> LiveRun | None:
        """Return the run of this server that works in a terminal or is queued to start there; None if there is none."""
        lives = self.live.values()
        return next((live for live in lives if terminal_id in (live.run.terminal_id, wanted_terminal(live.new))), None)

    def _fresh(self, runs: list[Run]) -> list[Run]:
        """Replace each stored run by the one in memory, which also knows its queue position."""
        return [self.live[run.id].run if run.id in self.live else run for run in runs]
