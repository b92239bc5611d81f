"""What an idle server costs more with the extension: memory, wake-ups and processor time. Linux only.

Both servers stand side by side in each round, so that the same seconds are compared.
"""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import psutil

from .figures import Figure
from .servers import TimedServer, serving

SETTLE_SECONDS = 3.0
WATCH_SECONDS = 15.0


def measure(rounds: int) -> list[Figure]:
    pairs = [_watch() for _ in range(min(rounds, 3))]
    ours, peer = zip(*pairs, strict=True)
    titles = (
        ("resident memory of an idle server", "MB", 40.0),
        ("wake-ups of an idle server's loop, per second", "/s", 1.0),
        ("processor time of an idle server, per minute", "ms", 60.0),
    )
    return [
        Figure(
            what=what,
            unit=unit,
            ours=tuple(found[index] for found in ours),
            peer=tuple(found[index] for found in peer),
            peer_is="the extension disabled",
            measure="difference",
            aim=aim,
        )
        for index, (what, unit, aim) in enumerate(titles)
    ]


Found = tuple[float, float, float]


def _watch() -> tuple[Found, Found]:
    with serving() as ours, serving(enabled=False) as peer:
        for server in (ours, peer):
            httpx.get(f"{server.url}lab", params={"token": server.token("ada")}, follow_redirects=True)
        time.sleep(SETTLE_SECONDS)
        before = _spent(ours), _spent(peer)
        time.sleep(WATCH_SECONDS)
        after = _spent(ours), _spent(peer)
    first, second = (_rates(old, new) for old, new in zip(before, after, strict=True))
    return first, second


def _rates(before: Found, after: Found) -> Found:
    return (after[0], (after[1] - before[1]) / WATCH_SECONDS, (after[2] - before[2]) * 60 / WATCH_SECONDS)


def _spent(server: TimedServer) -> Found:
    """Megabytes held; wake-ups and milliseconds so far."""
    process = psutil.Process(server.pid)
    times = process.cpu_times()
    return process.memory_info().rss / 2**20, _wakeups(server.pid), (times.user + times.system) * 1000


def _wakeups(pid: int) -> int:
    """How often the loop's thread went to sleep of its own, and so was woken.

    The database's thread is left out: it wakes with the loop, and waits for the disk several times each time.
    """
    lines = Path(f"/proc/{pid}/task/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("voluntary_ctxt")).split()[1])
