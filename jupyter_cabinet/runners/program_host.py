"""The worker's end: runs one program for a server, under the same launcher as on the server's machine.

It ends the program when the link to the server is closed or lost. Made by `dask_cluster.py` in the worker's process.
`remote_process.py` is the server's end. The messages:

    server → worker   start {argv, cwd, environment} · go · stdin {data} · stdin_end · signal {name} · stop
                      · credit {bytes}
    worker → server   prepared {pid, started_at} · running · failed {message, detail}
                      · output {name, data} · output_end · stdin_taken · ended {code, signal, survivors, killed}
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, cast

import msgspec

from ..core.errors import CabinetError
from ..sandboxes.port import PipedProcess, ProcessExit, Sandbox
from .link import Link, Message, Stream

WINDOW_BYTES: Final = 1 << 20  # of output on its way: more waits in the program's pipe, and slows the program


class ProgramHost:
    """Runs at most one program."""

    def __init__(self, stream: Stream, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._link = Link(stream, self._hear)
        self._process: PipedProcess | None = None
        self._stdin: asyncio.Queue[bytes | None] = asyncio.Queue()  # None: its end
        self._credit = WINDOW_BYTES
        self._more_credit = asyncio.Event()
        self._told_end = False

    async def serve(self) -> None:
        """Serve the link until it ends; nothing of the program is left then."""
        try:
            await self._link.run()
        finally:
            if self._process is not None:
                await self._process.stop()

    def _hear(self, message: Message) -> None:
        match message["do"]:
            case "start":
                self._link.spawn(self._start(message))
            case "go":
                self._link.spawn(self._go())
            case "stdin":
                self._stdin.put_nowait(bytes(message["data"]))
            case "stdin_end":
                self._stdin.put_nowait(None)
            case "credit":
                self._credit += message["bytes"]
                self._more_credit.set()
            case "signal" if self._process is not None:
                self._link.spawn(self._process.signal(message["name"]))
            case "stop":
                self._link.spawn(self._stop())

    async def _start(self, message: Message) -> None:
        try:
            self._process = await self._sandbox.start(
                message["argv"], cwd=message["cwd"], environment=message["environment"]
            )
        except (CabinetError, OSError) as error:
            self._fail(error)
        else:
            self._link.say("prepared", pid=self._process.pid, started_at=self._process.started_at)

    async def _go(self) -> None:
        assert self._process is not None
        try:
            await self._process.go()
        except CabinetError as error:
            self._fail(error)
            self._tell_end(await self._process.wait())
            return
        self._link.say("running")
        self._link.spawn(self._send_output(self._process))
        self._link.spawn(self._feed(self._process))
        await asyncio.sleep(0)  # the pipes are being read from now on, so `wait` leaves them open
        self._tell_end(await self._process.wait())

    async def _stop(self) -> None:
        if self._process is not None:
            self._tell_end(await self._process.stop())

    async def _send_output(self, process: PipedProcess) -> None:
        async with aclosing(cast("AsyncGenerator[tuple[str, bytes]]", process.output())) as output:
            async for name, data in output:
                while self._credit <= 0:
                    self._more_credit.clear()
                    await self._more_credit.wait()
                self._credit -= len(data)
                self._link.say("output", name=name, data=data)
        self._link.say("output_end")

    async def _feed(self, process: PipedProcess) -> None:
        while (data := await self._stdin.get()) is not None:
            await process.write(data)
            self._link.say("stdin_taken")
        process.close_stdin()

    def _fail(self, error: CabinetError | OSError) -> None:
        if isinstance(error, CabinetError):
            self._link.say("failed", message=error.message, detail=error.detail)
        else:
            self._link.say("failed", message=f"The program could not be started: {error.strerror or error}.", detail={})

    def _tell_end(self, exit: ProcessExit) -> None:
        if not self._told_end:
            self._told_end = True
            self._link.say("ended", **msgspec.structs.asdict(exit))
