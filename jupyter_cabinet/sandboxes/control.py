"""The server's end of a launcher's control channel; `launcher.py` is the other end and documents the messages.

Used by `local_pipes.py` and `local_pty.py`; it starts no process itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..core.errors import Unavailable
from ..core.futures import fail, settle
from .port import LaunchSignal, ProcessExit
from .process_table.processes import end_family

log = logging.getLogger(__name__)

LAUNCHER = Path(__file__).with_name("launcher.py")
READY_SECONDS = 10.0
STOP_CONFIRMED_SECONDS = 5.0  # the launcher needs at most 2.5 s, plus the time to check
LINE_BYTES = 1 << 20

# The launcher's own environment: the program's is in `go`, so secrets are never in the launcher's.
LAUNCHER_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

REASONS = {
    "ENOENT": "was not found",
    "EACCES": "may not be executed",
    "ENOEXEC": "is not a program",
    "E2BIG": "was given too long an argument or environment",
    "ENOTDIR": "is not below a folder",
}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What a launcher reports. In a container, a program may have taken its place: nothing in it is believed unseen."""

    event: Literal["ready", "started", "failed", "exited", "done"]
    pid: int = 0
    started_at: str = ""
    stage: str = ""
    errno: str = ""
    message: str = ""
    code: int | None = None
    signal: int | None = None
    survivors: int = 0


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """The program for a launcher to start. `environment`: the whole of it.

    `sheltered`: the program is a sandbox around another one. `created`: files and folders that exist only as places for
    its mounts; the launcher removes them if they are empty and the server is gone. `on_end` is called in a thread after
    the end of everything.
    """

    argv: tuple[str, ...]
    cwd: str
    environment: dict[str, str]
    sheltered: bool = False
    created: tuple[str, ...] = ()
    on_end: Callable[[], None] | None = None


DECODER = msgspec.json.Decoder(Event)


class Control:
    """Controls one launcher. Made by `pair`; afterwards `attach`, once the launcher holds the other end."""

    def __init__(self, program: Program, ours: socket.socket, theirs: socket.socket) -> None:
        self._program = program
        self._ours = ours
        self._theirs: socket.socket | None = theirs
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = loop.create_future()
        self._started: asyncio.Future[None] = loop.create_future()
        self._done: asyncio.Future[ProcessExit] = loop.create_future()
        self._end = ProcessExit()
        self._on_exited: list[Callable[[], None]] = []
        self._seen_as: tuple[int, str] | None = None
        self.pid = 0
        self.started_at = ""

    @classmethod
    def pair(cls, program: Program) -> Control:
        """Make both ends of the channel. Starts no launcher. Needs a running loop."""
        ours, theirs = socket.socketpair()
        return cls(program, ours, theirs)

    @property
    def descriptor(self) -> int:
        """Return the number of the end to pass to the launcher (`pass_fds`). Only before `attach`."""
        assert self._theirs is not None
        return self._theirs.fileno()

    @property
    def theirs(self) -> socket.socket:
        """Return the launcher's end as a socket. Only before `attach`."""
        assert self._theirs is not None
        return self._theirs

    def argv(self, mode: Literal["pipes", "terminal"]) -> list[str]:
        """Return the command line of the launcher. Only before `attach`."""
        return [sys.executable, "-I", "-S", str(LAUNCHER), mode, str(self.descriptor)]

    async def attach(self, seen_as: tuple[int, str] | None = None) -> None:
        """Wait until the launcher reports, for at most `READY_SECONDS`. Raises `Unavailable` when it does not.

        `seen_as`: the pid and the start of a launcher in a container, as this machine numbers them.
        """
        self._release_theirs()
        self._seen_as = seen_as
        reader, self._writer = await asyncio.open_connection(sock=self._ours, limit=LINE_BYTES)
        self._reading = asyncio.create_task(self._read(reader), name="launcher control")
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), READY_SECONDS)
        except TimeoutError:
            self.close()
            raise Unavailable("The process launcher did not start.") from None

    async def go(self) -> None:
        """Let the program start, and wait until it has. Raises `Unavailable` if it cannot, or was stopped before.

        If it cannot be executed, the detail has `errno` and `stage`.
        """
        program = self._program
        await self._say(
            do="go",
            argv=program.argv,
            cwd=program.cwd,
            environment=program.environment,
            sheltered=program.sheltered,
            created=program.created,
        )
        await asyncio.shield(self._started)

    async def signal(self, name: LaunchSignal) -> None:
        """Send a signal to every descendant. Does not wait for its effect. A launcher that is gone is no error."""
        await self._say(do="signal", name=name)

    async def stop(self) -> ProcessExit:
        """Have everything ended, and return how the program ended. Needs `attach`.

        Without a confirmation within `STOP_CONFIRMED_SECONDS`, it is ended from the process table; that is tried for a
        few seconds, and the exit is then `killed`.
        """
        await self._say(do="stop")
        try:
            return await asyncio.wait_for(asyncio.shield(self._done), STOP_CONFIRMED_SECONDS)
        except TimeoutError:
            log.warning("Launcher %s does not answer. Its processes are ended from outside.", self.pid)
            await self._lost()
            return await self.wait()

    async def wait(self) -> ProcessExit:
        """Wait, without a limit, until the program has ended and every descendant is gone. Return how it ended."""
        return await asyncio.shield(self._done)

    def on_exited(self, callback: Callable[[], None]) -> None:
        """Register a further callback for when the program itself has ended, while its descendants are being ended.

        It is not called if that was reported before, nor if the launcher is lost: then only `wait` returns.
        """
        self._on_exited.append(callback)

    def close(self) -> None:
        """Close the channel, without waiting. A launcher that still has descendants ends them at once."""
        self._release_theirs()
        if self._writer is not None:
            self._writer.close()
        else:
            self._ours.close()

    def _release_theirs(self) -> None:
        if self._theirs is not None:
            self._theirs.close()
            self._theirs = None

    async def _say(self, **message: Any) -> None:
        assert self._writer is not None
        try:
            self._writer.write(json.dumps(message).encode() + b"\n")
            await self._writer.drain()
        except ConnectionError:
            pass  # the launcher has ended: `_read` notices too

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                message = DECODER.decode(line)
                if message.event == "done":
                    await self._all_ended(msgspec.structs.replace(self._end, survivors=message.survivors))
                else:
                    self._hear(message)
        except (ConnectionError, ValueError, RecursionError, msgspec.MsgspecError):
            pass  # the same as its end
        if not self._done.done():
            await self._lost()
        self.close()

    def _hear(self, message: Event) -> None:
        match message.event:
            case "ready":
                self.pid, self.started_at = self._seen_as or (message.pid, message.started_at)
                settle(self._ready, None)
            case "started":
                settle(self._started, None)
            case "failed":
                fail(self._started, _cannot_execute(message))
            case "exited":
                self._end = ProcessExit(code=message.code, signal=message.signal)
                for callback in self._on_exited:
                    callback()

    async def _all_ended(self, exit: ProcessExit) -> None:
        if self._program.on_end is not None:
            await asyncio.to_thread(self._program.on_end)
        fail(self._started, Unavailable("The program was stopped before it started."))
        settle(self._done, exit)

    async def _lost(self) -> None:
        """The launcher was killed or is stuck: end its processes."""
        survivors = await end_family(self.pid, self.started_at) if self.pid else 0
        gone = Unavailable("The process launcher was ended from outside.")
        fail(self._ready, gone)
        fail(self._started, gone)
        await self._all_ended(ProcessExit(survivors=survivors, killed=True))


def _cannot_execute(message: Event) -> Unavailable:
    detail = {"errno": message.errno, "stage": message.stage}
    if message.stage == "sandbox":
        return Unavailable(f"The sandbox could not be set up: {message.message}.", **detail)
    what = "The working folder" if message.stage == "cwd" else "The program"
    reason = REASONS.get(message.errno, f"cannot be used: {message.message}")
    return Unavailable(f"{what} {reason}.", **detail)
