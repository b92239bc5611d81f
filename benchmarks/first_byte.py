"""How long until something is seen: `POST runs` in a terminal to the first terminal byte on the WebSocket."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any

from ptyprocess import PtyProcess

from jupyter_cabinet.runtimes.demo.runtime import Demo

from .agents import Bare
from .figures import Figure, interleave
from .servers import TimedServer, connect, serving

INSTRUCTION = "sleep 0.1"
BOUND_SECONDS = 30
SIZE = {"cols": 120, "rows": 30}


def measure(rounds: int) -> list[Figure]:
    with serving() as server:

        def ours() -> float:
            return asyncio.run(_first_byte(server))

        def peer() -> float:
            return _first_byte_of_a_bare_pty(server)

        interleave(1, {"ours": ours, "peer": peer})
        found = interleave(rounds * 2, {"ours": ours, "peer": peer})
    return [
        Figure(
            what="a run in a terminal, from asking to its first byte on the WebSocket",
            unit="s",
            **found,
            peer_is="the same command in a bare PTY",
            measure="difference",
            aim=0.25,
        )
    ]


async def _first_byte(server: TimedServer) -> float:
    """As the panel does it: ask for the run, hear of its terminal on the event stream, attach."""
    async with asyncio.timeout(BOUND_SECONDS):
        events = await connect(server, "events")
        await events.read_message()  # hello
        with server.client("ada") as client:
            client.get("health")  # the connection stands
            start = time.perf_counter()
            asked = {"kind": "manual", "runtime": "demo", "instruction": INSTRUCTION, "mode": "terminal", **SIZE}
            reply = await asyncio.to_thread(client.post, "runs", json=asked)
            run_id = reply.json()["id"]
            socket = await connect(server, f"terminals/{await _terminal_of(events, run_id)}/ws")
            await socket.write_message(json.dumps({"type": "attach", **SIZE}))
            await _bytes(socket)
            seconds = time.perf_counter() - start
            await asyncio.to_thread(client.post, f"runs/{run_id}/cancel", json={})
        socket.close()
        events.close()
    return seconds


async def _terminal_of(events: Any, run_id: str) -> str:
    while True:
        frame = json.loads(await events.read_message())
        run = frame.get("event", {}).get("run", {})
        if run.get("id") == run_id and run.get("terminal_id"):
            return str(run["terminal_id"])


async def _bytes(socket: Any) -> bytes:
    while True:
        message = await socket.read_message()
        assert message is not None, "the terminal was closed"
        if isinstance(message, bytes) and message:
            return message


def _first_byte_of_a_bare_pty(server: TimedServer) -> float:
    bare = Bare(server, Demo(), INSTRUCTION, "terminal")
    start = time.perf_counter()
    process = PtyProcess.spawn(list(bare.launch.argv), cwd=bare.folder, env=bare.environment, dimensions=(30, 120))
    os.read(process.fd, 1)
    seconds = time.perf_counter() - start
    process.close(force=True)
    return seconds
