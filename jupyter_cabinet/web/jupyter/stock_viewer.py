"""One stock terminal WebSocket as a viewer of a shared terminal; to terminado it looks like a PTY with clients.

A stock client has no buttons: a key takes control if nobody has it, and a refusal is shown by the bell and in the
terminal's title. It has no acks either: everything that the transport has taken counts as drawn.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import math
from asyncio import Future
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import msgspec
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from ...core.clock import Clock
from ...core.errors import CabinetError
from ...core.people import Principal
from ...terminals.frames import Attach, RequestControl, Resize
from ...terminals.terminal import OpenTerminal
from ...terminals.viewers.connection import Connection
from ...terminals.viewers.transport import HIDDEN
from ..identity import may
from ..same_caller import SameCaller

RIGHT_KEPT_SECONDS = 1.0  # how long an answer of the identity provider and the authorizer counts
LOOK_EVERY_SECONDS = 3.0  # whether the person still may, and is still there
REFUSALS = {
    "agent_running": "Not sent: an agent is running",
    "ending": "Not sent: an agent is running",
    "busy": "Not sent: the program does not read its input",
    "exited": "Not sent: the program has ended",
    "read_only": "Not sent: view only",
}
# The content of a notice may not be true any more.
OVERTAKES = (
    "agent_state",
    "control_taken",
    "control_granted",
    "control_denied",
    "control_revoked",
    "control_expired",
    "control_withdrawn",
)


class StockViewer:
    """`clients` and `ptyproc` are the attributes that terminado's socket uses; both are this object."""

    def __init__(self, opening: asyncio.Task[OpenTerminal], clock: Clock) -> None:
        self._opening = opening
        self._clock = clock
        self._socket: Any = None
        self._connection: Connection | None = None
        self._principal: Principal
        self._drawn = 0  # offset
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._busy = asyncio.Lock()  # keys leave in order
        self._tasks: set[asyncio.Task[None]] = set()
        self._right_until = -math.inf
        self._noticed = False
        self._told: Future[None] | None = None  # the last write; everything before it is finished when it is
        self.read_buffer: deque[str] = deque()  # terminado's replay: ours comes through the stream
        self.clients = self
        self.ptyproc = self

    # --- called by terminado's socket --------------------------------------------------------

    def append(self, socket: Any) -> None:
        """Attach a WebSocket that was opened, once the terminal is open. An error of opening is shown in it."""
        from .stock_terminals import principal_of

        self._socket = socket
        self._principal = principal_of(socket)
        self._caller = SameCaller(socket, self._clock)
        self._later(self._attach())
        self._watching = self._later(self._watch())

    def remove(self, socket: Any) -> None:
        """Stop watching for this socket, which was closed, and drop its connection."""
        self._watching.cancel()
        if self._connection is not None:
            self._connection.drop()

    def write(self, text: str) -> None:
        """Pass on what the person typed, in order.

        It takes control if nobody has it, and a refusal is shown in the title.
        """
        self._later(self._type(text))

    def resize_to_smallest(self) -> None:
        """Report the client's size, which counts while its person has control."""
        self._later(self._resize())

    # --- the room's `Viewer` -----------------------------------------------------------------

    def send_text(self, text: str) -> Awaitable[None] | None:
        self._take(json.loads(text))
        return None if self._told is None or self._told.done() else _flushed(self._told)

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] in OVERTAKES:
            self._unsay()
        match frame["type"]:
            case "replay":
                self._drawn = frame["from"]
                self._decoder.reset()
                if frame["reset"]:
                    self._tell("\x1bc" + frame["prelude"])
            case "input_rejected":
                self._notice(self._refusal(frame["reason"]))
            case "control_taken" | "control_granted":
                self._later(self._resize())
            case "control_requested":
                self._notice(f"{frame['by']['display_name']} asks for control")
            case "exited":
                self._end()

    async def send_bytes(self, data: bytes) -> None:
        await _flushed(self._tell(self._decoder.decode(data)))
        self._socket._update_activity()  # the stock method also does this: the culler reads it
        self._drawn += len(data)
        if self._connection is not None:
            self._connection.stream.acked(self._drawn)

    def close(self, code: int, reason: str) -> None:
        if code == HIDDEN:  # a stock client would otherwise connect again, and not show the reason
            with suppress(ConnectionError, WebSocketClosedError):  # it is just going away
                self._tell(f"\r\n{reason}\r\n")
                self._socket.on_pty_died()
            self.remove(self._socket)
        self._socket.close(code, reason)

    # --- inside ------------------------------------------------------------------------------

    async def _attach(self) -> None:
        try:
            terminal = await asyncio.shield(self._opening)
            self._connection = terminal.connect(self, self._principal, can_execute=True)
        except CabinetError as error:
            self._tell(f"{error.message}\r\n")
            self._end()
            return
        size = self._size() or terminal.display.size
        await self._say(Attach(cols=size.cols, rows=size.rows))

    def _end(self) -> None:
        self._socket.on_pty_died()
        self.remove(self._socket)  # terminado identifies us by that, and does not call it

    async def _watch(self) -> None:
        """A stock client sends nothing while nobody types: its WebSocket's own pings show that it is there."""
        while True:
            await self._clock.sleep(LOOK_EVERY_SECONDS)
            if self._connection is not None:
                self._connection.heard()
            await self._may()

    async def _type(self, text: str) -> None:
        async with self._busy:
            connection = self._connection
            if connection is None or not await self._may():
                return
            if connection.refusal() == "not_controller" and self._nobody_controls():
                await self._say(RequestControl())
            if connection.refusal() is None:
                self._unsay()
            await connection.receive_bytes(text.encode())

    async def _resize(self) -> None:
        size = self._size()
        if size is not None and self._connection is not None and self._connection.refusal() is None:
            await self._say(size)

    async def _may(self) -> bool:
        """Check that it is still this person, and they may still execute: the stock route asks only once."""
        now = self._clock.monotonic()
        if now < self._right_until:
            return True
        if await self._caller.is_here() and await may(self._socket, "execute", self._socket.auth_resource):
            self._right_until = now + RIGHT_KEPT_SECONDS
            return True
        self._send_away()
        return False

    def _send_away(self) -> None:
        """Nothing more is accepted from them, however long they take to leave."""
        if self._connection is not None:
            self._connection.drop()
        self._socket.close()

    def _nobody_controls(self) -> bool:
        return self._opening.result().control.turn.controller is None

    def _size(self) -> Resize | None:
        rows, cols = (*self._socket.size, None, None)[:2]  # the client's input, unchanged
        return Resize(cols=cols, rows=rows) if rows and cols else None

    async def _say(self, frame: Any) -> None:
        assert self._connection is not None
        await self._connection.receive_text(msgspec.json.encode(frame))

    def _refusal(self, reason: str) -> str:
        controller = self._opening.result().control.turn.controller
        return REFUSALS.get(reason) or f"Not sent: {controller.display_name if controller else 'nobody'} has control"

    def _notice(self, text: str) -> None:
        self._noticed = True
        self._tell(f"\x07{_title(text)}")

    def _unsay(self) -> None:
        """Restore the title that the program gave to the tab, after a notice."""
        if self._noticed:
            self._noticed = False
            terminal = self._opening.result()
            screen = terminal.display.shown
            title = screen.title if screen is not None else ""
            self._tell(_title(title or f"Terminal {terminal.about.name}"))

    def _tell(self, text: str) -> Future[None]:
        try:
            # not the stock method, which drops the future: that wait is the back-pressure
            self._told = WebSocketHandler.write_message(self._socket, json.dumps(["stdout", text]))
        except WebSocketClosedError:
            raise ConnectionError from None
        self._told.add_done_callback(_forget)
        return self._told

    def _later(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _forget(told: Future[None]) -> None:
    """A closed connection is noticed elsewhere."""
    if not told.cancelled():
        told.exception()


async def _flushed(told: Awaitable[None]) -> None:
    try:
        await told
    except WebSocketClosedError:
        raise ConnectionError from None


def _title(text: str) -> str:
    plain = "".join(character for character in text if character.isprintable())
    return f"\x1b]2;{plain}\x07"
