"""The process table as the server sees it: what is left of a launcher that was killed itself.

The launcher empties its own descendants; this is for when it cannot. Read from /proc; on systems without
it nothing is found (documented as weaker).
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import msgspec

from .launcher import MARK, send, start_time

PROC = Path("/proc")
LOOK_AGAIN_SECONDS = 0.02
GIVE_UP_SECONDS = 3.0  # a process in uninterruptible sleep cannot be ended


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table."""

    pid: int
    parent: int
    session: int
    alive: bool  # False: a zombie, nobody has waited for it yet


def table() -> dict[int, Process]:
    """All processes of this machine, by pid."""
    rows = (_read(entry) for entry in _entries())
    return {row.pid: row for row in rows if row is not None}


def is_same(pid: int, started_at: str) -> bool:
    """Whether `pid` still is the process that started then, and not a later one with its number."""
    return started_at != "unknown" and start_time(pid) == started_at


def family(pid: int, started_at: str) -> set[int]:
    """The living processes that belong to a launcher: below it, of its session, or marked by it."""
    rows = table()
    found = {row.pid for row in rows.values() if row.pid != pid and _is_marked(row.pid, pid, started_at)}
    if is_same(pid, started_at):
        # Only while the leader is there: later another session may have its number.
        found |= {row.pid for row in rows.values() if row.session == pid and row.pid != pid}
        found |= _below(pid, rows)
    return {each for each in found if rows[each].alive}


async def end_family(pid: int, started_at: str) -> int:
    """End a launcher and everything that belongs to it; return how many descendants there were.

    Freezes before it kills, so that nothing forks away. Gives up after `GIVE_UP_SECONDS`.
    """
    ended: set[int] = set()
    deadline = asyncio.get_running_loop().time() + GIVE_UP_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        members = _freeze(pid, started_at)
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
    """Make sure that a launcher of an earlier server, named by its record, and its descendants are gone.

    A process that has the number by chance is left alone.
    """
    if started_at.endswith("@" + _boot()):  # else this machine was started anew since
        await end_family(pid, started_at)


def _freeze(pid: int, started_at: str) -> set[int]:
    frozen: set[int] = set()
    while new := family(pid, started_at) - frozen:
        for member in new:
            send(member, signal.SIGSTOP)
        frozen |= new
    return frozen


def _below(pid: int, rows: dict[int, Process]) -> set[int]:
    found: set[int] = set()
    ring = {pid}
    while ring:
        ring = {row.pid for row in rows.values() if row.parent in ring} - found
        found |= ring
    return found


def _is_marked(pid: int, launcher: int, started_at: str) -> bool:
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
        state, parent, _group, session = content.rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return None  # it has ended since the listing
    return Process(pid=int(name), parent=int(parent), session=int(session), alive=state not in b"ZX")


def _boot() -> str:
    return start_time(os.getpid()).rpartition("@")[2]
