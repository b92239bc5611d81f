"""Viewers of one terminal in a process of their own: plain sockets, so that they cost little beside the server.

Run by `terminals.py`, with what to do as JSON in the first line of the standard input. Answers `ready` when all are
connected; a line lets them begin, and what they saw comes as JSON.
"""

from __future__ import annotations

import base64
import json
import os
import selectors
import socket
import struct
import sys
import time
from typing import Any

BUFFER_BYTES = 1 << 20
TAIL_BYTES = 64
# So much is drawn before it is said, unless there is nothing more to draw.
PRIMARY_ACK_BYTES = 128 << 10
ACK_BYTES = 512 << 10
BINARY, TEXT, CLOSE, PING, PONG = 2, 1, 8, 9, 10
SIZE = {"cols": 80, "rows": 24}
SETTLE_SECONDS = 0.5
GAP_SECONDS = 0.006
ECHO_BOUND_SECONDS = 1.0
PASTE_CHARACTERS = 300_000

_buffer = memoryview(bytearray(BUFFER_BYTES))


class Viewer:
    """One WebSocket. `stock`: jupyter_server_terminals; else ours, which hears what was drawn."""

    def __init__(self, task: dict[str, Any], rate: float | None) -> None:
        self.stock = task["stock"]
        self.rate = rate  # bytes a second that it draws; None: as fast as they come
        self.marker = task.get("marker", "").encode()
        self.done_at: float | None = None
        self.received = self.offset = self.acked = 0
        self.replays = 0
        self.ack_bytes = ACK_BYTES
        self._drawn = 0.0
        self._since = time.perf_counter()
        self._left = 0  # of the frame's payload
        self._opcode = 0
        self._head = b""
        self._text = b""
        self._tail = b""
        self.socket = socket.create_connection(("127.0.0.1", task["port"]))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._upgrade(task)
        if not self.stock:
            self.say({"type": "attach", **SIZE})

    def _upgrade(self, task: dict[str, Any]) -> None:
        lines = [
            f"GET {task['path']} HTTP/1.1",
            f"Host: 127.0.0.1:{task['port']}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
            f"Authorization: token {task['token']}",
            *([] if self.stock else ["Sec-WebSocket-Protocol: cabinet.terminal.v1"]),
        ]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1)
        assert b" 101 " in answer.split(b"\r\n")[0], answer

    # --- out ---------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        if self.stock:
            self._send(TEXT, json.dumps(["stdin", text]).encode())
        else:
            self._send(BINARY, text.encode())

    def say(self, frame: dict[str, Any]) -> None:
        self._send(TEXT, json.dumps(frame).encode())

    def _send(self, opcode: int, data: bytes) -> None:
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 65536:
            head = struct.pack("!BBH", 0x80 | opcode, 0xFE, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0xFF, size)
        self.socket.sendall(head + bytes(4) + data)  # a mask of zeros is a mask

    def draw(self, now: float, *, idle: bool) -> None:
        """Say how much was drawn, where that is worth a message."""
        if self.stock:
            return
        drawn = self.offset
        if self.rate is not None:
            self._drawn = min(self.offset, max(self._drawn, self.acked) + self.rate * (now - self._since))
            self._since = now
            drawn = int(self._drawn)
        if drawn > self.acked and (idle or drawn - self.acked >= self.ack_bytes):
            self.acked = drawn
            self.say({"type": "ack", "offset": drawn})

    # --- in ----------------------------------------------------------------------------------

    def read(self) -> int:
        """Take what is there; return how much that was."""
        try:
            count = self.socket.recv_into(_buffer)
        except ConnectionResetError:
            count = 0
        if not count:
            raise SystemExit("a viewer was disconnected")
        place = 0
        while place < count:
            if self._left:
                taken = min(self._left, count - place)
                self._take(_buffer[place : place + taken])
                place += taken
            else:
                self._head += bytes(_buffer[place : place + 1])
                place += 1
                self._begin()
        return count

    def _begin(self) -> None:
        head = self._head
        if len(head) < 2:
            return
        size = head[1] & 0x7F
        wanted = 2 + (2 if size == 126 else 8 if size == 127 else 0)
        if len(head) < wanted:
            return
        self._opcode = head[0] & 0x0F
        self._left = size if size < 126 else int.from_bytes(head[2:wanted], "big")
        self._head = self._text = b""

    def _take(self, data: memoryview) -> None:
        self._left -= len(data)
        if self._opcode == BINARY or (self.stock and self._opcode == TEXT):
            self.received += len(data)
            self.offset += len(data)
            self._tail = (self._tail + bytes(data[-TAIL_BYTES:]))[-TAIL_BYTES:]
            if self.marker and self.done_at is None and self.marker in self._tail:
                self.done_at = time.perf_counter()
        elif self._opcode in (TEXT, PING):
            self._text += bytes(data)
            if not self._left:
                self._hear()

    def _hear(self) -> None:
        if self._opcode == PING:
            self._send(PONG, self._text)
            return
        frame = json.loads(self._text)
        if frame["type"] == "replay":
            self.replays += 1
            self.offset = self.acked = frame["from"]
            self._drawn = float(self.offset)


class Crowd:
    """Viewers of one terminal. The deaf ones never read; who attached last is primary."""

    def __init__(self, task: dict[str, Any]) -> None:
        rate = task.get("rate")
        viewers = [Viewer(task, None if number else rate) for number in reversed(range(task["viewers"]))]
        self.readers = viewers[task.get("deaf", 0) :]
        self.primary = viewers[-1]
        self.primary.ack_bytes = PRIMARY_ACK_BYTES
        self._deaf = viewers[: task.get("deaf", 0)]
        self._chosen = selectors.DefaultSelector()
        for viewer in self.readers:
            self._chosen.register(viewer.socket, selectors.EVENT_READ, viewer)

    def settle(self, seconds: float) -> None:
        """Take what there is already; it does not count."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.pump(0.05)
        for viewer in self.readers:
            viewer.received = 0

    def pump(self, seconds: float = 0.005) -> None:
        """Read where there is something."""
        ready = self._chosen.select(seconds)
        now = time.perf_counter()
        for key, _ in ready:
            key.data.read()
            key.data.draw(now, idle=False)
        if not ready or self.primary.rate is not None:
            for viewer in self.readers:
                viewer.draw(now, idle=True)


def flood(task: dict[str, Any]) -> None:
    """Start a program that writes much, and see it to its end."""
    crowd = Crowd(task)
    crowd.settle(SETTLE_SECONDS)
    _answer("ready")
    start = time.perf_counter()
    crowd.primary.type(task["go"])
    while any(viewer.done_at is None for viewer in crowd.readers):
        crowd.pump()
    found = {
        "seconds": max(viewer.done_at or 0.0 for viewer in crowd.readers) - start,
        "received": [viewer.received for viewer in crowd.readers],
        "replays": [viewer.replays for viewer in crowd.readers],
    }
    _answer(found)


def stay(task: dict[str, Any]) -> None:
    """Watch until told otherwise; with `go` something that never ends."""
    crowd = Crowd(task)
    crowd.settle(SETTLE_SECONDS)
    if task.get("go"):
        crowd.primary.type(task["go"])
    chosen = selectors.DefaultSelector()
    chosen.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while not chosen.select(0):
        crowd.pump()


def echo(task: dict[str, Any]) -> None:
    """How long until each key comes back; those that do not come in time are missing."""
    crowd = Crowd(task)
    crowd.settle(SETTLE_SECONDS)
    _answer("ready")
    if task.get("paste"):  # into another terminal, whose program does not read
        other = Crowd({**task, "path": task["paste"], "viewers": 1})
        other.settle(SETTLE_SECONDS)
        other.primary.type("x" * PASTE_CHARACTERS)
    seconds = []
    for number in range(task["keys"]):
        time.sleep(GAP_SECONDS * (1 + number % 7 / 7))  # never in step with anything
        crowd.pump(0)
        before, start = crowd.primary.received, time.perf_counter()
        crowd.primary.type("k")
        while crowd.primary.received == before and time.perf_counter() - start < ECHO_BOUND_SECONDS:
            crowd.pump()
        if crowd.primary.received > before:
            seconds.append(time.perf_counter() - start)
    _answer({"seconds": seconds})


def _answer(value: Any) -> None:
    """Say it, and wait to be told to go on."""
    print(value if isinstance(value, str) else json.dumps(value), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    {"flood": flood, "stay": stay, "echo": echo}[given["mode"]](given)
