"""A server that stood still for longer than its lease, and is woken, writes nothing of what another has taken over."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from harness.backend import ADA, Place
from harness.stopped_server import LEASE_SECONDS, RENEW_SECONDS

from jupyter_cabinet.runs.dispatch import upkeep
from jupyter_cabinet.runs.model import RunFilter
from jupyter_cabinet.schedules import leases

TESTS = Path(__file__).parents[2]


def state_of(place: Place) -> tuple[object, ...]:
    """Records and files of agents."""
    with sqlite3.connect(place.root / ".cabinet/cabinet.db") as connection:
        tables = ("runs", "effects", "ticks", "agents", "outbox", "events")
        rows = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    files = {str(path): path.read_bytes() for path in (place.root / ".agents").rglob("*") if path.is_file()}
    return (*rows, files)


async def stop_between_writes(server: subprocess.Popen[bytes], place: Place) -> None:
    """Stop a server while it does not hold the lock of the database, which nobody could take from it."""
    async with asyncio.timeout(30):
        while True:
            server.send_signal(signal.SIGSTOP)
            try:
                with sqlite3.connect(place.root / ".cabinet/cabinet.db", timeout=0.2) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.rollback()
                return
            except sqlite3.OperationalError:
                server.send_signal(signal.SIGCONT)
                await asyncio.sleep(0.05)


@pytest.mark.slow(reason="a server stands still for twice its lease")
async def test_a_woken_server_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "DEAD_AFTER_SECONDS", LEASE_SECONDS)
    monkeypatch.setattr(upkeep, "RENEW_EVERY_SECONDS", RENEW_SECONDS)
    place = Place(tmp_path)
    command = [sys.executable, "-m", "harness.stopped_server", str(tmp_path)]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as stopped:
        try:
            assert stopped.stdout is not None
            assert (await asyncio.to_thread(stopped.stdout.readline)) == b"ready\n"
            await stop_between_writes(stopped, place)
            async with place.backend() as backend:
                (run,) = await backend.runs.find(RunFilter(agent="ada"), ADA)
                assert run.state == "running"  # the other one may still be there
                while (await backend.runs.get(run.id, ADA)).state == "running":
                    await asyncio.sleep(RENEW_SECONDS)
                await asyncio.sleep(LEASE_SECONDS)
                await backend.outbox.settled()
                taken_over = await backend.runs.get(run.id, ADA)
                assert (taken_over.state, taken_over.reason) == (
                    "interrupted",
                    "The server ended while this run was working.",
                )
                before = state_of(place)
                (place.root / "go.txt").write_text("")
                stopped.send_signal(signal.SIGCONT)
                await asyncio.sleep(5 * RENEW_SECONDS)  # it looks at its lease and at its run meanwhile
                assert state_of(place) == before
                assert len((await backend.agent_work.inbox("ada", ADA)).messages) == 1
        finally:
            stopped.kill()
