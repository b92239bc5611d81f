"""A month of 200 schedules in five zones, across the night in which clocks in Europe are set forward.

What must be due is found by brute force, minute by minute, without the product. Every such tick is on record once: it
started something, was skipped for a reason, or was passed over while no server was there and is counted by the next.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from harness.cron_reference import due_minutes
from harness.schedules import Server, SetClock, pass_time

from jupyter_cabinet.schedules import scheduler
from jupyter_cabinet.schedules.due import Due
from jupyter_cabinet.schedules.model import Tick
from jupyter_cabinet.schedules.rules import Cron, Daily, Every, Schedule, Weekly

START = datetime(2026, 3, 10, 0, 0, 30, tzinfo=UTC)
DAYS = 31
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
AN_HOUR = 3600.0


def mixed(count: int) -> dict[str, Schedule]:
    """Most are due once a day or less, some every few hours, one every hour."""
    chosen = random.Random(count)
    found: dict[str, Schedule] = {}
    for number in range(count):
        zone = ZONES[number % len(ZONES)]
        hour, minute = chosen.randrange(24), chosen.randrange(60)
        kinds: list[Schedule] = [
            Cron(expression=f"{minute} {hour % 4} * * *", zone=zone),
            Cron(expression=f"{minute} {hour} * * mon-fri", zone=zone),
            Cron(expression=f"{minute} {hour} {hour + 1},13 * fri", zone=zone),
            Daily(at=f"02:{minute:02}", zone=zone),
            Weekly(days=("sun", "wed"), at=f"{hour:02}:{minute:02}", zone=zone),
            Every(seconds=chosen.randrange(8, 60) * 3600),
            Cron(expression=f"{minute} */6 * * sat,sun", zone=zone),
        ]
        found[f"agent-{number:03}"] = kinds[number % len(kinds)]
    found["hourly"] = Cron(expression="30 * * * *", zone="Europe/Berlin")
    return found


@cache
def reference(schedule: Schedule, end: datetime) -> tuple[datetime, ...]:
    if isinstance(schedule, Every):
        step = timedelta(seconds=schedule.seconds)
        return tuple(START + step * number for number in range(1, (end - START) // step + 1))
    return tuple(due_minutes(expression_of(schedule), ZoneInfo(schedule.zone), START.replace(second=0), end))


def expression_of(schedule: Schedule) -> str:
    assert not isinstance(schedule, Every)
    if isinstance(schedule, Cron):
        return schedule.expression
    hour, minute = schedule.at.split(":")
    days = ",".join(schedule.days) if isinstance(schedule, Weekly) else "*"
    return f"{int(minute)} {int(hour)} * * {days}"


def expected(schedule: Schedule, end: datetime) -> list[datetime]:
    return [due for due in reference(schedule, end + timedelta(seconds=1)) if START < due <= end]


def use(server: Server, schedules: dict[str, Schedule]) -> None:
    """Every seventh tick is skipped, as by an agent that is busy."""

    async def fire(due: Due) -> None:
        if server.failing(due) is not None:  # it dies here, before or after the transaction
            await lost_in(server, due)
        if int(due.at.timestamp() // 60) % 7 == 0:
            await server.scheduler.skip(due, "A run of this agent is still going on.")
        else:
            await Server.fire(server, due)

    server.scheduler.register("", fire)
    for key, schedule in schedules.items():
        server.scheduler.watch(key, schedule)


async def on_record(server: Server, keys: Iterable[str]) -> dict[str, list[Tick]]:
    found = {key: await server.scheduler.ticks_of(key, 500) for key in keys}
    pages = {key: list(reversed(ticks)) for key, ticks in found.items()}
    assert all((tick.run_id is None) == bool(tick.skipped) for ticks in pages.values() for tick in ticks)
    return pages


@pytest.mark.timeout(900)  # on a busy machine
@pytest.mark.long(reason="some 5,000 ticks, each a transaction with fsync, and the brute force beside them")
async def test_every_tick_of_a_month_is_on_record_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, schedules = SetClock(START), mixed(200)
    monkeypatch.setattr(scheduler, "LOOK_AGAIN_SECONDS", 6 * AN_HOUR)  # nobody sets this clock
    server = await Server(tmp_path, clock).open()
    use(server, schedules)
    await pass_time(clock, DAYS * 86_400 / 2, [server])
    await pass_time(clock, DAYS * 86_400 / 2, [server])
    ticks = await on_record(server, schedules)
    end = clock.now()
    long_list = [due for due in expected(schedules["hourly"], end)]
    assert [tick.due for tick in ticks["hourly"]] == long_list[-500:]
    for key, schedule in schedules.items():
        if key != "hourly":
            assert [tick.due for tick in ticks[key]] == expected(schedule, end), (key, schedule)
            assert all(tick.missed == 0 for tick in ticks[key])
    started = {(key, due) for key, due, _ in server.fired}
    skipped = {(key, tick.due) for key, found in ticks.items() for tick in found if tick.skipped}
    assert skipped and not started & skipped
    assert len(started) == len(server.fired)
    await server.close()


@pytest.mark.long(reason="some 2,000 ticks of two servers, each a transaction with fsync")
async def test_two_servers_of_which_one_is_lost_now_and_then_account_for_every_tick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, schedules, chance = SetClock(START), mixed(60), random.Random(7)
    monkeypatch.setattr(scheduler, "LOOK_AGAIN_SECONDS", 6 * AN_HOUR)  # nobody sets this clock
    servers = [await Server(tmp_path, clock, f"server-{number}").open() for number in range(2)]
    for server in servers:
        use(server, schedules)
    everyone = list(servers)

    async def another() -> None:
        servers.append(await Server(tmp_path, clock, f"server-{len(everyone)}").open())
        use(servers[-1], schedules)
        everyone.append(servers[-1])

    while clock.now() < START + timedelta(days=DAYS):
        await pass_time(clock, chance.uniform(1, 20) * AN_HOUR, servers)
        victim = servers[chance.randrange(2)]
        victim.failing = lambda due: ConnectionError()
        await pass_time(clock, 2 * AN_HOUR, servers)
        servers.remove(victim)
        await lose(victim)
        if chance.random() < 0.3:  # for a while nobody is there
            await lose(servers.pop())
            await pass_time(clock, chance.uniform(1, 30) * AN_HOUR, [])
            await another()
        await another()
    await pass_time(clock, 120, servers)
    ticks = await on_record(servers[0], schedules)
    for key, schedule in schedules.items():
        dues = expected(schedule, clock.now())
        accounted = account_for(ticks[key], dues[-sum(1 + tick.missed for tick in ticks[key]) :])
        assert accounted == [], (key, schedule)
    fired = Counter((key, due) for server in everyone for key, due, _ in server.fired)
    assert set(fired.values()) == {1}
    assert sum(tick.missed for found in ticks.values() for tick in found) > 20
    for server in servers:
        await server.close()


async def lost_in(server: Server, due: Due) -> None:
    """Half of the time the transaction is never written, half of the time nobody hears that it was."""
    if int(due.at.timestamp() // 60) % 2:
        await Server.commit(server, due)
    raise ConnectionError("This server is gone.")


async def lose(server: Server) -> None:
    await server.scheduler.stop()
    await server.database.close()


def account_for(ticks: list[Tick], dues: list[datetime]) -> list[datetime]:
    """What is left of the dues when each tick took itself and those it says were missed before it."""
    left = list(dues)
    for tick in ticks:
        assert left[tick.missed] == tick.due
        del left[: tick.missed + 1]
    return left
