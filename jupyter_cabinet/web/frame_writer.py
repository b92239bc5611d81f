"""Writes messages to WebSockets. The same bytes for many connections are framed once, as one shared object.

The only file that uses tornado's private stream; a test pins the versions it was read with. If anything there is not as
expected, it falls back to `write_message`. Both ways the awaited future is the back-pressure.
"""

from __future__ import annotations

import struct
from collections.abc import Awaitable

from tornado.iostream import IOStream, StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler, WebSocketProtocol, WebSocketProtocol13

# tornado's `WebSocketProtocol13` has a `stream`, and writes each complete frame to it, so that frames never mix. An
# `IOStream` that is not `writing` has nothing left to send, so its socket may be written to.
TORNADO_CHECKED = ((6, 5, 5), (7,))
FRAMES_KEPT = 4  # of different screens at the same time; viewers of one need the same in a row

_FINAL_TEXT, _FINAL_BINARY = 0x81, 0x82
_SHORT, _MEDIUM = 126, 1 << 16

_frames: list[tuple[bytes, bytes]] = []  # the data, by its identity, and its frame; the latest first


def frame_of(data: bytes) -> bytes:
    """Return an unmasked binary frame of RFC 6455.

    The same object as `data` gives the same frame object, until `FRAMES_KEPT` others were made. Equal bytes do not
    count.
    """
    for known, frame in _frames:
        if known is data:
            return frame
    frame = _header(_FINAL_BINARY, len(data)) + data
    _frames.insert(0, (data, frame))
    del _frames[FRAMES_KEPT:]
    return frame


def _header(kind: int, size: int) -> bytes:
    if size < _SHORT:
        return struct.pack("!BB", kind, size)
    if size < _MEDIUM:
        return struct.pack("!BBH", kind, 126, size)
    return struct.pack("!BBQ", kind, 127, size)


def stream_of(connection: WebSocketProtocol) -> IOStream | None:
    """Return the stream for a connection's frames; None if they must be sent in the usual way."""
    if type(connection) is not WebSocketProtocol13 or connection.mask_outgoing or connection._compressor is not None:
        return None
    stream = getattr(connection, "stream", None)
    return stream if isinstance(stream, IOStream) else None


def write_binary(socket: WebSocketHandler, data: bytes) -> Awaitable[None] | None:
    """Write one binary message. None: the kernel has taken it; else await that. Both raise `WebSocketClosedError`."""
    stream = _open_stream(socket)
    return socket.write_message(data, binary=True) if stream is None else _write(stream, frame_of(data))


def write_text(socket: WebSocketHandler, text: str) -> Awaitable[None] | None:
    """Write one text message. None: the kernel has taken it; else await that. Both raise `WebSocketClosedError`."""
    stream = _open_stream(socket)
    if stream is None:
        return socket.write_message(text)
    data = text.encode()
    return _write(stream, _header(_FINAL_TEXT, len(data)) + data)


def _open_stream(socket: WebSocketHandler) -> IOStream | None:
    connection = socket.ws_connection
    if connection is None or connection.is_closing():
        raise WebSocketClosedError
    return stream_of(connection)


def _write(stream: IOStream, frame: bytes) -> Awaitable[None] | None:
    sent = 0 if stream.writing() else _send_now(stream, frame)
    if sent == len(frame):
        return None
    try:
        return _written(stream.write(memoryview(frame)[sent:]))  # now: nothing else may come between
    except StreamClosedError:
        raise WebSocketClosedError from None


async def _written(rest: Awaitable[None]) -> None:
    try:
        await rest
    except StreamClosedError:
        raise WebSocketClosedError from None


def _send_now(stream: IOStream, frame: bytes) -> int:
    """Send what the kernel takes at once, usually everything: then the stream has nothing left to do."""
    if type(stream) is not IOStream:  # encrypted
        return 0
    try:
        return stream.socket.send(frame)
    except BlockingIOError:
        return 0
    except (OSError, AttributeError):  # closed, by the other side or here
        raise WebSocketClosedError from None
