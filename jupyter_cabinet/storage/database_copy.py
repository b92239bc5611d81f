"""Copies all records of a cabinet from one database to another, and checks the copy. Nothing in the source changes.

Both databases are locked while this works, so no server can begin to use one of them. The target receives everything
in one transaction, or nothing. Called by `commands/without_server/database.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
from sqlalchemy import URL, Connection, Engine, Float, Row, Table, func, insert, inspect, select
from sqlalchemy.exc import DatabaseError, OperationalError

from ..core.errors import CabinetError, Conflict, Invalid, Unavailable
from ..core.plain_text import one_line
from . import dialects
from .database import engine_of, named
from .driver_errors import first_line, problem_of
from .migrate import upgrade
from .tables import counters, metadata
from .version import is_newest

BATCH = 500
SHOWN_KEY = 80  # characters of a row's key in a message
ALL_HASHES = 2**256

# Receives a table's name and the number of its rows that have been copied.
Tell = Callable[[str, int], None]
# Returns the servers that may be using a database.
Users = Callable[[Connection], list[str]]


class CopiedTable(msgspec.Struct, frozen=True, kw_only=True):
    """The number of rows, and a hash of them that does not depend on their order."""

    table: str
    rows: int
    hash: str


def copy_database(source: str | URL, target: str | URL, *, users: Users, tell: Tell) -> list[CopiedTable]:
    """Copy everything, and return what was copied, table by table. Creates the tables of an empty target.

    `tell` is called after every 500 rows and at the end of a table, not for an empty one. Raises `Conflict` if a server
    uses one of the databases or the target is not empty, `Invalid` if both are the same database or for a row that the
    target cannot store, `Unavailable` for a database that cannot be used or whose tables are of another version, and
    `CabinetError` if the copy differs from the original.
    """
    with _opened(source) as origin, _opened(target) as goal:
        if origin.url == goal.url:
            raise Invalid("Both URLs name the same database.")
        _require_current(origin)
        _prepare_target(goal)
        with origin.connect() as reading, goal.connect() as writing, reading.begin(), writing.begin():
            for connection in (reading, writing):
                dialects.hold_still(connection, tuple(metadata.tables))
                _refuse_users(connection, users)
            _refuse_records(writing)
            copied = [_copy(reading, writing, table, tell) for table in metadata.sorted_tables]
            for table in metadata.sorted_tables:
                if table.autoincrement_column is not None:
                    column = table.autoincrement_column.name
                    number = dialects.last_number(reading, table.name, column)
                    dialects.set_last_number(writing, table.name, column, number)
    return copied


# --- before ------------------------------------------------------------------------------------


@contextmanager
def _opened(url: str | URL) -> Iterator[Engine]:
    engine = engine_of(url)
    try:
        yield engine
    except OperationalError as error:
        reason = first_line(error.orig or error)
        raise Unavailable(f"The database {named(engine.url)} cannot be used: {reason}") from error
    except DatabaseError as error:
        raise Unavailable(f"A database cannot be read or written: {first_line(error.orig or error)}") from error
    finally:
        engine.dispose()


def _require_current(engine: Engine) -> None:
    file = dialects.file_of(engine.url)
    if file is not None and not (file.is_file() and not file.is_symlink()):
        raise Unavailable(f"There is no database {file}.")
    if not is_newest(engine):
        raise Unavailable(
            f"The database {named(engine.url)} was not made by this version of Jupyter Cabinet. Start the server with "
            "it once and stop it, then copy again."
        )


def _prepare_target(engine: Engine) -> None:
    """Create the tables in an empty database."""
    file = dialects.file_of(engine.url)
    if file is not None and (file.is_symlink() or not file.parent.is_dir()):
        raise Unavailable(f"{file} cannot be created: its folder does not exist, or it is a link.")
    if inspect(engine).get_table_names():
        if not is_newest(engine):
            raise Conflict(f"The database {named(engine.url)} contains other tables. Copy to an empty database.")
    else:
        upgrade(engine)


def _refuse_users(connection: Connection, users: Users) -> None:
    if found := users(connection):
        raise Conflict(
            f"The database {named(connection.engine.url)} is used by a server on {', '.join(found)}. Stop it, then "
            "copy again. If it has crashed on another machine, start and stop a server with this database first."
        )


def _refuse_records(connection: Connection) -> None:
    for table in metadata.sorted_tables:
        if table is not counters and connection.execute(select(table).limit(1)).first() is not None:
            raise Conflict(
                f"The database {named(connection.engine.url)} already contains records ({table.name}). Copy to an "
                "empty database."
            )
    connection.execute(counters.delete())  # the migrations have begun to count


# --- one table ---------------------------------------------------------------------------------


def _copy(reading: Connection, writing: Connection, table: Table, tell: Tell) -> CopiedTable:
    total, count = 0, 0
    for rows in _batches(reading, table):
        for row in rows:
            _check(table, row, writing)
            total = (total + _hash(table, row)) % ALL_HASHES
        writing.execute(insert(table), [dict(row._mapping) for row in rows])
        count += len(rows)
        tell(table.name, count)
    copied = CopiedTable(table=table.name, rows=count, hash=f"{total:064x}")
    stored = sum(_hash(table, row) for rows in _batches(writing, table) for row in rows) % ALL_HASHES
    found = writing.execute(select(func.count()).select_from(table)).scalar()
    if (found, f"{stored:064x}") != (copied.rows, copied.hash):
        raise CabinetError(f"The copy of the table {table.name} differs from the original. Nothing was copied.")
    return copied


def _batches(connection: Connection, table: Table) -> Iterator[list[Row[tuple[object, ...]]]]:
    query = select(table).order_by(*table.primary_key).execution_options(yield_per=BATCH)
    for rows in connection.execute(query).partitions():
        yield list(rows)


def _check(table: Table, row: Row[tuple[object, ...]], target: Connection) -> None:
    """SQLite stores any value in any column, PostgreSQL does not."""
    if not dialects.is_remote(target):
        return
    for column, value in zip(table.columns, row, strict=True):
        if (problem := problem_of(value, column.type)) is not None:
            key = ", ".join(f"{each.name} {row._mapping[each.name]!r}" for each in table.primary_key)
            raise Invalid(
                f"The row of {table.name} with {one_line(key)[:SHOWN_KEY]} cannot be stored in PostgreSQL, because of "
                f"its {column.name}: {problem}. Nothing was copied. Delete what it belongs to, then copy again."
            )


def _hash(table: Table, row: Row[tuple[object, ...]]) -> int:
    values = [
        float(value) if isinstance(column.type, Float) and isinstance(value, int) else value
        for column, value in zip(table.columns, row, strict=True)
    ]
    return int.from_bytes(hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).digest())
