"""The process table as the server sees it: whether processes are stopped, and what a killed launcher left.

The launcher ends its own descendants; this is for cases when it cannot, and for confirmation. Read from /proc; on
systems without it nothing is found (documented as weaker). Sessions without a launcher are in `sessions.py`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import msgspec

from ..launcher import MARK, NAME_BITS, limit_mark, send, start_time

PROC = Path("/proc")
LOOK_AGAIN_SECONDS = 0.02
GIVE_UP_SECONDS = 3.0  # a process in uninterruptible sleep cannot be ended


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table."""

    pid: int
    parent: int
    session: int
    alive: bool  # False: a zombie, nobody has waited for it yet, and no other thread of it continues
    state: str  # the letter of proc(5): R, S, D, T, Z, …
    started: str  # in clock ticks since boot: with the pid it names one process
    threads: int = 1


def table() -> dict[int, Process]:
    """Return all processes of this machine, by pid, with zombies; empty on systems without /proc. Blocks."""
    rows = (_read(entry) for entry in _entries())
    return {row.pid: row for row in rows if row is not None}


def is_same(pid: int, started_at: str) -> bool:
    """Return whether `pid` still is the process that started then, and not a later one with its number.

    False if `started_at` is "unknown".
    """
    return started_at != "unknown" and start_time(pid) == started_at


def family(pid: int, started_at: str) -> set[int]:
    """Return the living processes that belong to a launcher: below it, of its session, or marked by it. Blocks.

    The launcher itself is not among them. On systems without /proc, nothing is found.
    """
    rows = table()
    found = {row.pid for row in rows.values() if row.pid != pid and _is_marked(row.pid, pid, started_at)}
    if is_same(pid, started_at):
        # Only while the leader is there: later another session may have its number.
        found |= {row.pid for row in rows.values() if row.session == pid and row.pid != pid}
        found |= below(pid, rows)
    return {each for each in found if rows[each].alive}


def is_below(pid: int, ancestor: int) -> bool:
    """Return whether a living process descends from another, or is that one.

    Without a process table this is assumed.
    """
    if not PROC.is_dir():
        return True
    while pid > 1 and pid != ancestor:
        row = _read(str(pid))
        pid = row.parent if row is not None else 0
    return pid == ancestor


def moving(pid: int) -> set[int]:
    """Return the living descendants of `pid` that are not stopped, whatever signal they were sent. Blocks."""
    rows = table()
    return {each for each in below(pid, rows) if rows[each].alive and not _stands_still(each)}


def _stands_still(pid: int) -> bool:
    """Return whether every thread is stopped, or will be before it runs another instruction of the program."""
    try:
        statuses = [(task / "status").read_text() for task in (PROC / str(pid) / "task").iterdir()]
    except OSError:
        return True  # gone meanwhile
    return all(_is_stopped(dict(_lines(status))) for status in statuses)


def _is_stopped(status: dict[str, str]) -> bool:
    if status.get("State", "X")[:1] in "TtZX":
        return True
    # A parent in vfork sleeps in the kernel until its stopped child continues; the pending STOP comes first then.
    pending = int(status.get("SigPnd", "0"), 16) | int(status.get("ShdPnd", "0"), 16)
    return status["State"][:1] == "D" and bool(pending >> (signal.SIGSTOP - 1) & 1)


def _lines(status: str) -> list[tuple[str, str]]:
    parts = (line.partition(":") for line in status.splitlines())
    return [(name, value.strip()) for name, _, value in parts]


async def end_family(pid: int, started_at: str) -> int:
    """End a launcher and everything that belongs to it; return how many descendants were found.

    Stops them before it kills, so that nothing escapes by forking. Gives up after `GIVE_UP_SECONDS`, without an error.
    """
    ended: set[int] = set()
    deadline = asyncio.get_running_loop().time() + GIVE_UP_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        members = await asyncio.to_thread(_freeze, pid, started_at, time.monotonic() + GIVE_UP_SECONDS)
        for member in members:
            send(member, signal.SIGKILL)
        ended |= members
        if not members:
            break
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
    if is_same(pid, started_at):
        send(pid, signal.SIGKILL)
    return len(ended)


async def end_orphans(pid: int, started_at: str) -> None:
    """End a launcher of an earlier server, named by its record, and its descendants. Gives up after a few seconds.

    A process that has the same number by chance is not touched. Without effect if this machine was restarted since.
    """
    if started_at.endswith("@" + _boot()):  # otherwise this machine was restarted since
        await end_family(pid, started_at)


def _freeze(pid: int, started_at: str, until: float) -> set[int]:
    """Stop all of them, and return them. Blocks, with thousands of processes for seconds. `until`: monotonic."""
    frozen: set[int] = set()
    while (new := family(pid, started_at) - frozen) and time.monotonic() < until:
        for member in new:
            send(member, signal.SIGSTOP)
        frozen |= new
    return frozen


def below(pid: int, rows: dict[int, Process]) -> set[int]:
    """Return every descendant of `pid`, by the chain of parents, also zombies."""
    found: set[int] = set()
    ring = {pid}
    while ring:
        ring = {row.pid for row in rows.values() if row.parent in ring} - found
        found |= ring
    return found


def _is_marked(pid: int, launcher: int, started_at: str) -> bool:
    return _has_marked_environment(pid, launcher, started_at) or _has_marked_limit(pid, launcher, started_at)


def _has_marked_limit(pid: int, launcher: int, started_at: str) -> bool:
    """Read the mark, also after its environment was emptied."""
    try:
        lines = (PROC / str(pid) / "limits").read_text().splitlines()
    except OSError:
        return False
    limit = next((line.split()[-2] for line in lines if line.startswith("Max realtime timeout")), "")
    mark = limit_mark(str(launcher), started_at)
    return limit.isdigit() and int(limit) >> NAME_BITS > 0 and int(limit) & (1 << NAME_BITS) - 1 == mark


def _has_marked_environment(pid: int, launcher: int, started_at: str) -> bool:
    mark = f"{MARK}={launcher}:{started_at}".encode()
    try:
        return mark in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False  # gone, or another user's


def _entries() -> list[str]:
    return [name for name in os.listdir(PROC) if name.isdigit()] if PROC.is_dir() else []  # noqa: PTH208


def _read(name: str) -> Process | None:
    try:
        content = (PROC / name / "stat").read_bytes()
        fields = content.rpartition(b")")[2].decode().split()
        state, parent, _group, session = fields[:4]
        started, threads = fields[19], int(fields[17])
    except (OSError, ValueError, IndexError):
        return None  # it has ended since the listing
    return Process(
        pid=int(name),
        parent=int(parent),
        session=int(session),
        alive=state not in "ZX" or threads > 1,
        state=state,
        started=started,
        threads=threads,
    )


def _boot() -> str:
    return start_time(os.getpid()).rpartition("@")[2]
