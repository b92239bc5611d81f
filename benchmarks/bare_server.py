"""The least that can stand between a PTY and viewers: one loop that reads the one and sends frames to the others.

No turns, no replay, no filter, no HTTP server: what is possible at all with Python's own sockets and selectors. Run by
`terminals.py` with a command line as its arguments; prints its port, ends when its standard input does.
"""

from __future__ import annotations

import base64
import hashlib
import os
import selectors
import socket
import struct
import sys

from ptyprocess import PtyProcess

READ_TURN_BYTES = 16 << 10  # as our PTYs
FRAME_BYTES = 128 << 10
AHEAD_BYTES = 1 << 20  # a viewer with so much unsent slows the program
FLUSH_SECONDS = 0.02
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455


class Viewer:
    """One socket, and what it has not taken."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.rest = b""
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(4096)
        lines = dict(line.split(b": ", 1) for line in request.split(b"\r\n")[1:] if b": " in line)
        accept = base64.b64encode(hashlib.sha1(lines[b"Sec-WebSocket-Key"] + GUID).digest())
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, frame: bytes) -> None:
        """Send what the kernel takes, keep the rest."""
        data = self.rest + frame if self.rest else frame
        try:
            sent = self.socket.send(data) if data else 0
        except BlockingIOError:
            sent = 0
        self.rest = data[sent:]


class Loop:
    """Until the standard input ends."""

    def __init__(self, argv: list[str]) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._process = PtyProcess.spawn(argv, dimensions=(24, 80))
        os.set_blocking(self._process.fd, False)
        self._chosen = selectors.DefaultSelector()
        self._viewers: list[Viewer] = []
        self._parts: list[bytes] = []
        self._held = 0
        self._reading = False
        self._read_on(True)
        for file in (self._listener, sys.stdin):
            self._chosen.register(file, selectors.EVENT_READ)
        print(self._listener.getsockname()[1], flush=True)

    def run(self) -> None:
        while True:
            ready = self._chosen.select(FLUSH_SECONDS)
            if not ready:
                self._flush()
            for key, events in ready:
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj == self._process.fd:
                    self._read()
                else:
                    self._serve(key.data, events)

    def _accept(self) -> None:
        viewer = Viewer(self._listener.accept()[0])
        self._viewers.append(viewer)
        self._chosen.register(viewer.socket, selectors.EVENT_READ, viewer)

    def _read(self) -> None:
        for _ in range(READ_TURN_BYTES // 4096):
            try:
                data = os.read(self._process.fd, 4096)
            except BlockingIOError:
                break
            except OSError:  # the program has ended
                self._read_on(False)
                break
            self._parts.append(data)
            self._held += len(data)
        if self._held >= FRAME_BYTES:
            self._flush()

    def _flush(self) -> None:
        if not self._held:
            return
        data = b"".join(self._parts)
        self._parts, self._held = [], 0
        frame = struct.pack("!BBQ", 0x82, 127, len(data)) + data
        for viewer in self._viewers:
            viewer.send(frame)
            if viewer.rest:
                self._chosen.modify(viewer.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, viewer)
        self._pace()

    def _serve(self, viewer: Viewer, events: int) -> None:
        if events & selectors.EVENT_READ:
            said = viewer.socket.recv(1 << 16)  # acks, and the word to go
            if b"go\n" in said:
                os.write(self._process.fd, b"go\n")
            if not said:
                self._chosen.unregister(viewer.socket)
                self._viewers.remove(viewer)
                return
        if events & selectors.EVENT_WRITE:
            viewer.send(b"")
            if not viewer.rest:
                self._chosen.modify(viewer.socket, selectors.EVENT_READ, viewer)
            self._pace()

    def _pace(self) -> None:
        self._read_on(all(len(viewer.rest) < AHEAD_BYTES for viewer in self._viewers))

    def _read_on(self, on: bool) -> None:
        if on != self._reading and self._process.fd >= 0:
            self._reading = on
            if on:
                self._chosen.register(self._process.fd, selectors.EVENT_READ)
            else:
                self._chosen.unregister(self._process.fd)


if __name__ == "__main__":
    Loop(sys.argv[1:]).run()
