"""A tick fires once: after a restart, with two servers, when firing fails, and whatever is done to the clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from harness.schedules import Server, SetClock, pass_time
from sqlalchemy import delete

from jupyter_cabinet.core.errors import AlreadyFired, LeaseLost, NoRoom
from jupyter_cabinet.schedules.due import Due
from jupyter_cabinet.schedules.hours import ActiveHours
from jupyter_cabinet.schedules.model import Tick, TickSkipped
from jupyter_cabinet.schedules.rules import Cron, Daily, Every
from jupyter_cabinet.schedules.tables import leases

START = datetime(2026, 5, 4, 7, 30, tzinfo=UTC)  # a Monday
HOURLY = Cron(expression="0 * * * *", zone="UTC")
AN_HOUR = 3600.0


def at(hour: int, minute: int = 0, day: int = 4) -> datetime:
    return datetime(2026, 5, day, hour, minute, tzinfo=UTC)


@asynccontextmanager
async def serving(folder: Path, clock: SetClock, name: str = "one") -> AsyncIterator[Server]:
    server = await Server(folder, clock, name).open()
    try:
        yield server
    finally:
        await server.close()


async def test_a_new_schedule_fires_at_its_next_time_and_then_on(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        server.scheduler.watch("b", Every(seconds=5400), ActiveHours(start="10:00", end="12:00", zone="UTC"))
        await pass_time(clock, 0, [server])
        assert (server.scheduler.next_due("a"), server.scheduler.next_due("b")) == (at(8), at(10))
        assert server.scheduler.next_due("c") is None
        await pass_time(clock, 4 * AN_HOUR, [server])
        assert [each for each in server.fired if each[0] == "a"] == [("a", at(hour), 0) for hour in (8, 9, 10, 11)]
        assert [each for each in server.fired if each[0] == "b"] == [("b", at(10), 0), ("b", at(11, 30), 0)]
        newest, *_ = await server.scheduler.ticks_of("b", 1)
        assert newest.due == at(11, 30) and newest.run_id and not newest.skipped


async def test_a_preview_counts_from_the_last_tick(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", Every(seconds=3 * 3600))
        assert server.scheduler.upcoming("a", 2) == [at(10, 30), at(13, 30)]
        await pass_time(clock, 4 * AN_HOUR, [server])
        assert server.scheduler.upcoming("a", 2) == [at(13, 30), at(16, 30)]
        assert server.scheduler.upcoming("b") == []


async def test_a_name_that_is_too_long_for_the_record_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at most 200"):
        Server(tmp_path, SetClock(START)).scheduler.watch("a" * 201, HOURLY)


async def test_nothing_wakes_the_loop_while_nothing_is_watched(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        await pass_time(clock, 0, [server])
        assert clock.pending == 0
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        server.scheduler.forget("a")
        await pass_time(clock, AN_HOUR, [server])
        assert clock.pending == 0
        assert len(server.fired) == 1


async def test_after_a_restart_what_was_missed_fires_once(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
    await pass_time(clock, 5 * AN_HOUR, [])
    async with serving(tmp_path, clock, "later") as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        assert server.fired == [("a", at(13), 4), ("a", at(14), 0)]
        ticks = await server.scheduler.ticks_of("a")
        assert [(tick.due, tick.missed) for tick in ticks] == [(at(14), 0), (at(13), 4), (at(8), 0)]


async def test_another_schedule_of_the_same_name_begins_now(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, 3 * AN_HOUR, [server])  # 10:30
        server.fired.clear()
        server.scheduler.watch("a", Daily(at="10:15", zone="UTC"))
        await pass_time(clock, 23 * AN_HOUR, [server])
        assert server.fired == []
        await pass_time(clock, AN_HOUR, [server])
        assert server.fired == [("a", at(10, 15, day=5), 0)]


async def test_what_was_forgotten_begins_anew(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        server.scheduler.forget("a")
        await pass_time(clock, 4 * AN_HOUR, [server])
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR / 4, [server])
        assert len(server.fired) == 1
        server.scheduler.forget("a")
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR / 2, [server])
        assert server.fired == [("a", at(8), 0), ("a", at(13), 0)]
        server.scheduler.forget("a")
    async with serving(tmp_path, clock, "later") as server:
        await pass_time(clock, 4 * AN_HOUR, [])
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, 60, [server])
        assert server.fired == []


async def test_a_skipped_tick_is_on_record_with_its_reason_and_told(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:

        async def busy(due: Due) -> None:
            await server.scheduler.skip(due, "A run of this agent is still going on.")

        server.scheduler.register("heartbeat/", busy)
        server.scheduler.watch("heartbeat/a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        reason = "A run of this agent is still going on."
        assert await server.scheduler.ticks_of("heartbeat/a") == [Tick(key="heartbeat/a", due=at(8), skipped=reason)]
        assert server.told == [TickSkipped(key="heartbeat/a", due=at(8), reason=reason)]


@pytest.mark.parametrize("before_claim", [True, False])
async def test_firing_that_fails_is_tried_again_with_pauses_and_loses_nothing(
    tmp_path: Path, before_claim: bool
) -> None:
    clock = SetClock(START)
    tries: list[float] = []
    async with serving(tmp_path, clock) as server:

        async def fail(due: Due) -> None:
            tries.append(clock.monotonic())

            def change(connection) -> None:  # type: ignore[no-untyped-def]
                if not before_claim:
                    due.claim(connection)
                raise NoRoom

            await server.commits.commit(change)

        server.scheduler.register("a", fail)
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR * 2.25, [server])  # 9:45
        pauses = [later - earlier for earlier, later in pairwise(tries)]
        assert pauses[:6] == [5, 10, 20, 40, 80, 160] and set(pauses[6:]) == {300}
        server.scheduler.register("a", server.fire)
        await pass_time(clock, 300, [server])
        assert server.fired == [("a", at(9), 1)]


async def test_what_neither_claims_nor_skips_is_called_again_later(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        calls: list[Due] = []

        async def forgetful(due: Due) -> None:
            calls.append(due)

        server.scheduler.register("a", forgetful)
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR / 2 + 20, [server])
        assert len(calls) == 3
        assert await server.scheduler.ticks_of("a") == []


async def test_a_key_that_nothing_is_registered_for_waits_for_it(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler._ports.clear()
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        server.scheduler.register("a", server.fire)
        await pass_time(clock, 300, [server])
        assert server.fired == [("a", at(8), 0)]


async def test_two_servers_fire_a_tick_once(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as one, serving(tmp_path, clock, "two") as two:
        for server in (one, two):
            for key in "abcdef":
                server.scheduler.watch(key, HOURLY)
        await pass_time(clock, 4 * AN_HOUR, [one, two])
        fired = sorted(one.fired + two.fired)
        assert fired == [(key, at(hour), 0) for key in "abcdef" for hour in (8, 9, 10, 11)]


async def test_a_server_that_knows_an_older_schedule_does_not_fire_it(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as one, serving(tmp_path, clock, "two") as two:
        one.scheduler.watch("a", HOURLY)
        await pass_time(clock, 60, [one, two])
        two.scheduler.watch("a", Daily(at="09:30", zone="UTC"))
        await pass_time(clock, 2 * AN_HOUR, [one, two])
        assert (one.fired, two.fired) == ([], [("a", at(9, 30), 0)])
        one.scheduler.watch("a", Daily(at="09:30", zone="UTC"))
        await pass_time(clock, 24 * AN_HOUR, [one, two])
        assert len(one.fired + two.fired) == 2


async def test_a_server_that_may_not_act_fires_nothing_and_writes_nothing(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.acting = False
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        assert server.fired == [] and server.scheduler.next_due("a") is None
        server.acting = True
        await pass_time(clock, 60, [server])
        assert server.fired == [("a", at(8), 0)]  # due since it was watched


async def test_the_claim_of_a_server_that_was_declared_dead_is_refused(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        refused: list[BaseException] = []

        async def stopped_meanwhile(due: Due) -> None:
            await server.database.write(lambda c: c.execute(delete(leases).where(leases.c.holder == "one")))
            try:
                await server.fire(due)
            except LeaseLost as error:
                refused.append(error)
                raise

        server.scheduler.register("a", stopped_meanwhile)
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR / 2 + 30, [server])
        assert len(refused) == 1 and server.fired == []
        assert await server.scheduler.ticks_of("a") == []


async def test_a_claim_that_comes_late_is_refused(tmp_path: Path) -> None:
    """As of a server that was stopped between receiving a tick and claiming it."""
    clock = SetClock(START)
    async with serving(tmp_path, clock) as one, serving(tmp_path, clock, "two") as two:
        held: list[Due] = []

        async def hold(due: Due) -> None:
            held.append(due)

        one.scheduler.register("a", hold)
        one.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR / 2, [one])
        two.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [two])
        for due in held:
            with pytest.raises(AlreadyFired):
                await one.commits.commit(lambda c, due=due: due.claim(c, "late"))
        assert [tick.due for tick in await two.scheduler.ticks_of("a")] == [at(9), at(8)]
        assert "late" not in {tick.run_id for tick in await two.scheduler.ticks_of("a")}


async def test_a_clock_that_is_set_forward_fires_once_within_a_minute(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, 10, [server])
        clock.ahead = timedelta(hours=3)
        await pass_time(clock, 60, [server])
        assert server.fired == [("a", at(10), 2)]


async def test_a_clock_that_is_set_back_fires_nothing_twice(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, 3 * AN_HOUR, [server])
        clock.ahead = timedelta(hours=-2)
        await pass_time(clock, 3 * AN_HOUR, [server])
        assert server.fired == [("a", at(hour), 0) for hour in (8, 9, 10, 11)]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_clock_that_was_days_ahead_for_a_while_silences_nothing(tmp_path: Path, restarted: bool) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, AN_HOUR, [server])
        clock.ahead = timedelta(days=300)
        await pass_time(clock, 120, [server])
        assert len(server.fired) == 2
        if not restarted:
            clock.ahead = timedelta()
            await pass_time(clock, AN_HOUR, [server])
            assert server.fired[2:] == [("a", at(9), 0)]
    if restarted:
        clock.ahead = timedelta()
        async with serving(tmp_path, clock, "later") as server:
            server.scheduler.watch("a", HOURLY)
            await pass_time(clock, AN_HOUR, [server])
            assert server.fired == [("a", at(9), 0)]


async def test_old_ticks_are_pruned(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        server.scheduler.watch("a", Daily(at="08:00", zone="UTC"))
        for _ in range(40):
            await clock.advance(60, busy=lambda: server.database.busy > 0)
            clock.ahead += timedelta(days=1)
        await pass_time(clock, 60, [server])
        ticks = await server.scheduler.ticks_of("a", 100)
        assert len(server.fired) == 40
        assert timedelta(days=34) <= clock.now() - ticks[-1].due <= timedelta(days=35)


async def test_a_database_that_fails_for_a_while_loses_nothing(tmp_path: Path) -> None:
    clock = SetClock(START)
    async with serving(tmp_path, clock) as server:
        read, failures = server.database.read, [NoRoom(), NoRoom()]

        async def failing(work):  # type: ignore[no-untyped-def]
            if failures:
                raise failures.pop()
            return await read(work)

        server.scheduler.watch("a", HOURLY)
        await pass_time(clock, 60, [server])
        server.database.read = failing  # type: ignore[method-assign]
        await pass_time(clock, AN_HOUR, [server])
        assert not failures and server.fired == [("a", at(8), 0)]
