"""Where a process runs. Adapters start programs under the launcher; only a person's shell has none (`sessions.py`).

Callers: `runs/` (pipes) and `terminals/` (PTYs).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

LaunchSignal = Literal["INT", "TERM", "KILL", "STOP", "CONT", "HUP", "QUIT", "TSTP"]


class ProcessExit(msgspec.Struct, frozen=True, kw_only=True):
    """How the program ended (one of both is set) and how many descendants had to be ended after it.

    `killed` tells that the launcher itself died; the program's own end is then unknown.
    """

    code: int | None = None
    signal: int | None = None
    survivors: int = 0
    killed: bool = False


class Launched(Protocol):
    """A program under its launcher. It does nothing before `go`."""

    pid: int  # of the launcher, which is the leader of the program's session
    started_at: str  # of the launcher, from the process table: with `pid` it names one process for ever

    async def go(self) -> None:
        """Let the program start: its pid is on record now. Raises `CabinetError` if it cannot be executed."""

    def output(self) -> AsyncIterator[tuple[Literal["stdout", "stderr"], bytes]]:
        """What the program writes, as it comes, until both pipes end. Reading slowly slows the program."""

    async def write(self, data: bytes) -> None:
        """Write to the program's stdin; a closed pipe is no error."""

    def close_stdin(self) -> None:
        """End of input."""

    async def signal(self, name: LaunchSignal) -> None:
        """Send a signal to every descendant."""

    async def stop(self) -> ProcessExit:
        """Three INT 0.5 s apart, TERM, after 1 s KILL, to every descendant; returns when none is left."""

    async def wait(self) -> ProcessExit:
        """Wait until the program has ended and every descendant is gone."""


class Sandbox(Protocol):
    """A place where processes run."""

    async def start(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> Launched:
        """Start a program with pipes. `environment` is the whole environment of the child."""
