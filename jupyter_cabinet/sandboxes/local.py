"""Runs programs on this machine, as the server's user: the port `Sandbox`. With a view, inside bubblewrap."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ..core.errors import Unavailable
from . import bubblewrap
from .control import Program
from .local_pipes import LocalPipedProcess, start_with_pipes
from .local_pty import LocalPtyProcess, LocalPtySession, start_on_pty
from .port import Size
from .pty import Ptys
from .view import SandboxView


class LocalSandbox:
    """One per server: its PTYs share the information that somebody types."""

    def __init__(self) -> None:
        self._ptys = Ptys()

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        return await start_with_pipes(await _program(argv, cwd, environment, view))

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> LocalPtyProcess:
        return await start_on_pty(self._ptys, await _program(argv, cwd, environment, view), size=size)

    def start_session(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size
    ) -> LocalPtySession:
        return LocalPtySession(self._ptys.spawn(argv, environment=environment, size=size, cwd=cwd))


async def _program(argv: Sequence[str], cwd: str, environment: Mapping[str, str], view: SandboxView | None) -> Program:
    if view is None:
        return Program(argv=tuple(argv), cwd=cwd, environment=dict(environment))
    bwrap = bubblewrap.program()
    if bwrap is None:
        raise Unavailable(bubblewrap.NOT_INSTALLED)
    made = await asyncio.to_thread(bubblewrap.sandboxed, argv, environment, view, bwrap=bwrap)
    # bubblewrap itself starts in the root: nothing in the working folder can act on it
    return Program(argv=made.argv, cwd="/", environment=made.environment, sheltered=True, created=made.created)
