"""A cabinet moves to PostgreSQL and back with every row, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from harness.postgres import Postgres
from sqlalchemy import URL, Boolean, Column, Connection, Float, Integer, create_engine, insert, select

import jupyter_cabinet.backend  # noqa: F401 - with it come the tables of every room
from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid, Unavailable
from jupyter_cabinet.schedules.leases import Leases, servers_on
from jupyter_cabinet.storage import tables
from jupyter_cabinet.storage.database import Database, engine_of, sqlite_url
from jupyter_cabinet.storage.database_copy import copy_database

ROWS = 1_100  # more than one batch
EVENT = {"time": 1.0, "type": "x", "owner": "o", "visibility": "server", "body": "{}"}


def value_of(column: Column[Any], number: int) -> Any:
    """A value that differs from row to row: large numbers, fractions, characters of every kind, and nothing."""
    if column.nullable and number % 3 == 0:
        return None
    if isinstance(column.type, Boolean):
        return bool(number % 2)
    if isinstance(column.type, Float):
        return number / 7
    if isinstance(column.type, Integer):
        return number if column.primary_key or type(column.type) is Integer else 2**53 - number
    length = getattr(column.type, "length", None) or 40
    return f"{number:04d}ä\u2028😀\n'\""[:length]


async def filled(path: Path) -> URL:
    url = sqlite_url(path)
    database = Database(url)
    await database.open()

    def fill(connection: Connection) -> None:
        connection.execute(tables.counters.delete())
        for table in tables.metadata.sorted_tables:
            rows = [{c.name: value_of(c, number) for c in table.columns} for number in range(1, ROWS)]
            connection.execute(insert(table), rows)
        connection.execute(tables.events.delete().where(tables.events.c.seq == ROWS - 1))

    await database.write(fill)
    await database.close()
    return url


def content(url: URL) -> dict[str, list[tuple[Any, ...]]]:
    engine = create_engine(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(select(table)).all()), key=repr)
            for table in tables.metadata.sorted_tables
        }
    engine.dispose()
    return found


def copied(source: URL, target: URL) -> int:
    return sum(each.rows for each in copy_database(source, target, users=lambda c: [], tell=lambda table, rows: None))


async def test_every_row_and_the_last_numbers_arrive_in_postgresql_and_come_back(
    tmp_path: Path, postgres: Postgres
) -> None:
    source, target, back = await filled(tmp_path / "a.db"), postgres.new_database(), sqlite_url(tmp_path / "b.db")
    before = hashlib.sha256((tmp_path / "a.db").read_bytes()).digest()
    expected = content(source)
    assert copied(source, target) == sum(map(len, expected.values()))
    assert content(target) == expected
    copied(target, back)
    assert content(back) == expected
    assert hashlib.sha256((tmp_path / "a.db").read_bytes()).digest() == before
    for url in (target, back):
        database = Database(url)
        await database.open()
        made = await database.write(lambda c: c.execute(insert(tables.events).values(**EVENT)).inserted_primary_key)
        assert made is not None and made[0] == ROWS  # the deleted number does not come back
        await database.close()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"body": "a\0b"}, "row of events with seq 7 .* its body: the text contains a NUL character"),
        ({"type": "long" * 20}, "row of events with seq 7 .* its type: the text has 80 characters"),
    ],
)
async def test_a_row_that_does_not_fit_is_named_and_nothing_is_copied(
    tmp_path: Path, postgres: Postgres, changes: dict[str, str], said: str
) -> None:
    source, target = sqlite_url(tmp_path / "a.db"), postgres.new_database()
    database = Database(source)
    await database.open()
    for seq in (6, 7):
        row = {**EVENT, "seq": seq, **(changes if seq == 7 else {})}
        await database.write(lambda c, row=row: c.execute(insert(tables.events).values(**row)) and None)
    await database.close()
    with pytest.raises(Invalid, match=said):
        copied(source, target)
    assert not any(rows for table, rows in content(target).items() if table != "counters")
    engine = engine_of(source)
    with engine.begin() as connection:
        connection.execute(tables.events.delete().where(tables.events.c.seq == 7))
    engine.dispose()
    assert copied(source, target) >= 1  # the tables that the first attempt has created are empty


async def test_a_database_that_a_server_uses_is_not_copied_and_not_written(tmp_path: Path, postgres: Postgres) -> None:
    source, target = sqlite_url(tmp_path / "a.db"), postgres.new_database()
    databases = [Database(url) for url in (source, target)]
    for used in databases:
        await used.open()
        leases = Leases("server", SystemClock())
        await used.write(leases.take)
        with pytest.raises(Conflict, match=r"used by a server on .* \(process \d+\)"):
            copy_database(source, target, users=servers_on, tell=lambda table, rows: None)
        await used.write(leases.release)
    assert copy_database(source, target, users=servers_on, tell=lambda table, rows: None)
    for used in databases:
        await used.close()


async def test_what_cannot_be_a_source_or_a_target_is_refused(tmp_path: Path, postgres: Postgres) -> None:
    source, target = await filled(tmp_path / "a.db"), postgres.new_database()
    copied(source, target)
    other = postgres.new_database()
    engine = create_engine(other)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE theirs (id INTEGER)")
    engine.dispose()
    (tmp_path / "link.db").symlink_to(tmp_path / "b.db")
    refusals: list[tuple[URL | str, URL | str, type[CabinetError], str]] = [
        (source, target, Conflict, "already contains records"),
        (source, other, Conflict, "contains other tables"),
        (source, source, Invalid, "the same database"),
        (sqlite_url(tmp_path / "nothing.db"), target, Unavailable, "There is no database"),
        (other, target, Unavailable, "was not made by this version"),
        (source, sqlite_url(tmp_path / "link.db"), Unavailable, "cannot be created"),
        (source, "nonsense", Unavailable, "not a SQLAlchemy URL"),
        (source, target.set(database="nothing", password="hush"), Unavailable, "cannot be used"),
    ]
    for origin, goal, kind, said in refusals:
        with pytest.raises(kind, match=said) as raised:
            copy_database(origin, goal, users=lambda c: [], tell=lambda table, rows: None)
        assert "hush" not in raised.value.message
    assert not (tmp_path / "nothing.db").exists() and not (tmp_path / "b.db").exists()
