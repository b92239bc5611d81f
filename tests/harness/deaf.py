"""A WebSocket client that says what it likes and reads nothing, so that it neither takes what it is sent nor goes."""

from __future__ import annotations

import socket
import struct

from .server import Server

TEXT, BINARY = 0x81, 0x82
BOUND_SECONDS = 30.0


class Deaf:
    """Connected from the beginning of a `with` block. `say` raises `OSError` when the server has given it up."""

    def __init__(self, server: Server, path: str, *, username: str = "ada") -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(BOUND_SECONDS)
        self._socket.connect(("127.0.0.1", server.port))
        self._socket.sendall(
            (
                f"GET {server.base_url}cabinet/api/{path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: token {server.token(username)}\r\n\r\n"
            ).encode()
        )
        head = self._socket.recv(12)
        assert head == b"HTTP/1.1 101", head

    def say(self, data: bytes, kind: int = TEXT) -> None:
        """One frame. Returns when the server's side has taken it."""
        self._socket.sendall(_frame(data, kind))

    def say_often(self, data: bytes, times: int) -> None:
        self._socket.sendall(_frame(data, TEXT) * times)

    def __enter__(self) -> Deaf:
        return self

    def __exit__(self, *raised: object) -> None:
        self._socket.close()


def _frame(data: bytes, kind: int) -> bytes:
    """Masked, with zeros."""
    size = len(data)
    if size < 126:
        header = struct.pack("!BB", kind, 0x80 | size)
    elif size < 1 << 16:
        header = struct.pack("!BBH", kind, 0x80 | 126, size)
    else:
        header = struct.pack("!BBQ", kind, 0x80 | 127, size)
    return header + bytes(4) + data
