"""Shared terminals against stock `jupyter_server_terminals`: what viewers get, what they cost, how fast keys come back.

Each has a server of its own, both run all the time; viewers are in other processes.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import quantiles
from typing import Any

from ptyprocess import PtyProcess

from .figures import Figure, interleave
from .servers import serving
from .terminal_sides import FLOOD, MARK, MIB, BareSide, Flood, Peak, Side, both

STOCK = "stock terminals"
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

DEAF_PROGRAM = "import time, tty; tty.setraw(0); time.sleep(600)"


def measure(rounds: int) -> list[Figure]:
    rounds = max(3, min(rounds, 5))
    figures = []
    with both() as sides:
        for part in (_throughput, _raw, _bare, _echoes, _paste, _slow):
            figures += part(sides, rounds)
    figures += _deaf(rounds)
    return figures + _idle(rounds)


# --- how much arrives ------------------------------------------------------------------------------


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
