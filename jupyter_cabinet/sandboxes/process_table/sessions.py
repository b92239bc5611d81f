"""Ends a session that has no launcher: a person's shell and everything that was started in it.

Found in the process table: the processes in the session, and their descendants. A daemon (its own session, its parent
gone before the first check) no longer belongs to it and is not touched, as a `tmux` server needs it.
"""

from __future__ import annotations

import asyncio
import signal
from weakref import WeakKeyDictionary

from ..launcher import send
from .processes import Process, table

LOOK_AGAIN_SECONDS = 0.02
# (signal, seconds until the next step); KILL follows. A shell passes HUP on to its jobs; CONT wakes stopped ones.
STEPS = ((signal.SIGHUP, 0.5), (signal.SIGTERM, 1.0))
GIVE_UP_SECONDS = 3.0  # a process in uninterruptible sleep cannot be ended

Name = tuple[int, str]  # pid and start: a later process with the same number has another one


class TableSnapshot:
    """The process table, by parents and by sessions."""

    def __init__(self, rows: dict[int, Process]) -> None:
        self.rows = rows
        self._children: dict[int, list[int]] = {}
        self._sessions: dict[int, list[int]] = {}
        for row in rows.values():
            self._children.setdefault(row.parent, []).append(row.pid)
            self._sessions.setdefault(row.session, []).append(row.pid)

    def members(self, leader: int, known: set[Name]) -> set[int]:
        """Return the living processes in the session of `leader` or below it, or below one of those `known`."""
        found: set[int] = set()
        layer = {leader, *self._sessions.get(leader, ()), *(pid for pid, started in known if self._is(pid, started))}
        while layer:
            found |= layer
            layer = {child for pid in layer for child in self._children.get(pid, ())} - found
        return {pid for pid in found if pid in self.rows and self.rows[pid].alive}

    def _is(self, pid: int, started: str) -> bool:
        return pid in self.rows and self.rows[pid].started == started


class TableReader:
    """Reads the table in a thread. Simultaneous callers share one reading: many shells may end at the same time."""

    def __init__(self) -> None:
        self._running: asyncio.Task[TableSnapshot] | None = None
        self._next: asyncio.Task[TableSnapshot] | None = None

    async def read(self) -> TableSnapshot:
        """Return the process table as it is after this call."""
        if self._next is None:
            self._next = asyncio.create_task(self._walk(self._running))
        return await asyncio.shield(self._next)

    async def _walk(self, before: asyncio.Task[TableSnapshot] | None) -> TableSnapshot:
        if before is not None:
            await asyncio.wait([before])
        self._running, self._next = self._next, None
        return await asyncio.to_thread(lambda: TableSnapshot(table()))


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, TableReader] = WeakKeyDictionary()


class Session:
    """The processes of one session, including its leader; a later check knows those of an earlier one."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known: set[Name] = set()
        self._ending = asyncio.Lock()

    async def members(self) -> set[int]:
        """Return the pids of the processes that live now.

        They are also remembered, so that their later children are found.
        """
        reader = _readers.setdefault(asyncio.get_running_loop(), TableReader())
        snapshot = await reader.read()
        found = snapshot.members(self._leader, self._known)
        self._known = self._known | {(pid, snapshot.rows[pid].started) for pid in found}
        return found

    async def end(self) -> bool:
        """Send HUP, TERM, then KILL until nothing is left; return False if some cannot be ended in a few seconds."""
        async with self._ending:
            return await self._end()

    async def _end(self) -> bool:
        for number, seconds in STEPS:
            if await self._gone_after(number, seconds):
                return True
        until = asyncio.get_running_loop().time() + GIVE_UP_SECONDS
        while members := await self.members():
            if asyncio.get_running_loop().time() > until:
                return False
            _send_all(members, signal.SIGSTOP)  # a stopped process cannot escape the KILL by forking
            _send_all(members, signal.SIGKILL)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        return True

    async def _gone_after(self, number: signal.Signals, seconds: float) -> bool:
        until = asyncio.get_running_loop().time() + seconds
        members = await self.members()
        _send_all(members, number)
        _send_all(members, signal.SIGCONT)
        while members and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            members = await self.members()
        return not members


def _send_all(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        send(pid, number)
