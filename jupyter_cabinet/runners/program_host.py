"""The worker's end: runs one program for a server, under the same launcher as on the server's machine.

It ends the program when the link to the server is closed or lost. Made by `dask_cluster.py` in the worker's process.
`remote_process.py` is the server's end. The messages:

    server → worker   look {paths} · lay_out {path, files} · start {argv, cwd, environment} · go · stdin {data}
                      · stdin_end · signal {name} · stop · credit {bytes}
    worker → server   seen {contents, machine} · laid_out · prepared {pid, started_at} · running
                      · failed {message, detail} · output {name, data} · output_end · stdin_taken
                      · ended {code, signal, survivors, killed}
    both ways         those of `socket_relay.py`
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final, cast

import msgspec

from ..core.errors import CabinetError, Unavailable
from ..sandboxes.port import PipedProcess, ProcessExit, Sandbox
from .directory_copy import CopiedFile, DirectoryCopy
from .link import Link, Message, Stream
from .shared_folder import answered, machine
from .socket_relay import SocketRelay

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
        self._relay = SocketRelay(self._link)
        self._copy: DirectoryCopy | None = None
        self._copying: asyncio.Future[DirectoryCopy] | None = None

    async def serve(self) -> None:
        """Serve the link until it ends, then end the program and remove the copy of the run directory."""
        try:
            await self._link.run()
        finally:
            if self._process is not None:
                await self._process.stop()
            if self._copying is not None:
                with suppress(CabinetError):  # then nothing of it is there
                    await (await self._copying).close()

    def _hear(self, message: Message) -> None:
        match message["do"]:
            case "look":
                self._link.spawn(self._look(message["paths"]))
            case "lay_out":
                self._link.spawn(self._lay_out(message))
            case "start":
                self._link.spawn(self._start(message))
            case "go":
                self._link.spawn(self._go())
            case "stop":
                self._link.spawn(self._stop())
            case str(name) if name.startswith("socket_"):
                self._relay.hear(message)
            case _:
                self._hear_while_it_runs(message)

    def _hear_while_it_runs(self, message: Message) -> None:
        match message["do"]:
            case "stdin":
                self._stdin.put_nowait(bytes(message["data"]))
            case "stdin_end":
                self._stdin.put_nowait(None)
            case "credit":
                self._credit += message["bytes"]
                self._more_credit.set()
            case "signal" if self._process is not None:
                self._link.spawn(self._process.signal(message["name"]))

    async def _look(self, paths: list[str]) -> None:
        contents = [await asyncio.to_thread(answered, path) for path in paths]
        self._link.say("seen", contents=contents, machine=machine())

    async def _lay_out(self, message: Message) -> None:
        try:
            files = msgspec.convert(message["files"], list[CopiedFile])
            # If the link is lost meanwhile, it is completed and then removed.
            self._copying = asyncio.ensure_future(asyncio.to_thread(DirectoryCopy.write, message["path"], files))
            self._copy = await asyncio.shield(self._copying)
        except (CabinetError, msgspec.ValidationError) as error:
            self._fail(error if isinstance(error, CabinetError) else Unavailable(str(error)))
        else:
            self._link.say("laid_out")

    async def _start(self, message: Message) -> None:
        try:
            self._process = await self._sandbox.start(
                message["argv"], cwd=message["cwd"], environment=message["environment"]
            )
            if self._copy is not None:
                await self._copy.listen(self._relay, self._process.pid)
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
