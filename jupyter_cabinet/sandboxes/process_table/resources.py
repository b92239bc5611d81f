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

from ..launcher import send
from .processes import LOOK_AGAIN_SECONDS, PROC, below, table

KILL_SECONDS = 3.0
CHILDREN = PROC / "self" / "task" / str(os.getpid()) / "children"
CONTROL_GROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


class ResourceUse(msgspec.Struct, frozen=True, kw_only=True):
    """Of all processes below a launcher. Each process has at least one thread."""

    threads: int
    memory_bytes: int


def use_below(pids: Iterable[int], *, memory_limit: int) -> dict[int, ResourceUse]:
    """Return what the descendants of each of these processes use, by its pid; zeros for one that is gone.

    Memory that processes share is counted for each of them, because that is quick. Only above `memory_limit`, in bytes,
    it is counted exactly. Blocks.
    """
    return {pid: _use(_family(pid), memory_limit) for pid in pids}


def _use(family: dict[int, int], memory_limit: int) -> ResourceUse:
    memory = sum(map(_resident, family))
    if memory > memory_limit:
        memory = sum(map(_proportional, family))
    return ResourceUse(threads=sum(family.values()), memory_bytes=memory)


def _family(pid: int) -> dict[int, int]:
    """Return each descendant with the number of its threads.

    The lists of children make this cheap on a machine with many processes. Without them, all processes are read.
    """
    if not CHILDREN.exists():
        rows = table()
        return {each: rows[each].threads for each in below(pid, rows)}
    found: dict[int, int] = {}
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        threads = _threads(each)
        if each != pid:
            found[each] = len(threads)
        waiting += [child for thread in threads for child in _children(thread) if child not in found]
    return found


def _children(thread: Path) -> list[int]:
    try:
        return [int(number) for number in (thread / "children").read_bytes().split()]
    except OSError:
        return []


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
    """End all descendants of a process at once, the nearest first. Gives up after `KILL_SECONDS`, without an error.

    The process itself is not ended. A sandbox ends with its first process, however many processes it has.
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
