"""Runs programs on this machine, as the server's user: the port `Sandbox`. With a view, inside bubblewrap."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from ..core.errors import Unavailable
from . import bubblewrap
from .control import Program
from .local_pipes import LocalPipedProcess, start_with_pipes
from .local_pty import LocalPtyProcess, LocalPtySession, start_on_pty
from .mount_places import MountPlaces
from .port import Size
from .pty import Ptys
from .view import SandboxView


class LocalSandbox:
    """Starts programs on this machine, as the port `Sandbox` says. One per server: its PTYs share who is typing.

    With a view, raises `Unavailable` if bubblewrap is not installed. Without one, a program has all rights of the user.
    """

    def __init__(self, places: MountPlaces | None = None, ptys: Ptys | None = None) -> None:
        """`places`, `ptys`: shared with other sandboxes of this server."""
        self._ptys = ptys or Ptys()
        self._places = places or MountPlaces()

    async def start(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], view: SandboxView | None = None
    ) -> LocalPipedProcess:
        program = await self._program(argv, cwd, environment, view)
        with _ended_if_not_started(program):
            return await start_with_pipes(program)

    async def start_on_pty(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        size: Size,
        view: SandboxView | None = None,
    ) -> LocalPtyProcess:
        program = await self._program(argv, cwd, environment, view)
        with _ended_if_not_started(program):
            return await start_on_pty(self._ptys, program, size=size)

    def start_session(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size
    ) -> LocalPtySession:
        return LocalPtySession(self._ptys.spawn(argv, environment=environment, size=size, cwd=cwd))

    async def _program(
        self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], view: SandboxView | None
    ) -> Program:
        if view is None:
            return Program(argv=tuple(argv), cwd=cwd, environment=dict(environment))
        bwrap = bubblewrap.program()
        if bwrap is None:
            raise Unavailable(bubblewrap.NOT_INSTALLED)
        made = await asyncio.to_thread(self._places.take, view, environment)
        return Program(
            argv=bubblewrap.command(argv, view, made, bwrap),
            cwd="/",  # bubblewrap itself starts in the root: nothing in the working folder can act on it
            environment=made.environment,
            sheltered=True,
            created=made.created,
            on_end=partial(self._places.release, made),
        )


@contextmanager
def _ended_if_not_started(program: Program) -> Iterator[None]:
    try:
        yield
    except BaseException:
        if program.on_end is not None:
            program.on_end()
        raise
