"""The server's end of a program that runs on a worker: the port `PipedProcess`. `program_host.py` is the other end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from ..core.errors import Unavailable
from ..core.futures import fail, settle
from ..sandboxes.port import LaunchSignal, ProcessExit
from .directory_copy import files_of
from .link import Link, Message, Stream
from .socket_relay import SocketRelay

STDIN_BYTES: Final = 1 << 18  # of stdin in one message; the next follows when the program has taken it
CREDIT_BYTES: Final = 1 << 18  # output that was read here before the worker may send as much again
START_SECONDS: Final = 20.0  # for the launcher on the worker to start
STOP_SECONDS: Final = 15.0  # for the worker to confirm that nothing is left
LOST: Final = "The connection to the worker {worker} was lost."

Chunk = tuple[Literal["stdout", "stderr"], bytes]


class RemoteProcess:
    """A program on a worker. `prepare` starts its launcher there; the program starts with `go`."""

    def __init__(self, stream: Stream, worker: str, socket: Path | None = None) -> None:
        """`worker`: its name, for people. `socket`: of the run directory, for a worker that gets a copy of it."""
        self.pid = 0
        self.started_at = ""
        self._worker = worker
        loop = asyncio.get_running_loop()
        self._replies: dict[str, asyncio.Future[Message]] = {}  # by the name of the message
        self._prepared: asyncio.Future[None] = loop.create_future()
        self._running: asyncio.Future[None] = loop.create_future()
        self._ended: asyncio.Future[ProcessExit] = loop.create_future()
        self._chunks: asyncio.Queue[Chunk | None] = asyncio.Queue()  # bounded by the worker's window
        self._being_read = False
        self._uncredited = 0
        self._stdin_lock = asyncio.Lock()
        self._stdin_taken = asyncio.Event()
        self._link = Link(stream, self._hear)
        self._relay = SocketRelay(self._link, socket)
        self.linked = asyncio.create_task(self._follow(), name="program on a worker")

    async def look(self, paths: Sequence[Path]) -> tuple[list[bytes], str]:
        """Return what the worker reads in these small files, and its machine: see `shared_folder.py`.

        The content is empty for a file that the worker does not see. Raises `Unavailable` if it does not answer in
        time.
        """
        reply = await self._ask("look", "seen", paths=[str(path) for path in paths])
        return [bytes(content) for content in reply["contents"]], str(reply["machine"])

    async def lay_out(self, directory: Path) -> None:
        """Have the worker create a copy of a run directory.

        Raises `Unavailable` if it cannot, if the files are too large together, or if the worker does not answer in
        time; `OSError` if a file cannot be read.
        """
        files = await asyncio.to_thread(files_of, directory)
        await self._ask("lay_out", "laid_out", path=str(directory), files=list(map(msgspec.structs.asdict, files)))

    def give_up(self) -> None:
        """Close the link to the worker, which then ends what it has started. Does not wait for that."""
        self._link.close()

    async def prepare(self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> None:
        """Have the worker start a launcher. Raises `Unavailable` if it cannot, or has not after `START_SECONDS`."""
        self._link.say("start", argv=list(argv), cwd=cwd, environment=dict(environment))
        try:
            await asyncio.wait_for(asyncio.shield(self._prepared), START_SECONDS)
        except TimeoutError:
            raise Unavailable(f"The worker {self._worker} did not start the program in time.") from None

    async def go(self) -> None:
        self._link.say("go")
        try:
            await asyncio.shield(self._running)
        except Unavailable:
            if self._ended.done() and self._ended.result().lost_worker:
                return  # `wait` says so
            await self.stop()
            raise
        except BaseException:
            await self.stop()
            raise

    async def output(self) -> AsyncIterator[Chunk]:
        """Yield the program's output, in order within each pipe. One reader may read it, once."""
        self._being_read = True
        try:
            while (chunk := await self._chunks.get()) is not None:
                yield chunk
                self._credit(len(chunk[1]))
        finally:
            self._being_read = False
            if self._ended.done():
                self._link.close()

    async def write(self, data: bytes) -> None:
        async with self._stdin_lock:
            for start in range(0, len(data), STDIN_BYTES):
                if self._ended.done():
                    return
                self._stdin_taken.clear()
                self._link.say("stdin", data=data[start : start + STDIN_BYTES])
                await self._stdin_taken.wait()

    def close_stdin(self) -> None:
        self._link.say("stdin_end")

    async def signal(self, name: LaunchSignal) -> None:
        self._link.say("signal", name=name)

    async def stop(self) -> ProcessExit:
        self._link.say("stop")
        try:
            await asyncio.wait_for(asyncio.shield(self._ended), STOP_SECONDS)
        except TimeoutError:
            self._link.close()  # the worker ends the program when it notices that
            self._lost()
        return await self.wait()

    async def wait(self) -> ProcessExit:
        exit = await asyncio.shield(self._ended)
        if not self._being_read:
            self._link.close()
        return exit

    def _credit(self, count: int) -> None:
        self._uncredited += count
        if self._uncredited >= CREDIT_BYTES:
            self._link.say("credit", bytes=self._uncredited)
            self._uncredited = 0

    async def _ask(self, do: str, reply: str, **fields: Any) -> Message:
        if self._ended.done():
            raise Unavailable(LOST.format(worker=self._worker))
        future = self._replies[reply] = asyncio.get_running_loop().create_future()
        self._link.say(do, **fields)
        try:
            return await asyncio.wait_for(asyncio.shield(future), START_SECONDS)
        except TimeoutError:
            raise Unavailable(f"The worker {self._worker} did not answer in time.") from None
        finally:
            del self._replies[reply]

    async def _follow(self) -> None:
        try:
            await self._link.run()
        finally:
            self._lost()

    def _hear(self, message: Message) -> None:
        match message["do"]:
            case str(name) if name in self._replies:
                settle(self._replies[name], message)
            case str(name) if name.startswith("socket_"):
                self._relay.hear(message)
            case "prepared":
                self.pid, self.started_at = message["pid"], message["started_at"]
                settle(self._prepared, None)
            case "running":
                settle(self._running, None)
            case "failed":
                self._fail_all(Unavailable(message["message"], **{**message["detail"], "worker": self._worker}))
            case "output":
                self._chunks.put_nowait((message["name"], bytes(message["data"])))
            case "output_end":
                self._chunks.put_nowait(None)
            case "stdin_taken":
                self._stdin_taken.set()
            case "ended":
                names = ("code", "signal", "survivors", "killed")
                self._end(ProcessExit(**{name: message[name] for name in names}))

    def _fail_all(self, error: Unavailable) -> None:
        waiting: list[asyncio.Future[Any]] = [*self._replies.values(), self._prepared, self._running]
        for future in waiting:
            fail(future, error)

    def _end(self, exit: ProcessExit) -> None:
        fail(self._running, Unavailable("The program was stopped before it started."))
        settle(self._ended, exit)
        self._stdin_taken.set()

    def _lost(self) -> None:
        """The link is gone. If the program had not ended before, nobody knows how it ends."""
        self._fail_all(Unavailable(LOST.format(worker=self._worker)))
        self._end(ProcessExit(killed=True, lost_worker=self._worker))
        self._chunks.put_nowait(None)
