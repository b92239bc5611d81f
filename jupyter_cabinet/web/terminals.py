"""`terminals`: who may look, and the WebSocket `cabinet.terminal.v1` as a `Viewer` of the room.

Opening a shell and steering an agent by hand come with the shared terminals; here a run opens its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tornado.websocket import WebSocketClosedError

from ..core.errors import NotYourTurn
from ..core.people import owns
from ..terminals.model import SUBPROTOCOL, Terminal
from .handler import CabinetHandler
from .operation import operation
from .sockets import CabinetSocket

if TYPE_CHECKING:
    from ..terminals.connection import Connection
    from ..terminals.terminal import OpenTerminal


# A hidden browser tab may run its timers once a minute, too seldom to say `ping` itself: the browser answers these.
PING_MILLISECONDS = 10_000


class TerminalList(msgspec.Struct, frozen=True, kw_only=True):
    """Oldest first."""

    items: tuple[Terminal, ...]
    next: str | None = None


class TerminalsHandler(CabinetHandler):
    """`terminals`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=TerminalList)
    async def get(self) -> None:
        """The terminals that the caller may see."""
        self.reply(TerminalList(items=tuple(self.rooms.terminals.list(self.principal))))


class TerminalHandler(CabinetHandler):
    """`terminals/{id}`"""

    auth_resource = "cabinet-terminals"

    @operation("read", gives=Terminal)
    async def get(self, terminal_id: str) -> None:
        """One terminal as it is now."""
        self.reply(self.rooms.terminals.get(terminal_id, self.principal).view())

    @operation("execute", status=204)
    async def delete(self, terminal_id: str) -> None:
        """Close a terminal and everything in it. For who controls it, who started it, and administrators."""
        terminal = self.rooms.terminals.get(terminal_id, self.principal)
        if not owns(self.principal, terminal.about.owner.username) and not terminal.desk.controls(self.principal):
            raise NotYourTurn("Only who controls or started this terminal may close it.")
        await self.rooms.terminals.close(terminal_id, f"Closed by {self.principal.display_name}.")
        self.reply_empty()


class TerminalSocket(CabinetSocket):
    """`terminals/{id}/ws`"""

    auth_resource = "cabinet-terminals"

    @operation("read", socket=True)
    async def get(self, terminal_id: str) -> None:
        """Watch a terminal, and type into it when it is the caller's turn. Subprotocol `cabinet.terminal.v1`."""
        self.terminal = self.rooms.terminals.get(terminal_id, self.principal)
        self.can_execute = await self.may("execute")
        await self.upgrade()

    @property
    def ping_interval(self) -> int:
        return PING_MILLISECONDS

    def on_pong(self, data: bytes) -> None:
        super().on_pong(data)  # type: ignore[no-untyped-call]
        self.connection.heard()

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return SUBPROTOCOL if SUBPROTOCOL in subprotocols else None

    def open(self, *arguments: str) -> None:
        super().open(*arguments)
        self.set_nodelay(True)  # a key press must not wait for company
        viewer = SocketViewer(self)
        self.connection: Connection = self.terminal.connect(viewer, self.principal, can_execute=self.can_execute)

    async def on_message(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            await self.connection.receive_bytes(message)
        else:
            await self.connection.receive_text(message)

    def on_close(self) -> None:
        super().on_close()
        self.connection.drop()

    if TYPE_CHECKING:
        terminal: OpenTerminal


class SocketViewer:
    """The room's `Viewer` on a WebSocket."""

    def __init__(self, socket: TerminalSocket) -> None:
        self._socket = socket

    def send_text(self, text: str) -> None:
        try:
            self._socket.write_message(text)
        except WebSocketClosedError:
            raise ConnectionError from None

    async def send_bytes(self, data: bytes) -> None:
        try:
            await self._socket.write_message(data, binary=True)
        except WebSocketClosedError:
            raise ConnectionError from None

    def close(self, code: int, reason: str) -> None:
        self._socket.close(code, reason)
