"""What agents cost: a thousand of them that sleep, a tick until its process starts, directives, listeners of events.

The product without its web server, in a process of its own for each measurement. Ticks beside APScheduler 3, whose jobs
start the same program bare.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from .figures import Figure

AGENTS = 1_000
IDLE_SECONDS = 30.0
TICKS = 20  # due in the same minute
LISTENERS = 20
EVENTS = 500
DIRECTIVES = 100  # in one block, the most that are read

PERSONA = """---
name: Agent {number}
runtime: demo
heartbeat: "{heartbeat}"
timezone: Europe/Berlin
---
You look after the notes.
"""


def measure(rounds: int) -> list[Figure]:
    few = min(rounds, 3)
    idle = [_run("idle", str(AGENTS)) for _ in range(few)]
    empty = [_run("idle", "0") for _ in range(few)]
    ticks, peers = [_run("ticks") for _ in range(few)], [_run("peer") for _ in range(few)]
    parsed = [_run("parse") for _ in range(few)]
    listened = [_run("listen") for _ in range(few)]
    return [
        _figure("memory of 1,000 agents on a schedule", "MiB", idle, empty, 0, peer_is="no agents", aim=24.0),
        _figure("processor time of them, per minute", "ms", idle, empty, 1, peer_is="no agents", aim=60.0),
        _figure("of 20 ticks due at once, half had a process within", "s", ticks, peers, 0, peer_is=BARE, aim=1.5),
        _figure("of 20 ticks due at once, 99 of 100 had a process within", "s", ticks, peers, 1, peer_is=BARE, aim=3.0),
        _alone("directives that are read, per second", "/s", parsed, 0, aim=10_000),
        _alone("events that reach 20 listeners, per second", "/s", listened, 0, aim=100),
    ]


BARE = "APScheduler 3, whose jobs start the same program"


def _figure(
    what: str, unit: str, ours: list[list[float]], peer: list[list[float]], index: int, *, peer_is: str, aim: float
) -> Figure:
    first, second = (tuple(each[index] for each in found) for found in (ours, peer))
    return Figure(what=what, unit=unit, ours=first, peer=second, peer_is=peer_is, measure="difference", aim=aim)


def _alone(what: str, unit: str, ours: list[list[float]], index: int, *, aim: float) -> Figure:
    values = tuple(each[index] for each in ours)
    none = tuple(0.0 for _ in values)
    return Figure(what=what, unit=unit, ours=values, peer=none, peer_is="none", measure="ours", aim=aim, at_least=True)


def _run(*arguments: str) -> list[float]:
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "benchmarks.agents_at_work", place, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- in a process of its own ------------------------------------------------------------------


def _resident() -> float:
    """In MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def _put_agents(root: Path, count: int, heartbeat: str) -> None:
    for number in range(count):
        folder = root / ".agents" / f"agent-{number}"
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text(PERSONA.format(number=number, heartbeat=heartbeat))


async def _idle(folder: Path, count: int) -> list[float]:
    from harness.backend import Place

    place = Place(folder)
    _put_agents(place.root, count, "0 8 * * *")
    before = _resident()
    async with place.backend():
        await asyncio.sleep(3)
        held, spent = _resident() - before, time.process_time()
        await asyncio.sleep(IDLE_SECONDS)
        return [held, (time.process_time() - spent) * 60_000 / IDLE_SECONDS]


async def _ticks(folder: Path) -> list[float]:
    from harness.backend import ADA, Place

    from jupyter_cabinet.runs.model import RunFilter
    from jupyter_cabinet.runs.settings import RunSettings

    place = Place(folder)
    _put_agents(place.root, TICKS, "* * * * *")
    async with place.backend(runs=RunSettings(max_concurrent_runs=TICKS)) as backend:
        found: list[float] = []
        while len(found) < TICKS:
            await asyncio.sleep(0.5)
            runs = [run for run in await backend.runs.find(RunFilter(kind="heartbeat"), ADA) if run.started_at]
            due = min((run.queued_at for run in runs), default=datetime.now(UTC)).replace(second=0, microsecond=0)
            found = [(run.started_at - due).total_seconds() for run in runs if run.started_at]
        return _halves(found)


async def _peer(folder: Path) -> list[float]:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler
    from apscheduler.triggers.cron import CronTrigger

    found: list[float] = []
    program = [sys.executable, "-I", "-m", "jupyter_cabinet.runtimes.demo.program.agent", "--version"]

    async def start() -> None:
        due = datetime.now(UTC).replace(second=0, microsecond=0)
        process = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.DEVNULL)
        found.append((datetime.now(UTC) - due).total_seconds())
        await process.wait()

    scheduler = AsyncIOScheduler()
    for _ in range(TICKS):
        scheduler.add_job(start, CronTrigger.from_crontab("* * * * *"))
    scheduler.start()
    while len(found) < TICKS:
        await asyncio.sleep(0.2)
    return _halves(found)


def _halves(found: list[float]) -> list[float]:
    found = sorted(found)
    return [found[len(found) // 2 - 1], found[min(len(found) - 1, int(len(found) * 0.99))]]


async def _parse(folder: Path) -> list[float]:
    from jupyter_cabinet.agents.directives.answer_block import parse

    lines = "\n".join(f"GOAL_UPDATE [pages]: +{number}" for number in range(DIRECTIVES))
    text, begun, count = f"Done.\n\n```memory\n{lines}\n```\n", time.perf_counter(), 0
    while time.perf_counter() - begun < 2:
        count += len(parse(text).directives)
    return [count / (time.perf_counter() - begun)]


async def _listen(folder: Path) -> list[float]:
    """Each event is put on record and reaches every listener, before the next one is."""
    from harness.backend import Place

    from jupyter_cabinet.agents.model import AgentChanged

    place = Place(folder)
    async with place.backend() as backend:
        reached = [0] * LISTENERS

        async def listen(number: int) -> None:
            seen = backend.events.newest
            while True:
                for event in await backend.events.after(seen):
                    seen = event.seq
                    reached[number] += 1

        tasks = [asyncio.create_task(listen(number)) for number in range(LISTENERS)]
        await asyncio.sleep(0.2)
        begun = time.perf_counter()
        for _ in range(EVENTS):
            await backend.agents.roster.tell(AgentChanged(agent="ada"))
        while min(reached) < EVENTS:
            await asyncio.sleep(0.005)
        seconds = time.perf_counter() - begun
        for task in tasks:
            task.cancel()
        return [EVENTS / seconds]


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    folder, what, *rest = sys.argv[1:]
    works = {"idle": lambda: _idle(Path(folder), int(rest[0])), "ticks": lambda: _ticks(Path(folder))}
    works |= {"peer": lambda: _peer(Path(folder)), "parse": lambda: _parse(Path(folder))}
    works |= {"listen": lambda: _listen(Path(folder))}
    print(json.dumps(asyncio.run(works[what]())))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
