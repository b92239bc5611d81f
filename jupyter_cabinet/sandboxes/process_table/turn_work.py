"""Finds and ends the processes that a program under a launcher has started for one turn.

Called by `local_pty.py`. The program continues, with its own helpers: the processes from before the turn, and a tool
server that it has started since. The facts below distinguish them. Read from /proc; on systems without it nothing is
found (documented as weaker).

Facts (Claude Code 2.1.329, Codex 0.169.0, Gemini CLI 0.61.0, opencode 1.18.33, pi 0.87.1): a command of the agent reads
from /dev/null or from its own terminal, and is a child of the CLI or, when its shell has ended, of the launcher. A tool
server, a language server and a hook are children of the CLI, which talks to them over a pipe or a socket.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time

from ..launcher import send
from .processes import PROC, Process, below, table

LOOK_AGAIN_SECONDS = 0.05
QUIET_LOOKS = 2  # a child that was born during the first pass is found by the second
# (seconds until the next step, the signals for each process). Processes that the program itself ends, or needs only for
# a moment, get time first. A stopped process cannot escape the KILL by forking. Some remain, such as a process in
# uninterruptible sleep or of another user, and cannot be ended.
STEPS: tuple[tuple[float, tuple[signal.Signals, ...]], ...] = (
    (0.3, ()),
    (1.0, (signal.SIGTERM, signal.SIGCONT)),
    (3.0, (signal.SIGSTOP, signal.SIGKILL)),
)


class TurnWork:
    """`launcher`: the pid of the program's launcher. `terminal`: the path of its PTY; empty: it can be looked up."""

    def __init__(self, launcher: int, terminal: str = "") -> None:
        self._launcher = launcher
        self._terminal = terminal
        self._since: int | None = None  # in clock ticks since boot, as the process table counts; None: no turn yet

    def begin(self) -> None:
        """Begin a turn. Processes that start from now on belong to it."""
        if PROC.is_dir():
            self._since = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))

    async def end(self) -> bool:
        """End the processes that were started since `begin`; return False if some cannot be ended.

        They get 0.3 s to end by themselves, then TERM, and KILL 1 s later. The program and the helpers that it talks to
        over their stdin continue. Before `begin`, and on systems without /proc, nothing is found and the result is
        True.
        """
        for seconds, signals in STEPS:
            if await self._is_over_after(seconds, signals):
                return True
        return False

    async def _is_over_after(self, seconds: float, signals: tuple[signal.Signals, ...]) -> bool:
        until = asyncio.get_running_loop().time() + seconds
        quiet_looks, sent = 0, set[int]()
        while quiet_looks < QUIET_LOOKS:
            found = await asyncio.to_thread(self._processes)
            if found and asyncio.get_running_loop().time() > until:
                return False
            for number in signals:
                for pid in found - sent:
                    send(pid, number)
            sent |= found
            quiet_looks = 0 if found else quiet_looks + 1
            await asyncio.sleep(LOOK_AGAIN_SECONDS if found else 0)
        return True

    def _processes(self) -> set[int]:
        """Return the living ones. Blocks."""
        rows = table()
        terminal, members = self._terminal or _stdin(self._launcher), below(self._launcher, rows)
        new = {pid for pid in members if self._is_new(rows[pid])}
        own = {pid for pid in members - new if _stdin(pid) == terminal}
        helpers = {pid for pid in new if rows[pid].parent in own and _stdin(pid).startswith(("pipe:", "socket:"))}
        spared = helpers.union(*(below(pid, rows) for pid in helpers))
        return {pid for pid in new - spared if rows[pid].alive}

    def _is_new(self, row: Process) -> bool:
        return self._since is not None and int(row.started) >= self._since


def _stdin(pid: int) -> str:
    """Return the file that it reads from; empty if that is not known."""
    try:
        return str((PROC / str(pid) / "fd" / "0").readlink())
    except OSError:
        return ""
