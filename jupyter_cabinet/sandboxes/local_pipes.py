"""A program with pipes on this machine, under its launcher. Started by `local.py`; the port is `PipedProcess`."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Literal

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


async def start_with_pipes(program: Program) -> LocalPipedProcess:
    """Start a launcher with pipes. The program waits for `go`. Raises `Unavailable`."""
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
    return LocalPipedProcess(control, transport, protocol)


class LocalPipedProcess:
    """A program with pipes under its launcher. Does nothing before `go`."""

    def __init__(
        self,
        control: Control,
        transport: asyncio.SubprocessTransport,
        streams: LauncherStreams,
    ) -> None:
        self._control = control
        self._transport = transport
        self._exited = streams.exited
        self._process = Process(transport, streams, asyncio.get_running_loop())
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
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        chunks: asyncio.Queue[Chunk | None] = asyncio.Queue(CHUNKS_AHEAD)
        pumps = [
            asyncio.create_task(_pump("stdout", self._process.stdout, chunks)),
            asyncio.create_task(_pump("stderr", self._process.stderr, chunks)),
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
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            await self._process.stdin.drain()
        except ConnectionError:
            pass  # the program has closed its end, or is gone

    def close_stdin(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

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
                await asyncio.wait_for(self._exited.wait(), LAUNCHER_EXIT_SECONDS)
        finally:
            if not self._being_read:
                self._transport.close()  # nobody will read the rest: release the descriptors
        return ended


async def _pump(
    name: Literal["stdout", "stderr"], stream: asyncio.StreamReader, chunks: asyncio.Queue[Chunk | None]
) -> None:
    while data := await stream.read(CHUNK_BYTES):
        await chunks.put((name, data))
    await chunks.put(None)
