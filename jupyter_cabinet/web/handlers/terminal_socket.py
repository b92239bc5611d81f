"""`terminals/{id}/ws`: the WebSocket `cabinet.terminal.v1` as a `Viewer` of the terminals room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tornado.websocket import WebSocketClosedError

from ...terminals.frames import SUBPROTOCOL
from ...terminals.viewers.transport import Rights
from ..frame_writer import write_binary, write_text
from ..operation import operation
from ..sockets import LOST_RIGHT, CabinetSocket

if TYPE_CHECKING:
    from ...terminals.terminal import OpenTerminal
    from ...terminals.viewers.connection import Connection

Message = TypeVar("Message", str, bytes)

# A hidden browser tab may run its timers only once a minute, too seldom to send `ping` itself: the browser answers
# these.
PING_MILLISECONDS = 10_000
# A frame that closes may have 125 bytes, two of them for the code. A reason may name a person with a long name.
LONGEST_REASON_BYTES = 123


class TerminalSocket(CabinetSocket):
    """`terminals/{id}/ws`"""

    auth_resource = "cabinet-terminals"

    @operation("read", socket=True)
    async def get(self, terminal_id: str) -> None:
        """Watch a terminal, and type into it when it is the caller's turn. Subprotocol `cabinet.terminal.v1`."""
        self.terminal = self.services.terminals.get(terminal_id, self.principal)
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
        self.set_nodelay(True)  # a key press must not wait for other requests
        viewer = SocketViewer(self)
        self.connection: Connection = self.terminal.connect(
            viewer, self.principal, can_execute=self.can_execute, ask=self._rights
        )

    def on_message(self, message: str | bytes) -> Awaitable[None] | None:
        at_once = self.connection.receive_ack(message) or self.connection.receive_keys(message)
        return None if at_once else self._receive(message)

    async def _receive(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            await self.connection.receive_bytes(message)
        else:
            await self.connection.receive_text(message)

    def on_close(self) -> None:
        super().on_close()
        self.connection.drop()

    async def is_welcome(self) -> bool:
        """Return whether the viewer is still the same, and may still see this terminal.

        A person who is no longer an administrator may not see a terminal that is private to another.
        """
        return await super().is_welcome() and self.terminal.admits(self.principal)

    async def look_again(self) -> None:
        """Check the viewer's rights again. One that only watches is also notified about a right."""
        await self.connection.check_rights()

    def send_away(self) -> None:
        """Close with 4403. Nothing more is accepted from them, however long they take to leave."""
        self.connection.close(LOST_RIGHT, "not_allowed")

    async def _rights(self) -> Rights:
        if not await self.is_welcome():
            self.send_away()
            return Rights(can_execute=False)
        return Rights(can_execute=await self.may("execute"), administrator=self.principal.administrator)

    if TYPE_CHECKING:
        terminal: OpenTerminal


class SocketViewer:
    """The room's `Viewer` on a WebSocket."""

    def __init__(self, socket: TerminalSocket) -> None:
        self._socket = socket

    def send_text(self, text: str) -> Awaitable[None] | None:
        return _sent(write_text, self._socket, text)

    def send_bytes(self, data: bytes) -> Awaitable[None] | None:
        return _sent(write_binary, self._socket, data)

    def close(self, code: int, reason: str) -> None:
        self._socket.close(code, reason.encode()[:LONGEST_REASON_BYTES].decode(errors="ignore"))


def _sent(
    write: Callable[[TerminalSocket, Message], Awaitable[None] | None], socket: TerminalSocket, message: Message
) -> Awaitable[None] | None:
    try:
        rest = write(socket, message)
    except WebSocketClosedError:
        raise ConnectionError from None
    return None if rest is None else _taken(rest)


async def _taken(rest: Awaitable[None]) -> None:
    try:
        await rest
    except WebSocketClosedError:
        raise ConnectionError from None
