"""Connections cut at random during a flood: afterwards the server holds what it held before.

`CABINET_CHAOS_SECONDS=300` does it for five minutes, and prints the figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from harness.server import Server, processes_below, until
from harness.sockets import connect
from tornado.websocket import WebSocketClosedError

SECONDS = float(os.environ.get("CABINET_CHAOS_SECONDS", "8"))
CLIENTS = 8
WARM_SECONDS = 2.0
SAME_MEMORY_BYTES = 24 << 20  # the rings and what the allocator keeps of them

# Colours, titles, queries, full screens, characters of every length; after a key it continues with something else.
FLOOD = r"""
import os, random, sys, threading, time, tty
tty.setraw(0)
pieces = [
    b"plain line of text\r\n" * 40,
    "日本 — grüße 🌍\r\n".encode() * 20,
    b"\x1b[31mred\x1b[0m\x1b[K" * 30,
    b"\x1b[6n\x1b[c\x1b]0;title\x07",
    b"\x1b[?1049h\x1b[2J\x1b[H",
    b"\x1b[?1049l",
    b"\x1b]52;c;QUJD\x07",
    b"\x1bPq" + b"~" * 9000 + b"\x1b\\",
    os.urandom(200),
]
def keys():
    while os.read(0, 1 << 16):
        pass
threading.Thread(target=keys, daemon=True).start()
while True:
    data = b"".join(random.choices(pieces, k=50))
    while data:
        data = data[os.write(1, data):]
    if random.random() < 0.02:
        time.sleep(random.random() / 5)
"""


class Client:
    """One that comes, draws at some speed, stops drawing, leaves without a word, comes again."""

    def __init__(self, server: Server, terminal: str, chance: random.Random) -> None:
        self.server, self.terminal, self.chance = server, terminal, chance
        self.connections = self.received = self.replays = 0

    async def live(self, end: float) -> None:
        while time.monotonic() < end:
            socket = await connect(self.server, f"terminals/{self.terminal}/ws")
            self.connections += 1
            with suppress(WebSocketClosedError):
                await self._watch(socket, min(end, time.monotonic() + self.chance.uniform(0.05, 3)))
            if self.chance.random() < 0.7:
                socket.protocol.stream.close()  # cut, in the middle of whatever it was
            else:
                socket.close()

    async def _watch(self, socket: Any, end: float) -> None:
        size = {"cols": self.chance.randint(20, 200), "rows": self.chance.randint(5, 60)}
        await socket.write_message(json.dumps({"type": "attach", **size}))
        draws, offset = self.chance.random() < 0.8, 0
        while time.monotonic() < end:
            try:
                async with asyncio.timeout(0.5):
                    message = await socket.read_message()
            except TimeoutError:
                continue
            if message is None:
                return
            if isinstance(message, bytes):
                self.received += len(message)
                offset += len(message)
                if draws:
                    await socket.write_message(json.dumps({"type": "ack", "offset": offset}))
            elif (frame := json.loads(message))["type"] == "replay":
                self.replays += 1
                offset = frame["from"]
            if self.chance.random() < 0.02:
                await self._do_something(socket, size)
            if self.chance.random() < 0.005:
                await asyncio.sleep(self.chance.random())  # does not read

    async def _do_something(self, socket: Any, size: dict[str, int]) -> None:
        said = self.chance.choice(
            [
                {"type": "request_control"},
                {"type": "revoke_control"},
                {"type": "ping"},
                {"type": "resize", **size},
                {"type": "nonsense"},
                None,
            ]
        )
        await socket.write_message(b"keys" * 10, binary=True) if said is None else await socket.write_message(
            json.dumps(said)
        )


def held(server: Server) -> dict[str, Any]:
    with server.client("ada") as client:
        found: dict[str, Any] = client.get(f"{server.url}harness/insides").json()
    memory = psutil.Process(server.pid).memory_info().rss
    return {**found, "processes": len(processes_below(server.pid)), "memory": memory}


def chaos(server: Server, seconds: float, seed: int) -> list[Client]:
    with server.client("ada") as client:
        command = [sys.executable, "-S", "-c", FLOOD]
        terminal = client.post("terminals", json={"command": command}).raise_for_status().json()["id"]
        clients = [Client(server, terminal, random.Random(seed + number)) for number in range(CLIENTS)]

        async def run() -> None:
            async with asyncio.TaskGroup() as group:
                for each in clients:
                    group.create_task(each.live(time.monotonic() + seconds))

        asyncio.run(run())
        assert client.get(f"terminals/{terminal}").json()["exited"] is False
        client.delete(f"terminals/{terminal}").raise_for_status()
    return clients


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    it = Server(
        tmp_path,
        arguments=(
            "--CabinetApp.trust=always",
            "--CabinetApp.session_index=False",  # it opens its files at some time in the background
            "--ServerApp.jpserver_extensions=harness.insides=True",
        ),
    ).start()
    yield it
    it.stop()


@pytest.mark.long(reason="a flood, and eight clients that come and go for a while")
@pytest.mark.timeout(SECONDS + 120)
def test_after_a_flood_with_connections_cut_at_random_the_server_holds_no_more_than_before(server):
    chaos(server, WARM_SECONDS, 0)  # what is made once
    before = until(lambda: held(server), what="the first look")
    clients = chaos(server, SECONDS, 1)

    def no_more() -> bool:
        now = held(server)
        # What the warming up has opened may be closed only after the first look.
        fewer = all(now[name] <= before[name] for name in ("descriptors", "processes"))
        return fewer and now["tasks"] == before["tasks"]

    with suppress(AssertionError):
        until(no_more, what="no more than before")
    after = held(server)
    figures = {
        "connections": sum(each.connections for each in clients),
        "received MiB": sum(each.received for each in clients) >> 20,
        "replays": sum(each.replays for each in clients),
    }
    print(figures, before, after, sep="\n")
    assert after["tasks"] == before["tasks"]
    assert after["descriptors"] <= before["descriptors"] and after["processes"] <= before["processes"]
    assert after["memory"] - before["memory"] < SAME_MEMORY_BYTES
    assert "Traceback" not in server.log and "never retrieved" not in server.log
    assert figures["connections"] > CLIENTS and figures["received MiB"] > 0
