"""A thousand schedules on record: what they cost while nothing is due, and how soon after its time a tick is fired.

Beside APScheduler 3 with the same jobs in memory. Ours keeps every tick in the database; its jobs do nothing else.
Each measurement is a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from .figures import Figure

IDLE_SECONDS = 60  # ours looks at the clock once a minute
SCHEDULES = 1_000

PROGRAM = """
import asyncio, json, logging, resource, sys, time
from datetime import datetime, timedelta, UTC
from pathlib import Path
from zoneinfo import ZoneInfo

kind, what, place = sys.argv[1:]
COUNT, IDLE = {count}, {idle}
logging.disable(logging.ERROR)
SOON = 5
lags = []
if kind == "ours":
    from jupyter_cabinet.core.clock import SystemClock
    from jupyter_cabinet.core.events import EventBus
    from jupyter_cabinet.core.redaction import Redactor
    from jupyter_cabinet.schedules.leases import Leases
    from jupyter_cabinet.schedules.scheduler import Scheduler
    from jupyter_cabinet.storage.commits import Commits
    from jupyter_cabinet.storage.database import Database
    from jupyter_cabinet.storage.event_log import EventLog
    from jupyter_cabinet.storage.outbox import Outbox
    from jupyter_cabinet.schedules.rules import Cron, Every
else:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler
    from apscheduler.triggers.cron import CronTrigger
    from apscheduler.triggers.interval import IntervalTrigger


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


class Ours:
    async def open(self):
        clock = SystemClock()
        self.database = Database(f"sqlite:///{{place}}/cabinet.db")
        await self.database.open()
        bus = EventBus()
        log = EventLog(database=self.database, bus=bus, clock=clock, redactor=Redactor(()))
        outbox = Outbox(database=self.database, clock=clock, holder="bench", may_act=lambda: True)
        lease = Leases("bench", clock)
        await self.database.write(lease.take)
        commits = Commits(database=self.database, log=log, outbox=outbox, bus=bus, fence=lease.require)
        self.scheduler = Scheduler(
            database=self.database, commits=commits, clock=clock, may_act=lambda: True
        )

        async def fire(due):
            lags.append((datetime.now(UTC) - due.at).total_seconds())
            await commits.commit(lambda c: due.claim(c, "run"))

        self.scheduler.register("", fire)
        await self.scheduler.start()

    def add(self, number, minute, hour):
        self.scheduler.watch(f"agent-{{number}}", Cron(expression=f"{{minute}} {{hour}} * * *", zone="Europe/Berlin"))

    def add_due(self, number):
        self.scheduler.watch(f"soon-{{number}}", Every(seconds=SOON))


class Peer:
    async def open(self):
        self.scheduler = AsyncIOScheduler()
        self.scheduler.start()

    def add(self, number, minute, hour):
        trigger = CronTrigger.from_crontab(f"{{minute}} {{hour}} * * *", timezone="Europe/Berlin")
        self.scheduler.add_job(self.fire, trigger, args=[None], misfire_grace_time=None)

    def add_due(self, number):
        at = datetime.now(UTC) + timedelta(seconds=SOON)
        trigger = IntervalTrigger(seconds=86_400)
        self.scheduler.add_job(self.fire, trigger, args=[at], next_run_time=at, misfire_grace_time=None)

    async def fire(self, at):
        lags.append((datetime.now(UTC) - at).total_seconds())


async def main():
    made = Ours() if kind == "ours" else Peer()
    await made.open()
    before, now = resident(), datetime.now(ZoneInfo("Europe/Berlin"))
    for number in range(COUNT):
        far = now + timedelta(hours=3, minutes=number)
        made.add(number, far.minute, far.hour)
    await asyncio.sleep(3)
    if what == "idle":
        held, spent = resident() - before, time.process_time()
        await asyncio.sleep(IDLE)
        print(json.dumps([held, (time.process_time() - spent) * 60_000 / IDLE]))
        return
    for number in range(100):
        made.add_due(number)
    while len(lags) < 100:
        await asyncio.sleep(0.1)
    lags.sort()
    print(json.dumps([lags[49] * 1000, lags[98] * 1000]))


asyncio.run(main())
"""


def measure(rounds: int) -> list[Figure]:
    found: dict[tuple[str, str], list[list[float]]] = {}

    for _ in range(min(rounds, 3)):
        for what in ("idle", "due"):
            for kind in ("ours", "peer"):
                found.setdefault((kind, what), []).append(_run(kind, what))
    titles: tuple[tuple[str, str, str, int, float], ...] = (
        ("memory of 1,000 watched schedules", "MiB", "idle", 0, 4.0),
        ("processor time of them while none is due, per minute", "ms", "idle", 1, 20.0),
        ("of 100 ticks due at once, half were fired within", "ms", "due", 0, 50.0),
        ("of 100 ticks due at once, 99 were fired within", "ms", "due", 1, 100.0),
    )
    return [
        Figure(
            what=what,
            unit=unit,
            ours=tuple(each[index] for each in found["ours", part_of]),
            peer=tuple(each[index] for each in found["peer", part_of]),
            peer_is="APScheduler 3, jobs in memory",
            measure="difference",
            aim=aim,
        )
        for what, unit, part_of, index, aim in titles
    ]


def _run(kind: str, what: str) -> list[float]:
    program = PROGRAM.format(count=SCHEDULES, idle=IDLE_SECONDS)
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-c", program, kind, what, place]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    held: list[float] = json.loads(done.stdout.splitlines()[-1])
    return held
