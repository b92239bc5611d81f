"""Shared terminals against stock `jupyter_server_terminals`: what viewers get, what they cost, how fast keys come back.

Each has a server of its own, both run all the time; viewers are in other processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
import psutil
from ptyprocess import PtyProcess

from .figures import Figure, interleave
from .servers import TimedServer, serving

STOCK = "stock terminals"
MARK = "BENCHMARK"
MIB = 1 << 20
# viewers: (MiB that the program writes for ours, for stock, the aim)
SIZES = {1: (96, 96, 1.3), 10: (64, 32, 7.0), 50: (48, 8, 9.0), 100: (32, 4, 10.0)}
CPU_AIM = 1 / 15
KEYS = 300
DEAF, DEAF_MIB, DEAF_AIM_MIB = 10, 200, 16.0
IDLE, IDLE_AIM_KIB = 100, 40.0
PASTE_KEYS = 50
SLOW_BYTES_PER_SECOND, SLOW_MIB = 6_000_000, 16
RAW_AIM = 0.9
BARE = "a loop that only reads and sends"
BARE_AIMS = {1: 0.9, 10: 0.9}  # viewers: of what the bare loop delivers
BARE_CPU_AIM = 2.0

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
DEAF_PROGRAM = "import time, tty; tty.setraw(0); time.sleep(600)"


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


def measure(rounds: int) -> list[Figure]:
    rounds = max(3, min(rounds, 5))
    figures = []
    with both() as sides:
        for part in (_throughput, _raw, _bare, _echoes, _paste, _slow):
            figures += part(sides, rounds)
    figures += _deaf(rounds)
    return figures + _idle(rounds)


# --- how much arrives ------------------------------------------------------------------------------


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


def _throughput(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    figures = []
    for viewers, (ours_mib, stock_mib, aim) in SIZES.items():
        ours, stock = _floods(sides, rounds, viewers, ours_mib, stock_mib)
        rates = {"ours": tuple(each.rate for each in ours), "peer": tuple(each.rate for each in stock)}
        what = f"delivered to {viewers} viewer{'s' if viewers > 1 else ''} of one terminal"
        figures.append(_figure(what, "MiB/s", rates, aim, at_least=True))
        if viewers == 50:
            cost = {
                "ours": tuple(each.cpu_ms_per_mib for each in ours),
                "peer": tuple(each.cpu_ms_per_mib for each in stock),
            }
            figures.append(
                _figure("the server's processor time for each MiB delivered to 50 viewers", "ms", cost, CPU_AIM)
            )
    return figures


def _floods(
    sides: tuple[Side, Side], rounds: int, viewers: int, ours_mib: int, stock_mib: int
) -> tuple[list[Flood], list[Flood]]:
    found: tuple[list[Flood], list[Flood]] = ([], [])

    def part(index: int, mib: int) -> Callable[[], float]:
        def run() -> float:
            flood = Flood(sides[index], viewers, mib)
            assert flood.whole, f"{viewers} viewers: {flood.received}"
            found[index].append(flood)
            return flood.rate

        return run

    interleave(rounds, {"ours": part(0, ours_mib), "peer": part(1, stock_mib)})
    return found


def _raw(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    mib = SIZES[1][0]
    parts = {"ours": lambda: Flood(sides[0], 1, mib).rate, "peer": lambda: _raw_rate(mib)}
    found = interleave(rounds, parts)
    what = "one viewer, beside the PTY itself"
    return [_figure(what, "MiB/s", found, RAW_AIM, at_least=True, peer_is="reading the PTY in a loop")]


def _bare(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    """What is possible: the same frames to the same viewers from a loop that does nothing else."""
    figures = []
    bare = BareSide(sides[0].server)
    for viewers, aim in BARE_AIMS.items():
        rates, cost = _floods_beside(bare, sides[0], rounds, viewers)
        what = f"{viewers} viewer{'s' if viewers > 1 else ''}, beside a bare loop"
        figures.append(_figure(f"{what}: delivered", "MiB/s", rates, aim, at_least=True, peer_is=BARE))
        figures.append(
            _figure(f"{what}: processor time for each MiB delivered", "ms", cost, BARE_CPU_AIM, peer_is=BARE)
        )
    return figures


def _floods_beside(
    bare: Side, ours: Side, rounds: int, viewers: int
) -> tuple[dict[str, tuple[float, ...]], dict[str, tuple[float, ...]]]:
    mib = SIZES[viewers][0]
    floods: dict[str, list[Flood]] = {"ours": [], "peer": []}
    for number in range(rounds):
        for name in ("ours", "peer") if number % 2 == 0 else ("peer", "ours"):
            floods[name].append(Flood(ours if name == "ours" else bare, viewers, mib))
    rates = {name: tuple(each.rate for each in found) for name, found in floods.items()}
    cost = {name: tuple(each.cpu_ms_per_mib for each in found) for name, found in floods.items()}
    return rates, cost


def _raw_rate(mib: int) -> float:
    process = PtyProcess.spawn([sys.executable, "-S", "-c", FLOOD, str(mib * MIB)], dimensions=(24, 80))
    time.sleep(0.5)
    os.write(process.fd, b"go\n")
    start, tail = time.perf_counter(), b""
    while MARK.encode() not in tail:
        tail = (tail + os.read(process.fd, 1 << 16))[-64:]
    seconds = time.perf_counter() - start
    process.close(force=True)
    return mib / seconds


def _slow(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    """Bytes that a slow browser misses while it is primary."""
    missed = []
    for _ in range(rounds):
        flood = Flood(sides[0], 1, SLOW_MIB, rate=SLOW_BYTES_PER_SECOND)
        missed.append(float(max(0, SLOW_MIB * MIB - flood.received[0]) + (flood.replays[0] - 1)))
    found = {"ours": tuple(missed), "peer": (0.0,)}
    what = f"bytes that a primary viewer at 6 MB/s misses of a flood of {SLOW_MIB} MiB"
    return [_figure(what, "", found, 0.0, measure="ours", peer_is="none")]


# --- how fast keys come back -------------------------------------------------------------------------


def _echoes(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    conditions = {"idle": _echo_idle, "with 50 viewers": _echo_watched, "while another terminal floods": _echo_flooded}
    figures = []
    for name, run in conditions.items():
        pairs: dict[str, list[tuple[float, float]]] = {"ours": [], "peer": []}
        for number in range(rounds):
            for key in ("ours", "peer") if number % 2 == 0 else ("peer", "ours"):
                pairs[key].append(run(sides[key == "peer"]))
        for index, share in enumerate(("half of the keys", "99 of 100 keys")):
            found = {key: tuple(each[index] for each in values) for key, values in pairs.items()}
            figures.append(_figure(f"{share} came back within, {name}", "ms", found, 1.0))
    return figures


def _echo(side: Side, path: str) -> tuple[float, float]:
    with side.viewers("echo", path, keys=KEYS) as typing:
        found = [seconds * 1000 for seconds in typing.result()["seconds"]]
    cuts = quantiles(found, n=100, method="inclusive")
    return cuts[49], cuts[98]


def _echo_idle(side: Side) -> tuple[float, float]:
    with side.terminal("cat") as path:
        return _echo(side, path)


def _echo_watched(side: Side) -> tuple[float, float]:
    with side.terminal("cat") as path, side.viewers("stay", path, 49):
        return _echo(side, path)


def _echo_flooded(side: Side) -> tuple[float, float]:
    endless = str(1 << 40)
    with (
        side.terminal(sys.executable, "-S", "-c", FLOOD, endless) as flood,
        side.viewers("stay", flood, 1, go="go\n"),
        side.terminal("cat") as path,
    ):
        return _echo(side, path)


def _paste(sides: tuple[Side, Side], rounds: int) -> list[Figure]:
    def part(side: Side) -> Callable[[], float]:
        def run() -> float:
            with side.terminal(sys.executable, "-S", "-c", DEAF_PROGRAM) as deaf, side.terminal("cat") as path:
                time.sleep(0.5)  # the program sets its terminal raw
                with side.viewers("echo", path, keys=PASTE_KEYS, paste=deaf) as typing:
                    count = float(len(typing.result()["seconds"]))
                if side.stock:  # its only writer does not come back from it, it does not even stop
                    side.server.kill()
                return count

        return run

    found = interleave(1, {"ours": part(sides[0])})
    with serving(enabled=False) as server:
        found |= interleave(1, {"peer": part(Side(server, stock=True))})
    what = f"of {PASTE_KEYS} keys come back after 300 kB were pasted into another terminal that does not read"
    return [_figure(what, "keys", found, float(PASTE_KEYS), measure="ours", at_least=True)]


# --- what is held --------------------------------------------------------------------------------------


def _deaf(rounds: int) -> list[Figure]:
    memory: dict[str, list[float]] = {"ours": [], "peer": []}
    seconds: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(min(rounds, 3)):
        with both() as (ours, stock):
            Flood(ours, 1, 16)  # its ring and its buffers have grown
            seconds["peer"].append(Flood(ours, 1, DEAF_MIB).seconds)
            for name, side in (("ours", ours), ("peer", stock)):
                with Peak(side) as peak:
                    flood = Flood(side, DEAF + 1, DEAF_MIB, deaf=DEAF)
                memory[name].append(peak.grown / MIB)
                if name == "ours":
                    seconds["ours"].append(flood.seconds)
    time_taken = {name: tuple(values) for name, values in seconds.items()}
    held = {name: tuple(values) for name, values in memory.items()}
    what = f"{DEAF_MIB} MiB to one viewer beside {DEAF} that never read"
    return [
        _figure(f"{what}: time", "s", time_taken, 1.1, peer_is="the same without them"),
        _figure(f"{what}: memory", "MiB", held, DEAF_AIM_MIB, measure="ours"),
    ]


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


def _idle(rounds: int) -> list[Figure]:
    found: dict[str, list[float]] = {"ours": [], "peer": []}
    for _ in range(min(rounds, 3)):
        with both() as sides:
            for name, side in zip(("ours", "peer"), sides, strict=True):
                found[name].append(_held_by_idle_terminals(side) / 1024)
    held = {name: tuple(values) for name, values in found.items()}
    what = f"memory of the server for each of {IDLE} idle terminals"
    return [_figure(what, "KiB", held, IDLE_AIM_KIB, measure="ours")]


def _held_by_idle_terminals(side: Side) -> float:
    with ExitStack() as first:
        for _ in range(5):  # what is made once
            first.enter_context(side.terminal())
        time.sleep(1)
        before = side.rss()
        with ExitStack() as stack:
            for _ in range(IDLE):
                stack.enter_context(side.terminal())
            time.sleep(3)
            return (side.rss() - before) / IDLE


def _figure(what: str, unit: str, found: dict[str, tuple[float, ...]], aim: float, **more: Any) -> Figure:
    return Figure(**{"what": what, "unit": unit, "peer_is": STOCK, "measure": "ratio", "aim": aim, **found, **more})
