"""A program with pipes on this machine, under its launcher. Started by `local.py`; the port is `PipedProcess`."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Literal, NamedTuple

from .control import LAUNCHER_ENVIRONMENT, Control, Program
from .port import LaunchSignal, ProcessExit

CHUNK_BYTES = 1 << 16
LAUNCHER_EXIT_SECONDS = 2.0  # after it reported that it is done
CHUNKS_AHEAD = 2  # per process; a slower reader slows the program

Chunk = tuple[Literal["stdout", "stderr"], bytes]


class LauncherStreams(SubprocessStreamProtocol):
    """asyncio's streams, with the launcher's own end kept apart: `Process.wait` waits for all of them."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit, loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


class Pipes(NamedTuple):
    """The server's ends of a launcher's pipes. `exited`: set when the launcher itself has ended."""

    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    exited: asyncio.Event
    close: Callable[[], None]


async def start_with_pipes(program: Program) -> LocalPipedProcess:
    """Start a launcher with pipes. The program waits for `go`.

    Raises `Unavailable` if it does not report, and `OSError`.
    """
    control = Control.pair(program)
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: LauncherStreams(limit=CHUNK_BYTES, loop=loop),
            *control.argv("pipes"),
            env=LAUNCHER_ENVIRONMENT,
            pass_fds=(control.descriptor,),
        )
    except BaseException:
        control.close()
        raise
    try:
        await control.attach()
    except BaseException:
        transport.close()
        raise
    process = Process(transport, protocol, loop)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    pipes = Pipes(process.stdin, process.stdout, process.stderr, protocol.exited, transport.close)
    return LocalPipedProcess(control, pipes)


class LocalPipedProcess:
    """A program with pipes under its launcher. Does nothing before `go`."""

    def __init__(self, control: Control, pipes: Pipes) -> None:
        self._control = control
        self._pipes = pipes
        self._being_read = False
        self.pid = control.pid
        self.started_at = control.started_at

    async def go(self) -> None:
        try:
            await self._control.go()
        except BaseException:
            await self.stop()
            raise

    async def output(self) -> AsyncIterator[Chunk]:
        """Yield the program's output, in order within each pipe. One reader may read it, once."""
        self._being_read = True
        chunks: asyncio.Queue[Chunk | None] = asyncio.Queue(CHUNKS_AHEAD)
        pumps = [
            asyncio.create_task(_pump("stdout", self._pipes.stdout, chunks)),
            asyncio.create_task(_pump("stderr", self._pipes.stderr, chunks)),
        ]
        try:
            open_pipes = len(pumps)
            while open_pipes:
                chunk = await chunks.get()
                if chunk is None:
                    open_pipes -= 1
                else:
                    yield chunk
        finally:
            self._being_read = False
            for pump in pumps:
                pump.cancel()

    async def write(self, data: bytes) -> None:
        try:
            self._pipes.stdin.write(data)
            await self._pipes.stdin.drain()
        except ConnectionError:
            pass  # the program has closed its end, or is gone

    def close_stdin(self) -> None:
        self._pipes.stdin.close()

    async def signal(self, name: LaunchSignal) -> None:
        await self._control.signal(name)

    async def stop(self) -> ProcessExit:
        await self._control.stop()
        return await self.wait()

    async def wait(self) -> ProcessExit:
        ended = await self._control.wait()
        self.close_stdin()
        # before the transport is closed, which would check for the launcher's end too, and one of them would miss it
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._pipes.exited.wait(), LAUNCHER_EXIT_SECONDS)
        finally:
            if not self._being_read:
                self._pipes.close()  # nobody will read the rest: release the descriptors
        return ended


async def _pump(
    name: Literal["stdout", "stderr"], stream: asyncio.StreamReader, chunks: asyncio.Queue[Chunk | None]
) -> None:
    while data := await stream.read(CHUNK_BYTES):
        await chunks.put((name, data))
    await chunks.put(None)
