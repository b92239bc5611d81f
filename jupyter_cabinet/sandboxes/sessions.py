"""Ending a session that has no launcher: a person's shell and everything that was started in it.

Found in the process table: what is in the session, and what descends from it. A daemon (own session, parent
gone before the first look) belongs to it no more and is left alone, as a `tmux` server wants it.
"""

from __future__ import annotations

import asyncio
import signal

from .launcher import send
from .processes import Process, below, table

LOOK_AGAIN_SECONDS = 0.02
# (signal, seconds until the next step); KILL follows. A shell hands HUP on to its jobs; CONT wakes stopped ones.
STEPS = ((signal.SIGHUP, 0.5), (signal.SIGTERM, 1.0))
GIVE_UP_SECONDS = 3.0  # a process in uninterruptible sleep cannot be ended

Name = tuple[int, str]  # pid and start: a later process with the same number has another one


class Session:
    """The processes of one session, its leader among them; a later look knows what an earlier one has seen."""

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._known: set[Name] = set()
        self._ending = asyncio.Lock()

    async def members(self) -> set[int]:
        """Those that live now. Walks the table in a thread."""
        return await asyncio.to_thread(self._look)

    async def end(self) -> bool:
        """HUP, TERM, then KILL until nothing is left; False for what cannot be ended."""
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
            _send_all(members, signal.SIGSTOP)  # what is stopped cannot fork away from the KILL
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

    def _look(self) -> set[int]:
        rows = table()
        found = {row.pid for row in rows.values() if row.session == self._leader}
        roots = {self._leader, *found, *(pid for pid, started in self._known if _is(rows, pid, started))}
        for pid in list(roots):
            found |= below(pid, rows)
        found = {pid for pid in found | roots if pid in rows and rows[pid].alive}
        self._known = self._known | {(pid, rows[pid].started) for pid in found}
        return found


def _is(rows: dict[int, Process], pid: int, started: str) -> bool:
    return pid in rows and rows[pid].started == started


def _send_all(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        send(pid, number)
