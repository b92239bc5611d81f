"""Runs that take too much memory or too many processes: they are ended, and nothing else is."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.rules.limits import Progress, RunLimits, verdict
from jupyter_cabinet.runs.settings import RunSettings
from jupyter_cabinet.sandboxes.launcher import process_parents
from jupyter_cabinet.sandboxes.process_table import resources
from jupyter_cabinet.sandboxes.process_table.processes import below, table
from jupyter_cabinet.sandboxes.process_table.resources import kill_below, memory_of_machine, use_below

MIB = 2**20
LIMITS = RunSettings(limits=RunLimits(memory_bytes=300 * MIB, threads=100))
pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")

HOG = "import time; kept = bytearray(400 * 2**20); time.sleep(60)"
# Children of children, each in a new session, as fast as they come; bounded, so that a failure harms nothing.
BOMB = """
import os, signal, time
for number in range(600):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(60)
        time.sleep(60)
time.sleep(60)
"""


async def program(backend: Backend, code: str) -> Run:
    """A run that is a program in a terminal."""
    new = {"kind": "manual", "instruction": "", "command": [sys.executable, "-c", code], "mode": "terminal"}
    return await backend.runs.submit(backend.runs.kinds.convert(new), ADA)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (HOG, "Its processes used more than 0.293 GiB of memory and were ended."),
        (BOMB, "It had more than 100 processes and threads, which were ended."),
    ],
    ids=["memory", "processes"],
)
async def test_a_run_that_takes_too_much_is_ended_and_others_go_on(tmp_path: Path, code: str, reason: str) -> None:
    before = below(os.getpid(), table())
    async with Place(tmp_path).backend(runs=LIMITS) as backend:
        run = await program(backend, code)
        other = await submit(backend, "Add a line.")
        run = await ended(backend, run)
        assert run.state == "failed" and run.failure is not None
        assert (run.failure.kind, run.reason) == ("limit", reason)
        assert (await ended(backend, other)).state == "succeeded"
        # afterwards: the next run works
        assert (await ended(backend, await submit(backend, "Add a line."))).state == "succeeded"
    async with asyncio.timeout(10):
        while {pid for pid in below(os.getpid(), table()) - before if table().get(pid, None)}:
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("lists", [True, False], ids=["with lists of children", "without"])
async def test_memory_that_processes_share_is_counted_once_if_the_quick_count_is_too_high(
    lists: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not lists:
        monkeypatch.setattr(resources, "CHILDREN", Path("/nonexistent"))
    code = "import os, time; kept = b'x' * 2**26; [os.fork() for _ in range(2)]; print('.', flush=True); time.sleep(60)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        for _ in range(4):
            await process.stdout.readline()
        quick = use_below([process.pid], memory_limit=2**40)[process.pid]
        exact = use_below([process.pid], memory_limit=0)[process.pid]
        assert quick.memory_bytes > 3 * 2**26 and quick.threads == 3
        assert 2**25 < exact.memory_bytes < 2 * 2**26
    finally:
        await kill_below(process.pid)
        process.kill()
        await process.wait()


def test_a_limit_of_memory_can_be_left_out() -> None:
    progress = Progress(started=0, last_output=0, memory_bytes=2**50)
    assert verdict(progress, RunLimits(), 1) is None
    assert 2**28 < memory_of_machine() < 2**60


# Prints its process id. Started by another program, so that the test ends nothing but this one.
LEADERLESS = """
import ctypes, os, threading, time
is_held = threading.Event()
def hold():
    kept = bytearray(2 ** 28)
    is_held.set()
    time.sleep(60)
threading.Thread(target=hold).start()
is_held.wait()
print(os.getpid(), flush=True)
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)  # only this thread ends
"""


async def test_a_process_whose_first_thread_has_ended_is_still_seen_and_ended() -> None:
    starter = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode == -9)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", starter, sys.executable, "-c", LEADERLESS, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    pid = int(await process.stdout.readline())
    async with asyncio.timeout(10):
        while table()[pid].state != "Z":
            await asyncio.sleep(0.02)
    assert table()[pid].alive and process_parents()[pid] == (process.pid, "S")
    assert use_below([process.pid], memory_limit=2**40)[process.pid].memory_bytes > 2**28
    await kill_below(process.pid)
    assert await process.wait() == 1, "it was ended by the signal KILL"
