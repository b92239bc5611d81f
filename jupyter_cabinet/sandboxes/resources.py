"""What the processes of a run use of this machine: how many they are, and their memory. Read from /proc.

Control groups would be exact and immediate, but a server can create them only where somebody has delegated one. So
`runs/` reads this once a second, and ends a run that exceeds a limit. On systems without /proc nothing is found.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable
from pathlib import Path

import msgspec

from .launcher import send
from .processes import LOOK_AGAIN_SECONDS, PROC, Process, below, table

KILL_SECONDS = 3.0
LOAD = PROC / "loadavg"
CONTROL_GROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class ResourceUse(msgspec.Struct, frozen=True, kw_only=True):
    """Of all processes below a launcher. `threads` counts each process at least once."""

    threads: int
    memory_bytes: int


def use_below(pids: Iterable[int], *, memory_limit: int) -> dict[int, ResourceUse]:
    """Return what the descendants of each of these processes use.

    Memory that processes share is counted for each of them, because that is quick. Only above `memory_limit` it is
    counted exactly. Blocks.
    """
    rows = table()
    return {pid: _use(below(pid, rows), rows, memory_limit) for pid in pids}


def _use(family: set[int], rows: dict[int, Process], memory_limit: int) -> ResourceUse:
    memory = sum(map(_resident, family))
    if memory > memory_limit:
        memory = sum(map(_proportional, family))
    return ResourceUse(threads=sum(rows[pid].threads for pid in family), memory_bytes=memory)


def _resident(pid: int) -> int:
    return _resident_of(PROC / str(pid)) or max(map(_resident_of, _threads(pid)), default=0)


def _resident_of(place: Path) -> int:
    try:
        return int((place / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0  # it has ended meanwhile


def _threads(pid: int) -> list[Path]:
    """Return the folders of a process's threads. If the first one has ended, the memory is shown in the others."""
    try:
        return list((PROC / str(pid) / "task").iterdir())
    except OSError:
        return []


def _proportional(pid: int) -> int:
    """Return the memory of a process, with its part of what it shares with others."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:  # ended, another user's, an old kernel, or its first thread has ended
        return _resident(pid)
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0) or _resident(pid)


async def kill_below(pid: int) -> None:
    """End all descendants of a process at once, the nearest first. Gives up after `KILL_SECONDS`.

    A sandbox ends with its first process, however many processes it has.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + KILL_SECONDS
    while loop.time() < deadline:
        rows = await asyncio.to_thread(table)
        ring, found = {pid}, 0
        while ring := {row.pid for row in rows.values() if row.parent in ring and row.alive}:
            for member in ring:
                send(member, signal.SIGKILL)
            found += len(ring)
        if not found:
            return
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


def threads_of_machine() -> int:
    """Return how many threads exist on this machine, which takes microseconds; 0 if that is not known."""
    try:
        return int(LOAD.read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def memory_of_machine() -> int:
    """Return the memory that this server and its runs can use, in bytes; 0 if that is not known."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0
    for path in CONTROL_GROUP_LIMITS:
        try:
            memory = min(memory, int(path.read_text()))
        except (OSError, ValueError):  # not there, or `max`
            continue
    return memory
