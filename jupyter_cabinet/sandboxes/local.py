"""Runs programs on this machine, as the server's user, without isolation: the port `Sandbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .control import Program
from .local_pipes import LocalPipedProcess, start_with_pipes
from .local_pty import LocalPtyProcess, LocalPtySession, start_on_pty
from .port import Size
from .pty import Ptys


class LocalSandbox:
    """The sandbox without isolation. One per server: its PTYs share the information that somebody types."""

    def __init__(self) -> None:
        self._ptys = Ptys()

    async def start(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> LocalPipedProcess:
        return await start_with_pipes(_program(argv, cwd, environment))

    async def start_on_pty(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size
    ) -> LocalPtyProcess:
        return await start_on_pty(self._ptys, _program(argv, cwd, environment), size=size)

    def start_session(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], size: Size
    ) -> LocalPtySession:
        return LocalPtySession(self._ptys.spawn(argv, environment=environment, size=size, cwd=cwd))


def _program(argv: Sequence[str], cwd: str, environment: Mapping[str, str]) -> Program:
    return Program(argv=tuple(argv), cwd=cwd, environment=dict(environment))
