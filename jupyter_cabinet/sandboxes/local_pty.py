"""Programs on PTYs of this machine: an agent's under its launcher, a person's own without one.

Started by `local.py`; the ports are `PtyProcess` and `PtySession`. The PTYs themselves are in `pty.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .control import LAUNCHER_ENVIRONMENT, Control, Program
from .port import LaunchSignal, ProcessExit, Size
from .process_table.processes import moving
from .process_table.sessions import Session
from .process_table.turn_work import TurnWork
from .pty import LocalPty, Ptys


async def start_on_pty(ptys: Ptys, program: Program, *, size: Size) -> LocalPtyProcess:
    """Start a launcher on a PTY. The program waits for `go`.

    Raises `Unavailable` if it does not report, and `OSError`.
    """
    control = Control.pair(program)
    try:
        pty = ptys.spawn(
            control.argv("terminal"), environment=LAUNCHER_ENVIRONMENT, size=size, pass_fds=(control.descriptor,)
        )
    except BaseException:
        control.close()
        raise
    try:
        await control.attach()
    except BaseException:
        control.close()
        pty.start(lambda data: None)
        await pty.finish()
        raise
    return LocalPtyProcess(control, pty)


class LocalPtyProcess:
    """A program on a PTY under its launcher. Does nothing before `go`."""

    def __init__(self, control: Control, pty: LocalPty, terminal: str = "") -> None:
        """`terminal`: the path of the program's end; empty: the launcher's own stdin, which this server can look up."""
        self.pid = control.pid
        self.started_at = control.started_at
        self.pty = pty
        self._control = control
        self._turn_work = TurnWork(control.pid, terminal)

    async def go(self) -> None:
        try:
            await self._control.go()
        except BaseException:
            await self.stop()
            raise

    def on_exited(self, callback: Callable[[], None]) -> None:
        self._control.on_exited(callback)

    async def signal(self, name: LaunchSignal) -> None:
        await self._control.signal(name)

    async def moving(self) -> bool:
        return bool(await asyncio.to_thread(moving, self.pid))

    def begin_turn(self) -> None:
        self._turn_work.begin()

    async def end_turn(self) -> bool:
        return await self._turn_work.end()

    async def stop(self) -> ProcessExit:
        return await self._control.stop()

    async def wait(self) -> ProcessExit:
        return await self._control.wait()

    def close(self) -> None:
        self._control.close()


class LocalPtySession:
    """A person's program. A launcher would cost megabytes for each, so the process table is used to end its session."""

    def __init__(self, pty: LocalPty) -> None:
        self.pid = pty.pid
        self.pty = pty
        self._session = Session(pty.pid)

    async def wait(self) -> None:
        await self.pty.leader_ended()

    async def end(self) -> bool:
        return await self._session.end()
