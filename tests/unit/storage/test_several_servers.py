"""The event logs of several servers on one PostgreSQL: each reader gets every event once, in the order of the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from harness.postgres import Postgres
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import URL, Connection, select

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.core.events import EventBus, Scope
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.storage import dialects, tables
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.event_log import IN_MEMORY, EventLog, LoggedEvent
from jupyter_cabinet.trust.model import TrustConfirmed

SCOPE = Scope(owner="ada", visibility="server")
EVENT = (TrustConfirmed(root="/", by="Ada"), SCOPE)
BOUND_SECONDS = 20.0


class QuickClock(SystemClock):
    """Waits only a little, so that a second look comes soon."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 20)


class OneServer:
    """The database and the log of a server, and a reader that has followed from its start."""

    def __init__(self, url: URL) -> None:
        self.database, self.bus = Database(url), EventBus()
        self.log = EventLog(database=self.database, bus=self.bus, clock=QuickClock(), redactor=Redactor(()))
        self.read: list[int] = []

    async def start(self) -> None:
        await self.database.open()
        await self.log.start()
        self._start = self.log.newest
        self._reader = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        self._reader.cancel()
        await self.log.stop()
        await self.database.close()

    async def _follow(self) -> None:
        seq = self._start
        while True:
            for event in await self.log.after(seq):
                seq = event.seq
                self.read.append(seq)

    async def commit(self, count: int, *, before: float = 0, after: float = 0, fails: bool = False) -> None:
        """One transaction with events, and pauses before they are inserted and before it is committed."""

        def work(connection: Connection) -> list[LoggedEvent]:
            time.sleep(before)
            logged = self.log.insert(connection, [EVENT] * count)
            time.sleep(after)
            if fails:
                raise ValueError
            return logged

        try:
            await self.database.write(work, then=self.log.tell)
        except ValueError:
            assert fails
        except Unavailable:  # the connection was ended during the commit: the table knows whether it happened
            pass

    async def numbers(self) -> list[int]:
        """The log as it is in the table."""
        columns = tables.events.c
        query = select(columns.seq).where(columns.seq > self._start).order_by(columns.seq)
        return await self.database.read(lambda c: list(c.execute(query).scalars()))

    async def has_read(self, numbers: list[int]) -> None:
        async with asyncio.timeout(BOUND_SECONDS):
            while len(self.read) < len(numbers):
                await asyncio.sleep(0.01)
        assert self.read == numbers


@asynccontextmanager
async def several(url: URL, count: int = 2) -> AsyncIterator[list[OneServer]]:
    servers = [OneServer(url) for _ in range(count)]
    for server in servers:
        await server.start()
    try:
        yield servers
    finally:
        for server in servers:
            await server.stop()


async def test_a_smaller_number_that_is_committed_later_is_not_skipped(postgres: Postgres) -> None:
    async with several(postgres.new_database()) as (one, two):
        await asyncio.gather(one.commit(1, after=0.3), two.commit(1, before=0.1))
        numbers = await one.numbers()
        assert len(numbers) == 2
        for server in (one, two):
            await server.has_read(numbers)


async def test_a_reader_gets_more_than_fits_into_memory_from_another_server(postgres: Postgres) -> None:
    async with several(postgres.new_database()) as (one, two):
        await one.commit(IN_MEMORY + 700)
        await two.commit(1)
        for server in (one, two):
            await server.has_read(await one.numbers())


async def test_a_notification_that_never_arrives_only_delays(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with several(postgres.new_database()) as (one, two):
        monkeypatch.setattr(dialects, "CHANNEL", "elsewhere")  # as behind a pooler
        await one.commit(2)
        await two.has_read(await one.numbers())


async def test_the_events_of_another_server_arrive_by_notification(postgres: Postgres) -> None:
    """Without the timer: its clock stands still."""

    class Stopped(SystemClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    url = postgres.new_database()
    database = Database(url)
    await database.open()
    log = EventLog(database=database, bus=EventBus(), clock=Stopped(), redactor=Redactor(()))
    await log.start()
    async with several(url, 1) as (one,):
        async with asyncio.timeout(BOUND_SECONDS):
            await one.commit(1)
            assert [event.seq for event in await log.after(0)] == await one.numbers()
    await log.stop()
    await database.close()


STEP = st.fixed_dictionaries(
    {
        "who": st.integers(0, 2),
        "count": st.integers(1, 3),
        "before": st.sampled_from((0, 0.01)),
        "after": st.sampled_from((0, 0.01, 0.03)),
        "fails": st.booleans(),
    }
)
# Steps of one round overlap. A round may begin with the end of every connection.
ROUNDS = st.lists(st.tuples(st.booleans(), st.lists(STEP, min_size=1, max_size=8)), min_size=1, max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=ROUNDS)
def test_whatever_overlaps_fails_or_breaks_every_reader_gets_the_log_in_its_order(
    postgres: Postgres, log_url: URL, rounds: list[tuple[bool, list[dict[str, float]]]]
) -> None:
    async def trial() -> None:
        async with several(log_url, 3) as servers:
            for breaks, steps in rounds:
                commits = [
                    servers[int(step["who"])].commit(
                        int(step["count"]), before=step["before"], after=step["after"], fails=bool(step["fails"])
                    )
                    for step in steps
                ]
                ended = [asyncio.to_thread(postgres.end_connections, log_url)] if breaks else []
                await asyncio.gather(*commits, *ended)
            await servers[0].commit(1)
            numbers = await servers[1].numbers()
            for server in servers:
                await server.has_read(numbers)

    asyncio.run(trial())


@pytest.fixture(scope="module")
def log_url(postgres: Postgres) -> URL:
    return postgres.new_database()
