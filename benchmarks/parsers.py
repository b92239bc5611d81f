"""How fast the output of each CLI is read, beside `json.loads` of the same lines; and what a long stream leaves behind.

The streams are the recorded outputs of the real CLIs, repeated, in chunks of 64 KiB as a pipe gives them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.registry import Runtimes

from .figures import Figure

RECORDED = Path(__file__).parents[1] / "tests" / "fixtures" / "cli"
# For each runtime a whole run with tools and an answer.
STREAMS = {
    "claude": "stream-json-partial-2.1.329.jsonl",
    "codex": "exec-json-0.169.0.jsonl",
    "gemini": "stream-json-0.61.0.jsonl",
    "opencode": "run-json-1.18.33.jsonl",
    "pi": "mode-json-0.87.1.jsonl",
}
CHUNK = 64 * 1024
MIB = 2**20
TIMED_BYTES = 16 * MIB
LONG_BYTES = 200 * MIB
LEAST = 0.8  # of json.loads' speed
MOST_MIB = 8.0  # that 200 MiB may leave behind


def measure(rounds: int) -> list[Figure]:
    return [figure for runtime in STREAMS for figure in (_speed(runtime, rounds), _memory(runtime))]


def _speed(runtime: str, rounds: int) -> Figure:
    ours, peer = [], []
    for _ in range(rounds):
        ours.append(TIMED_BYTES / MIB / _seconds(lambda: _read(runtime, TIMED_BYTES)))
        peer.append(TIMED_BYTES / MIB / _seconds(lambda: _load(runtime, TIMED_BYTES)))
    return Figure(
        what=f"the output of {runtime} is read",
        unit="MiB/s",
        ours=tuple(ours),
        peer=tuple(peer),
        peer_is="`json.loads` of each line",
        measure="ratio",
        aim=LEAST,
        at_least=True,
    )


def _memory(runtime: str) -> Figure:
    """In a process of its own: what the peak grows by over a stream of 200 MiB, once 2 MiB have been read."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.parsers", runtime], capture_output=True, text=True, check=True
    )
    return Figure(
        what=f"memory after 200 MiB of the output of {runtime}",
        unit="MiB",
        ours=(float(done.stdout),),
        peer=(0.0,),
        peer_is="after 2 MiB",
        measure="difference",
        aim=MOST_MIB,
    )


def _read(runtime: str, size: int) -> None:
    found = Runtimes(set(), {}, {}).get(runtime)
    request = Request(prompt="x", mode="headless", cwd="/workspace", session_id="s1")
    conversation = found.conversation(request)
    for chunk in _chunks(runtime, size):
        conversation.feed("stdout", chunk)


def _load(runtime: str, size: int) -> None:
    rest = b""
    for chunk in _chunks(runtime, size):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line:
                json.loads(line)


def _chunks(runtime: str, size: int) -> Iterator[bytes]:
    recorded = (RECORDED / runtime / STREAMS[runtime]).read_bytes().strip() + b"\n"
    whole = recorded * (CHUNK // len(recorded) + 2)
    sent = 0
    while sent < size:
        start = sent % len(recorded)
        yield whole[start : start + CHUNK]
        sent += CHUNK


def _seconds(work: Callable[[], None]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _read(sys.argv[1], 2 * MIB)
    before = _peak_mib()
    _read(sys.argv[1], LONG_BYTES)
    print(_peak_mib() - before)
