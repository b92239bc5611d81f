"""The database on a real PostgreSQL, which unlike SQLite keeps to types and is reached over a connection."""

import asyncio
import threading
import time
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from harness.postgres import Postgres
from harness.values import example_run
from sqlalchemy import URL, Connection, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

import jupyter_cabinet.backend  # noqa: F401 - with it come the tables of every room
from jupyter_cabinet.core.errors import Invalid, Unavailable
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun, RunFilter, RunResult, Trigger
from jupyter_cabinet.runs.tables import runs
from jupyter_cabinet.storage import database as database_module
from jupyter_cabinet.storage import dialects, sequence_numbers, tables
from jupyter_cabinet.storage.database import Database

ADA = Principal(username="ada", display_name="Ada", shared_token=True)
ROW = {"time": 1.0, "type": "x", "owner": "o", "visibility": "server", "body": "{}"}
BOUND_SECONDS = 20.0
LAST = sequence_numbers.MAX_NUMBER - 2


async def opened(url: URL) -> Database:
    database = Database(url)
    await database.open()
    return database


@pytest.fixture
def url(postgres: Postgres) -> URL:
    return postgres.new_database()


async def test_the_migrations_make_exactly_the_tables_also_for_two_servers_at_once(url: URL) -> None:
    both = [Database(url) for _ in range(2)]
    await asyncio.gather(*(database.open() for database in both))
    for database in both:
        differences = await database.read(
            lambda c: compare_metadata(MigrationContext.configure(c), tables.metadata)  # type: ignore[arg-type]
        )
        assert differences == []
        await database.close()


async def test_every_number_counts_on_to_the_largest_that_a_browser_counts_exactly(url: URL) -> None:
    database = await opened(url)
    await database.write(lambda c: c.execute(update(tables.counters).values(value=LAST)) and None)
    made = [
        await database.write(
            lambda c, id=id: store.insert_run(c, example_run(id=id), NewManualRun(instruction="x"), "h")
        )
        for id in ("a", "b")
    ]
    assert [run.number for run in made] == [LAST + 1, LAST + 2]
    listed = await database.read(lambda c: store.list_runs(c, RunFilter(), ADA))
    assert [run.number for run in listed] == [LAST + 2, LAST + 1]
    again = await database.write(sequence_numbers.next_number)
    assert again == LAST + 2  # rows whose number is the last do not count: it begins after the one before
    await database.close()


async def test_a_search_for_a_text_finds_answers_and_no_names_of_fields(url: URL) -> None:
    database = await opened(url)
    run = example_run(state="succeeded", result=RunResult(text='Seven "walruses"'), reason="A hippo")
    await database.write(lambda c: store.insert_run(c, run, NewManualRun(instruction="x"), "h"))
    for query, expected in (('SEVEN "walruses', ["s"]), ("hippo", []), ("permission_mode", [])):
        assert await database.read(lambda c, query=query: store.sessions_with(c, query, ADA)) == expected
    await database.close()


async def test_events_are_numbered_beyond_32_bits(url: URL) -> None:
    database = await opened(url)
    await database.write(lambda c: c.execute(text(f"ALTER SEQUENCE events_seq_seq RESTART WITH {2**40}")) and None)
    await database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None)
    assert await database.read(lambda c: c.execute(select(func.max(tables.events.c.seq))).scalar()) == 2**40
    assert (
        await database.read(lambda c: c.execute(select(tables.events).where(tables.events.c.seq > 2**53)).all()) == []
    )
    await database.close()


@pytest.mark.parametrize(("asked_by", "count"), [("ada", 1), ("ÄDÄ lind", 1), ("Lind", 1), ("Li", 0), ("%", 0)])
async def test_who_asked_is_found_by_either_name(url: URL, asked_by: str, count: int) -> None:
    database = await opened(url)
    run = example_run(trigger=Trigger(kind="person", username="ada", display_name="Ädä Lind"))
    await database.write(lambda c: store.insert_run(c, run, NewManualRun(instruction="x"), "h"))
    assert len(await database.read(lambda c: store.list_runs(c, RunFilter(asked_by=asked_by), ADA))) == count
    await database.close()


def columns_of(**changes: object) -> dict[str, object]:
    run = example_run()
    return {**store._columns(run), "number": 1, "holder": "h", "request": "{}", **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instruction": "hush\0"}, "value of instruction: the text contains a NUL character"),
        ({"agent": "hush" * 20}, "value of agent: the text has 80 characters, at most 64 fit"),
        ({"changed_files": 2**31}, "value of changed_files: 2147483648 is a number of more than 32 bits"),
        ({"number": 2**63}, "value of number: 9223372036854775808 is a number of more than 64 bits"),
    ],
)
async def test_a_value_that_does_not_fit_is_named_with_the_reason_and_not_shown(
    url: URL, changes: dict[str, object], said: str
) -> None:
    database = await opened(url)
    with pytest.raises(Invalid) as raised:
        await database.write(lambda c: c.execute(insert(runs).values(**columns_of(**changes))) and None)
    assert said in raised.value.message and "hush" not in raised.value.message
    await database.write(lambda c: c.execute(insert(runs).values(**columns_of())) and None)
    assert await database.read(lambda c: len(store.list_runs(c, RunFilter(), ADA))) == 1
    await database.close()


async def test_a_text_that_is_looked_for_and_has_a_nul_character_is_named(url: URL) -> None:
    database = await opened(url)
    with pytest.raises(Invalid, match="the text contains a NUL character"):
        await database.read(lambda c: store.list_runs(c, RunFilter(query="a\0b"), ADA))
    assert await database.read(lambda c: store.list_runs(c, RunFilter(query="a%_b"), ADA)) == []
    await database.close()


async def test_an_error_of_the_database_does_not_tell_what_was_written(url: URL) -> None:
    database = await opened(url)
    with pytest.raises(IntegrityError) as raised:
        await database.write(
            lambda c: c.execute(insert(tables.events).values(**{**ROW, "type": None, "body": "hush"})) and None
        )
    assert "hush" not in str(raised.value) and "hush" not in str(raised.value.__cause__)
    await database.close()


async def test_a_connection_that_broke_is_made_again_and_the_work_is_done_once(url: URL, postgres: Postgres) -> None:
    database = await opened(url)
    postgres.end_connections(url)
    await database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None)
    postgres.end_connections(url)
    assert await database.read(lambda c: c.execute(select(func.count()).select_from(tables.events)).scalar()) == 1
    await database.close()


@pytest.mark.parametrize("is_first", [True, False], ids=["after the commit", "before it"])
async def test_a_write_happens_once_although_the_connection_breaks_at_its_commit(
    url: URL, postgres: Postgres, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    database = await opened(url)
    dialect = database._engine.dialect  # type: ignore[union-attr]
    commit = dialect.do_commit

    def breaking(connection: Any) -> None:
        monkeypatch.setattr(dialect, "do_commit", commit)
        if is_first:
            commit(connection)
        postgres.end_connections(url)
        connection.execute("SELECT 1")

    monkeypatch.setattr(dialect, "do_commit", breaking)
    made = await database.write(lambda c: c.execute(insert(tables.events).values(**ROW)).inserted_primary_key)
    stored = await database.read(lambda c: c.execute(select(tables.events.c.seq)).scalars().all())
    assert made is not None and stored == [made[0]]
    await database.close()


async def test_a_database_that_is_silent_is_away(url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    database = await opened(url)
    monkeypatch.setattr(database_module, "SILENT_SECONDS", 0.3)
    begun = time.monotonic()
    asleep = asyncio.create_task(database.read(lambda c: c.execute(text("SELECT pg_sleep(60)")).all()))
    behind = asyncio.create_task(database.read(lambda c: c.execute(text("SELECT 1")).scalar()))
    for call in (asleep, behind):
        with pytest.raises(Unavailable, match="has not answered"):
            await call
    assert time.monotonic() - begun < BOUND_SECONDS
    assert await database.read(lambda c: c.execute(text("SELECT 1")).scalar()) == 1
    await database.close()


async def test_a_server_that_is_stopped_in_a_write_does_not_hold_up_the_others(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(dialects.WRITE_LIMITS, "idle_in_transaction_session_timeout", 300)
    stopped, other = await opened(url), await opened(url)
    holds, goes_on = threading.Event(), threading.Event()

    def add(connection: Connection) -> None:
        dialects.take_turn(connection, "events")
        if not holds.is_set():
            holds.set()
            assert goes_on.wait(BOUND_SECONDS)
        connection.execute(insert(tables.events).values(**ROW))

    writing = asyncio.create_task(stopped.write(add))
    await asyncio.to_thread(holds.wait, BOUND_SECONDS)
    async with asyncio.timeout(BOUND_SECONDS):
        await other.write(add)
    goes_on.set()
    await writing  # once more, because PostgreSQL has ended its transaction
    assert await other.read(lambda c: c.execute(select(func.count()).select_from(tables.events)).scalar()) == 2
    for database in (stopped, other):
        await database.close()


async def test_a_database_that_takes_no_connections_is_said_so_until_it_does_again(
    url: URL, postgres: Postgres
) -> None:
    database = await opened(url)
    refused = pytest.raises(Unavailable, match="not currently accepting connections")
    with postgres.refusing_connections(url), refused:
        await database.read(lambda c: c.execute(text("SELECT 1")).scalar())
    assert await database.read(lambda c: c.execute(text("SELECT 1")).scalar()) == 1
    await database.close()


async def test_a_database_that_does_not_answer_or_does_not_exist_is_named_without_the_password(url: URL) -> None:
    for wrong in (url.set(database="nothing", password="hush"), url.set(query={"host": "/nowhere"}, password="hush")):
        database = Database(wrong)
        with pytest.raises(Unavailable, match="could not be opened") as raised:
            await database.open()
        assert "hush" not in raised.value.message and "postgresql" in raised.value.message
        await database.close()


async def test_calls_that_wait_for_a_database_that_does_not_answer_fail_together(
    url: URL, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the last of them would wait for as many attempts to connect as there are calls."""
    attempts: list[float] = []
    connect = psycopg.connect

    def slow(*arguments: object, **options: object) -> object:
        attempts.append(time.monotonic())
        time.sleep(0.3)  # as a server that is reached, and is silent
        return connect(*arguments, **options)  # type: ignore[arg-type]

    database = await opened(url)
    monkeypatch.setattr(psycopg, "connect", slow)
    with postgres.refusing_connections(url):
        attempts.clear()  # the harness has connected as well
        calls = [database.read(lambda c: c.execute(text("SELECT 1")).scalar()) for _ in range(20)]
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(each) for each in found} == {Unavailable} and len(attempts) == 1
    monkeypatch.undo()
    await database.answer()
    await database.close()
