"""The two servers of `terminals.py`, ours and stock, a bare loop beside them, and what is done to each of them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from .servers import TimedServer, serving

MARK = "BENCHMARK"  # ends a flood
MIB = 1 << 20

FLOOD = """
import os, sys
sys.stdin.readline()
line = b"%07d The quick brown fox jumps over the lazy dog, and the dog does not mind.\\n"
block = b"".join(line % number for number in range(512))
left = int(sys.argv[1])
while left > 0:
    data = block[:left]
    left -= len(data)
    while data:
        data = data[os.write(1, data):]
os.write(1, b"BENCH" + b"MARK\\n")
sys.stdin.readline()
"""


class Side:
    """One server, ours or stock."""

    def __init__(self, server: TimedServer, *, stock: bool) -> None:
        self.server = server
        self.stock = stock
        self.port = server.port
        self.process = psutil.Process(server.pid)

    @contextmanager
    def terminal(self, *command: str) -> Iterator[str]:
        """A terminal with a program in it; the path of its WebSocket."""
        with self.server.client("ada") as client:
            address, name = self._open(client, command)
            path = f"terminals/websocket/{name}" if self.stock else f"cabinet/api/terminals/{name}/ws"
            yield f"{self.server.base_url}{path}"
            with suppress(httpx.TransportError):  # the server was killed
                client.delete(f"{address}/{name}")

    def _open(self, client: httpx.Client, command: tuple[str, ...]) -> tuple[str, str]:
        if self.stock:
            address = f"{self.server.url}api/terminals"
            reply = client.post(address, json={"shell_command": list(command)} if command else {})
            return address, reply.raise_for_status().json()["name"]
        body = {"command": list(command), "record": False} if command else {"record": False}
        return "terminals", client.post("terminals", json=body).raise_for_status().json()["id"]

    @contextmanager
    def viewers(self, mode: str, path: str, viewers: int = 1, **task: Any) -> Iterator[Viewers]:
        """A process with viewers."""
        task |= {
            "mode": mode,
            "path": path,
            "viewers": viewers,
            "stock": self.stock,
            "marker": MARK,
            "go": task.get("go"),
        }
        task |= {"port": self.port, "token": self.server.token("ada")}
        with Viewers(task) as it:
            yield it

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def rss(self) -> int:
        return int(self.process.memory_info().rss)


class BareSide(Side):
    """`bare_server.py`: the second limit, beside the PTY's own."""

    def __init__(self, server: TimedServer) -> None:
        """`server`: only its token is used."""
        super().__init__(server, stock=False)

    @contextmanager
    def terminal(self, *command: str) -> Iterator[str]:
        with subprocess.Popen(
            [sys.executable, "-m", "benchmarks.bare_server", *command],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            self.port = int(process.stdout.readline())
            self.process = psutil.Process(process.pid)
            yield "/"
            process.kill()


class Viewers:
    """`terminal_viewers.py` with a task."""

    def __init__(self, task: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.terminal_viewers"],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say(json.dumps(task))
        assert self._hear() == "ready\n"

    def result(self) -> dict[str, Any]:
        """Let them begin; return what they saw."""
        self._say("")
        found: dict[str, Any] = json.loads(self._hear())
        return found

    def __enter__(self) -> Viewers:
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def both() -> Iterator[tuple[Side, Side]]:
    with ExitStack() as stack:
        ours = stack.enter_context(serving())
        stock = stack.enter_context(serving(enabled=False))
        try:
            yield Side(ours, stock=False), Side(stock, stock=True)
        finally:
            stock.kill()  # with much unsent it does not always stop


class Flood:
    """One flood: what arrived, and what it cost the server."""

    def __init__(self, side: Side, viewers: int, mib: int, **task: Any) -> None:
        with (
            side.terminal(sys.executable, "-S", "-c", FLOOD, str(mib * MIB)) as path,
            side.viewers("flood", path, viewers, go="go\n", **task) as watching,
        ):
            cpu = side.cpu_seconds()
            found = watching.result()
            self.seconds: float = found["seconds"]
            self.received: list[int] = found["received"]
            self.replays: list[int] = found["replays"]
            # The program's bytes: the stock protocol's quoting does not count.
            self.delivered_mib = mib * len(self.received)
            self.rate = self.delivered_mib / self.seconds
            self.cpu_ms_per_mib = (side.cpu_seconds() - cpu) * 1000 / self.delivered_mib
            self.whole = all(count >= mib * MIB for count in self.received)


class Peak:
    """How much a server's memory grows at most meanwhile."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.grown = 0

    def __enter__(self) -> Peak:
        self._before = self._side.rss()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            self.grown = max(self.grown, self._side.rss() - self._before)
