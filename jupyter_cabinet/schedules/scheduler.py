"""Fires schedules that are due, with one timer for all. Each tick is claimed in the transaction of its handler.

What a tick does is defined by the handlers that `register` adds. `rules.py` computes when a schedule is due, `store.py`
stores ticks. The database is authoritative, not memory, because another server may have fired meanwhile. Built by
`backend.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock, Timer
from ..core.errors import AlreadyFired, LeaseLost
from ..core.events import Scope
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import rules, store
from .due import Due, Fire
from .hours import ActiveHours
from .model import Tick, TickSkipped
from .rules import Schedule

log = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 60.0  # longest time between checks: the clock may have been set, or the lease regained
FIRE_AGAIN_SECONDS = (5.0, 300.0)  # wait after the first failure, doubled with each further one; longest wait
KEPT_DAYS = 35
PRUNE_EVERY = timedelta(days=1)
MOST_TICKS = 500
LONGEST_KEY = 200  # the column's length


@dataclass(slots=True, eq=False)
class _Watched:
    key: str
    schedule: Schedule
    hours: ActiveHours | None
    definition: str  # JSON of both
    passed: datetime  # ticks up to this time do not fire; before it is stored: when it was added
    on_record: bool = False
    next_due: datetime | None = None
    failures: int = 0
    again_at: float = 0.0  # on the monotonic clock: not fired before this
    firing: asyncio.Task[None] | None = None

    def pass_over(self, until: datetime) -> None:
        self.passed = until
        self.next_due = rules.next_due(self.schedule, until, anchor=until, hours=self.hours)


class Scheduler:
    """All schedules of this server. Nothing fires before `start`, or while `may_act` returns False."""

    def __init__(self, *, database: Database, commits: Commits, clock: Clock, may_act: Callable[[], bool]) -> None:
        """`commits`: refuses to write if another server has taken over this one's lease.

        `may_act`: whether the lease is valid according to this server's own clock. It is called on the event loop and
        on the database's thread.
        """
        self._database = database
        self._commits = commits
        self._clock = clock
        self._may_act = may_act
        self._ports: dict[str, Fire] = {}
        self._watched: dict[str, _Watched] = {}
        self._forgotten: set[str] = set()
        self._wake = asyncio.Event()
        self._timer: Timer | None = None
        self._worker: asyncio.Task[None] | None = None
        self._newest = clock.now()
        self._pruned: datetime | None = None
        self._waiting: list[asyncio.Future[None]] = []  # callers of `followed` that wait for the next check

    # --- what callers ask ------------------------------------------------------------------

    def register(self, prefix: str, fire: Fire) -> None:
        """Call `fire` for the keys that begin with `prefix`, except where a longer registered prefix fits.

        It must claim or skip. If it raises, it is called again later, with the newest tick at that time: after 5
        seconds, then after twice as long each time, up to 300 seconds. After `AlreadyFired` it is not called again for
        this tick.
        """
        self._ports[prefix] = fire

    def watch(self, key: str, schedule: Schedule, active_hours: ActiveHours | None = None) -> None:
        """Fire this schedule from now on. Nothing is stored yet: the next check of the scheduler does that.

        `key`: at most 200 characters; raises `ValueError` for a longer one. If it is stored with the same definition,
        it continues from its last tick, also after a restart. Otherwise it begins now, instead of an earlier
        definition. If it is watched already with this definition, nothing happens.
        """
        if len(key) > LONGEST_KEY:
            raise ValueError(f"The key of a schedule has at most {LONGEST_KEY} characters.")
        definition = msgspec.json.encode((schedule, active_hours)).decode()
        known = self._watched.get(key)
        if known is not None and known.definition == definition:
            return
        self._watched[key] = _Watched(key, schedule, active_hours, definition, self._clock.now())
        self._wake.set()

    def forget(self, key: str) -> None:
        """Stop firing this schedule. If it is watched again, it starts over. An unknown key has no effect.

        It is removed from the database by the next check. A handler that is running is not cancelled.
        """
        self._watched.pop(key, None)
        self._forgotten.add(key)
        self._wake.set()

    def next_due(self, key: str) -> datetime | None:
        """Return when it fires next, in UTC; None if it never does, is not watched or is not stored yet."""
        watched = self._watched.get(key)
        return watched.next_due if watched is not None and watched.on_record else None

    def is_anything_coming(self) -> bool:
        """Return whether any stored schedule will fire. See `followed` for those that are not stored yet."""
        return any(watched.next_due is not None for watched in self._watched.values())

    def upcoming(self, key: str, count: int = 5) -> list[datetime]:
        """Return the next times at which it fires, in UTC, counted from its last tick; empty if it is not watched.

        At most `count`; fewer if there are no more. A tick that is due but has not fired yet is not included.
        """
        watched = self._watched.get(key)
        if watched is None:
            return []
        now, anchor = self._clock.now(), watched.passed
        return rules.upcoming(watched.schedule, now, count, anchor=anchor, hours=watched.hours)

    async def skip(self, due: Due, reason: str) -> None:
        """Store that nothing was started for this tick, and publish the reason. Raises what `Due.claim` raises."""
        event = TickSkipped(key=due.key, due=due.at, reason=reason)
        await self._commits.commit(
            lambda c: due.claim(c, skipped=reason), lambda _: [ScopedEvent(event, Scope(owner="", visibility="server"))]
        )

    async def ticks_of(self, key: str, limit: int = 50) -> list[Tick]:
        """Return the outcomes of its latest ticks, newest first; of the last 35 days. `limit`: from 1 to 500."""
        return await self._database.read(lambda c: store.ticks_of(c, key, max(1, min(limit, MOST_TICKS))))

    def look_again(self) -> None:
        """Check soon what is due, because this server may act again or the clock was set."""
        self._wake.set()

    async def followed(self) -> None:
        """Wait until all watched schedules are stored, or could not be stored. After that, `next_due` knows them.

        It returns at once if the scheduler does not run. It does not raise if they could not be stored.
        """
        is_new = any(not each.on_record for each in self._watched.values())
        if is_new and self._worker is not None and not self._worker.done():
            looked = asyncio.get_running_loop().create_future()
            self._waiting.append(looked)
            self._wake.set()
            await looked

    async def start(self) -> None:
        """Start to fire, in a task of the running event loop.

        What was due before this server started fires once, as one tick.
        """
        self._worker = asyncio.create_task(self._work())
        self._wake.set()

    async def stop(self) -> None:
        """Stop firing, and store schedules that are not stored yet, if this server may still act.

        A handler that is running is cancelled: either it has claimed its tick, or the next start fires it. Callers of
        `followed` return. Raises as a commit does, such as `LeaseLost` or `NoRoom`.
        """
        tasks = [watched.firing for watched in self._watched.values() if watched.firing is not None]
        tasks += [self._worker] if self._worker is not None else []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for looked in self._waiting:
            looked.set_result(None)
        self._disarm()
        if self._may_act():
            await self._put_on_record()

    # --- one look --------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            waiting, self._waiting = self._waiting, []
            try:
                await self._look()
            except Exception as error:
                log.error("Could not check the schedules. Trying again: %s", error, exc_info=error)
                self._arm(self._clock.monotonic() + FIRE_AGAIN_SECONDS[0])
            finally:
                for looked in waiting:
                    if not looked.done():
                        looked.set_result(None)

    async def _look(self) -> None:
        self._notice_a_clock_set_back()
        if self._may_act():
            await self._put_on_record()
            await self._fire_due()
            await self._prune()
        self._arm(self._next_look())

    def _notice_a_clock_set_back(self) -> None:
        """Restart all schedules if the clock was set back by more than a day.

        Otherwise, after a clock that was days ahead, nothing would fire until those days have passed.
        """
        now = self._clock.now()
        if now < self._newest - store.FAR_AHEAD:
            for watched in self._watched.values():
                if watched.on_record:
                    watched.pass_over(now)
        self._newest = now

    async def _put_on_record(self) -> None:
        new = [watched for watched in self._watched.values() if not watched.on_record]
        if not new and not self._forgotten:
            return
        wanted = [store.NewSchedule(watched.key, watched.definition, watched.passed) for watched in new]
        forgotten = frozenset(self._forgotten)

        def change(connection: Connection) -> dict[str, store.StoredSchedule]:
            for key in forgotten:  # first, because one of them may be watched again and must start over
                store.forget(connection, key)
            return store.begin(connection, wanted)

        standings = await self._commits.commit(change)
        self._forgotten -= forgotten
        for watched in new:
            watched.on_record = True
            watched.pass_over(self._since(watched, standings[watched.key]))

    async def _fire_due(self) -> None:
        now, monotonic = self._clock.now(), self._clock.monotonic()
        ripe = [
            watched
            for watched in self._watched.values()
            if watched.firing is None
            and watched.next_due is not None
            and watched.next_due <= now
            and watched.again_at <= monotonic
        ]
        if not ripe:
            return
        standings = await self._database.read(partial(store.load, keys=[watched.key for watched in ripe]))
        for watched in ripe:
            if self._watched.get(watched.key) is watched:
                self._fire(watched, standings.get(watched.key), now)

    def _fire(self, watched: _Watched, standing: store.StoredSchedule | None, now: datetime) -> None:
        if standing is None or standing.schedule != watched.definition:
            watched.pass_over(now)  # another server has removed or changed it, and this one does not know yet
            return
        since = self._since(watched, standing)
        at = rules.latest_due(watched.schedule, since, now, hours=watched.hours)
        if at is None:
            watched.pass_over(since)
            return
        missed = rules.count_due(watched.schedule, since, at, hours=watched.hours)
        due = Due(key=watched.key, at=at, missed=missed, record=partial(self._record, watched.definition))
        watched.firing = asyncio.create_task(self._carry_out(watched, due))

    def _since(self, watched: _Watched, standing: store.StoredSchedule) -> datetime:
        ahead = standing.last_due > self._clock.now() + store.FAR_AHEAD
        return watched.passed if ahead else standing.last_due

    def _record(self, definition: str, connection: Connection, tick: Tick) -> None:
        if not self._may_act():
            raise LeaseLost
        if not store.claim(connection, tick, definition, self._clock.now()):
            raise AlreadyFired

    # --- one tick --------------------------------------------------------------------------

    async def _carry_out(self, watched: _Watched, due: Due) -> None:
        try:
            await self._port(due.key)(due)
            if not due.claimed:
                raise RuntimeError("Whoever fires must claim or skip the tick.")
        except LeaseLost:
            watched.again_at = self._clock.monotonic() + LOOK_AGAIN_SECONDS
        except AlreadyFired:
            self._done(watched, due)
        except Exception as error:
            self._failed(watched, due, error)
        else:
            self._done(watched, due)
        watched.firing = None
        self._wake.set()

    def _port(self, key: str) -> Fire:
        fitting = [prefix for prefix in self._ports if key.startswith(prefix)]
        if not fitting:
            raise LookupError("Nothing is registered that fires this.")
        return self._ports[max(fitting, key=len)]

    def _done(self, watched: _Watched, due: Due) -> None:
        watched.failures, watched.again_at = 0, 0.0
        watched.pass_over(due.at)

    def _failed(self, watched: _Watched, due: Due, error: Exception) -> None:
        first, most = FIRE_AGAIN_SECONDS
        wait = min(most, first * 2 ** min(watched.failures, 10))
        watched.failures += 1
        watched.again_at = self._clock.monotonic() + wait
        log.error("%s was due at %s and could not start; again in %g s", due.key, due.at, wait, exc_info=error)

    # --- the timer -------------------------------------------------------------------------

    def _next_look(self) -> float | None:
        """Return the time of the next check, on the monotonic clock; None while nothing is watched."""
        if not self._watched and not self._forgotten:
            return None
        now, monotonic = self._clock.now(), self._clock.monotonic()
        latest = monotonic + LOOK_AGAIN_SECONDS
        if not self._may_act():
            return latest
        waiting = (each for each in self._watched.values() if each.firing is None and each.next_due is not None)
        return min([latest, *(_due_at(each, now, monotonic) for each in waiting)])

    def _arm(self, when: float | None) -> None:
        self._disarm()
        if when is not None:
            self._timer = self._clock.call_at(when, self._wake.set)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _prune(self) -> None:
        now = self._clock.now()
        if self._pruned is None or now - self._pruned >= PRUNE_EVERY:
            await self._commits.commit(lambda c: store.prune(c, now - timedelta(days=KEPT_DAYS)))
            self._pruned = now


def _due_at(watched: _Watched, now: datetime, monotonic: float) -> float:
    assert watched.next_due is not None
    return max(monotonic + (watched.next_due - now).total_seconds(), watched.again_at)
