"""What the tests of terminals share: a client's transport in memory, and terminals with real PTYs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.waiting import holds

from jupyter_cabinet.core.clock import Clock, SystemClock
from jupyter_cabinet.core.events import Event, EventBus
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.sandboxes.process_table.processes import table
from jupyter_cabinet.terminals.model import NewTerminal
from jupyter_cabinet.terminals.programs.agent import AgentProcess
from jupyter_cabinet.terminals.recording.recordings import Recordings
from jupyter_cabinet.terminals.service import Terminals
from jupyter_cabinet.terminals.settings import TerminalSettings
from jupyter_cabinet.terminals.terminal import OpenTerminal


class RecordingViewer:
    """A client's transport in memory. `gate` closed: it does not read."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.digest = hashlib.sha256()
        self.offset = 0
        self.tail = b""
        self.log: list[str] = []  # the order of frames and bytes
        self.closed: tuple[int, str] | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.largest = 0
        self.draw: Callable[[int], None] | None = None  # says that everything before an offset is drawn

    def send_text(self, text: str) -> Awaitable[None] | None:
        self._take(json.loads(text))
        return None if self.gate.is_set() else self._opened()

    async def _opened(self) -> None:
        await self.gate.wait()

    def _take(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        self.log.append(frame["type"])
        if frame["type"] == "replay":
            self.offset = frame["from"]
            if frame["reset"]:
                self.tail = b""
                self.digest = hashlib.sha256()

    async def send_bytes(self, data: bytes) -> None:
        await self.gate.wait()
        self.digest.update(data)
        self.offset += len(data)
        self.largest = max(self.largest, len(data))
        self.tail = (self.tail + data)[-1_000_000:]
        self.log.append("bytes")
        if self.draw is not None:
            self.draw(self.offset)

    def close(self, code: int, reason: str) -> None:
        self.closed = self.closed or (code, reason)

    def last(self, kind: str) -> dict[str, Any]:
        return next(frame for frame in reversed(self.frames) if frame["type"] == kind)

    def count(self, kind: str) -> int:
        return sum(frame["type"] == kind for frame in self.frames)

    async def saw(self, kind: str, count: int = 1) -> dict[str, Any]:
        await holds(lambda: self.count(kind) >= count)
        return self.last(kind)

    async def shows(self, text: str) -> None:
        await holds(lambda: text.encode() in self.tail)


class Client(RecordingViewer):
    """A viewer with its connection."""

    def __init__(self, terminal: OpenTerminal, name: str, *, can_execute: bool, administrator: bool) -> None:
        super().__init__()
        principal = Principal(username=name, display_name=name.title(), administrator=administrator)
        self.connection = terminal.connect(self, principal, can_execute=can_execute)
        self.draw = self.connection.stream.acked

    async def say(self, type: str, **values: Any) -> None:
        await self.connection.receive_text(json.dumps({"type": type, **values}))

    async def type(self, text: str) -> None:
        await self.connection.receive_bytes(text.encode())


class Room:
    """The room, and what the tests do with it."""

    def __init__(self, settings: TerminalSettings, recordings: Path | None, clock: Clock) -> None:
        self.events: list[Event] = []
        self.clients: list[Client] = []
        bus = EventBus()
        bus.subscribe(lambda event, scope: self.events.append(event))
        self.recordings = Recordings(recordings, settings=settings, clock=clock, bus=bus) if recordings else None
        self.terminals = Terminals(
            clock=clock, bus=bus, sandbox=LocalSandbox(), settings=settings, recordings=self.recordings
        )

    async def open(self, owner: str = "ada", **options: Any) -> OpenTerminal:
        principal = Principal(username=owner, display_name=owner.title())
        return await self.terminals.open(principal, name="work", cwd="/", **options)

    async def lasting(self, owner: str = "ada", **wanted: Any) -> OpenTerminal:
        """A terminal as a person opens it, with a shell in it unless something else is wanted."""
        principal = Principal(username=owner, display_name=owner.title())
        return await self.terminals.open_for(principal, NewTerminal(**wanted), cwd="/")

    async def agent(self, terminal: OpenTerminal, source: str, *arguments: str) -> AgentProcess:
        """Start a Python program as the agent, on the go."""
        argv = [sys.executable, "-S", "-c", textwrap.dedent(source), *arguments]
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        agent = await terminal.programs.start_agent(argv, cwd="/", environment=environment, title="Demo")
        await agent.go()
        return agent

    async def unattached(self, terminal: OpenTerminal, name: str = "ada") -> Client:
        client = Client(terminal, name, can_execute=True, administrator=False)
        self.clients.append(client)
        return client

    async def join(self, terminal: OpenTerminal, name: str = "ada", **options: Any) -> Client:
        rights = {key: options.pop(key, default) for key, default in (("can_execute", True), ("administrator", False))}
        client = Client(terminal, name, **rights)
        self.clients.append(client)
        await client.say("attach", **{"cols": 120, "rows": 30, **options})
        await client.saw("hello")
        return client

    async def close(self) -> None:
        for client in self.clients:
            client.gate.set()
        await self.terminals.stop()
        if self.recordings is not None:
            await self.recordings.stop()
        for client in self.clients:
            client.connection.drop()


@pytest.fixture
def room() -> Callable[..., AbstractAsyncContextManager[Room]]:
    """`async with room(**settings)`: a room that is empty again afterwards, without a process or descriptor left.

    `clock`: a `ManualClock`, for what takes long; by default this machine's.
    """

    @asynccontextmanager
    async def opened(
        *, recordings: Path | None = None, clock: Clock | None = None, **settings: Any
    ) -> AsyncIterator[Room]:
        before = _descriptors()
        children = _children()
        it = Room(TerminalSettings(**settings), recordings, clock or SystemClock())
        try:
            yield it
        finally:
            await it.close()
        await holds(lambda: _descriptors() <= before)
        await holds(lambda: _children() <= children)

    return opened


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _children() -> int:
    return sum(row.parent == os.getpid() for row in table().values())
