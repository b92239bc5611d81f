"""The port for a WebSocket. `web/` implements it; this room knows no HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

# The codes that `close` is called with: those of RFC 6455, and a private one.
NORMAL = 1000  # the terminal is closed
PROTOCOL_VIOLATED = 1008  # no `attach` first, or silence
TOO_LARGE = 1009  # a frame over `MAX_FRAME_BYTES`
HIDDEN = 4404  # as a 404: the terminal is private to another person
TRY_AGAIN = 1013  # this viewer reads too slowly to keep up with the output

MAX_FRAME_BYTES = 1 << 20


class ViewerTransport(Protocol):
    """One client's transport. Its methods may raise `ConnectionError` when the client is gone.

    Sending returns None when the transport has taken everything; otherwise an awaitable that must finish before
    anything more is sent. This wait is the back-pressure. Cancelling it gives up the transport.
    """

    def send_text(self, text: str) -> Awaitable[None] | None:
        """Send a text frame. None: it is taken; otherwise await the result before anything more is sent."""

    def send_bytes(self, data: bytes) -> Awaitable[None] | None:
        """Send a binary frame. None: it is taken; otherwise await the result before anything more is sent."""

    def close(self, code: int, reason: str) -> None:
        """Close the connection. Nothing is sent afterwards. Does not wait; may be called twice."""


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """The current rights of a connected person, beyond watching."""

    can_execute: bool
    administrator: bool = False


AskRights = Callable[[], Awaitable[Rights]]
