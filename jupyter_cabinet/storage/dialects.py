"""What differs between SQLite and PostgreSQL. No other module asks which of the two it has, except migrations.

SQLite has one writer at a time and no way to call other servers. On PostgreSQL several servers write at the same time,
so some transactions take a lock, and a commit notifies the other servers. Each function here is right for both.
"""

from __future__ import annotations

import logging
import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.pool import StaticPool

log = logging.getLogger(__name__)

# Older libraries can corrupt a write-ahead log that two connections use (sqlite.org, 3.51.3 notes).
FIRST_SAFE_WAL = (3, 51, 3)
BUSY_TIMEOUT_SECONDS = 10
MIGRATION_LOCK = 0x636162696E6574  # any number that no other program uses: "cabinet"
CHANNEL = "jupyter_cabinet_events"
CONNECT_TIMEOUT_SECONDS = 5
# How long PostgreSQL may be silent on the network before a connection counts as broken. The URL may say otherwise.
NETWORK_LIMITS = {
    "connect_timeout": CONNECT_TIMEOUT_SECONDS,
    "keepalives_idle": 5,  # seconds
    "keepalives_interval": 2,  # seconds
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # milliseconds
}
# In milliseconds. A server that is stopped in the middle of a write must not hold up the others for longer: PostgreSQL
# ends its transaction. Less than the time after which a server counts as dead (`schedules/leases.py`).
WRITE_LIMITS = {"idle_in_transaction_session_timeout": 8_000, "lock_timeout": 12_000}


def is_sqlite(url: URL) -> bool:
    """Return whether this is the URL of a SQLite database."""
    return url.get_backend_name() == "sqlite"


def file_of(url: URL) -> Path | None:
    """Return the file of a SQLite database; None for one in memory, and for another kind."""
    name = url.database
    if not is_sqlite(url) or not name or name == ":memory:":
        return None
    if "uri" in url.query and name.startswith("file:"):
        name = unquote(urlsplit(name).path)
    return Path(name)


def engine_options(url: URL) -> dict[str, Any]:
    """Return the arguments of `create_engine`: one connection that waits for nothing without a limit."""
    quiet = {"hide_parameters": True}  # otherwise an error would put people's instructions into the log
    if is_sqlite(url):
        return {**quiet, "poolclass": StaticPool, "connect_args": {"timeout": BUSY_TIMEOUT_SECONDS}}
    return {**quiet, "pool_size": 1, "max_overflow": 1, "pool_pre_ping": True, "connect_args": network_limits(url)}


def network_limits(url: URL) -> dict[str, Any]:
    """Return the arguments of a connection that limit its waits, except those that the URL contains."""
    is_libpq = url.get_driver_name() in ("psycopg", "psycopg2")
    return {name: value for name, value in NETWORK_LIMITS.items() if is_libpq and name not in url.query}


def prepare(engine: Engine) -> None:
    """Control SQLite's transactions instead of the driver, and set what rule 2 of ARCHITECTURE.md needs.

    For any other database, it does nothing.
    """
    if engine.dialect.name != "sqlite":
        return
    journal = "WAL" if sqlite3.sqlite_version_info >= FIRST_SAFE_WAL else "DELETE"

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for setting in (f"journal_mode={journal}", "synchronous=FULL", "mmap_size=0", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(f"BEGIN {connection.info.get('begin', 'IMMEDIATE')}")


def is_remote(connection: Connection) -> bool:
    """Return whether the database is another process, which can be away."""
    return connection.dialect.name != "sqlite"


def cut(driver_connection: Any) -> None:
    """End the network connection of PostgreSQL's driver, from another thread than the one that waits for an answer.

    Errors are only logged.
    """
    try:
        with socket.socket(fileno=os.dup(driver_connection.pgconn.socket)) as ours:
            ours.shutdown(socket.SHUT_RDWR)
    except Exception as error:  # whatever the driver raises: it is closed already, or is none of psycopg's
        log.debug("The connection of a silent database could not be ended: %s", type(error).__name__)


def begin_write(connection: Connection) -> None:
    """Limit how long this transaction can hold up other servers, and how long it waits for them."""
    if is_remote(connection):
        # for this transaction only: a connection pooler gives the connection to others afterwards
        limits = "; ".join(f"SET LOCAL {name} = {value:d}" for name, value in WRITE_LIMITS.items())
        connection.exec_driver_sql(limits)


def transaction_id(connection: Connection) -> str | None:
    """Return by what `outcome` recognises this transaction; None if it has written nothing, and for SQLite."""
    if not is_remote(connection):
        return None
    found = connection.exec_driver_sql("SELECT pg_current_xact_id_if_assigned()::text").scalar()
    return None if found is None else str(found)


def outcome(connection: Connection, transaction: str) -> str:
    """Return how a transaction has ended: `committed`, `aborted`, `in progress`; empty if it is not known.

    Only for PostgreSQL.
    """
    query = "SELECT pg_xact_status(%(id)s::text::xid8)"
    return str(connection.exec_driver_sql(query, {"id": transaction}).scalar() or "")


def damage(connection: Connection) -> str:
    """Return what SQLite finds wrong with its file; empty for nothing, and for PostgreSQL, which checks itself."""
    if connection.dialect.name != "sqlite":
        return ""
    verdict = str(connection.exec_driver_sql("PRAGMA quick_check").scalar())
    connection.rollback()
    return "" if verdict == "ok" else verdict


def take_turn(connection: Connection, name: str) -> None:
    """Let transactions that call this with the same name follow each other until their commit. SQLite's always do."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock(hashtext('jupyter_cabinet.{name}'))")


def notify(connection: Connection, newest: int) -> None:
    """Wake the other servers after the commit of this transaction. `newest`: the greatest number of its events."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_notify('{CHANNEL}', '{newest:d}')")


def hold_still(connection: Connection, tables: tuple[str, ...]) -> None:
    """Let nobody else write these tables until the end of the transaction. SQLite's begin with such a lock.

    It does not wait: PostgreSQL raises `OperationalError` if another transaction is writing one of them.
    """
    if connection.dialect.name == "postgresql":
        names = ", ".join(f'"{name}"' for name in tables)
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE NOWAIT")


def last_number(connection: Connection, table: str, column: str) -> int:
    """Return the last number that a column has counted, also of a deleted row; 0 for none."""
    if connection.dialect.name == "postgresql":
        sequence = _sequence(connection, table, column)
        row = connection.exec_driver_sql(f"SELECT last_value, is_called FROM {sequence}").one()  # noqa: S608 - its own name
        return int(row.last_value) if row.is_called else 0
    found = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).scalar()
    return int(found or 0)


def set_last_number(connection: Connection, table: str, column: str, number: int) -> None:
    """Let the next row of a table get a number after this one."""
    if connection.dialect.name == "postgresql":
        sequence = _sequence(connection, table, column)
        connection.exec_driver_sql(f"SELECT setval('{sequence}', {max(number, 1):d}, {bool(number)})")
        return
    connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    connection.exec_driver_sql("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))


def _sequence(connection: Connection, table: str, column: str) -> str:
    return str(connection.exec_driver_sql(f"SELECT pg_get_serial_sequence('{table}', '{column}')").scalar())


@contextmanager
def migrating_alone(connection: Connection) -> Iterator[None]:
    """Let no other server migrate this PostgreSQL database during the body. For SQLite, it does nothing.

    The body has to commit: what it has not committed is rolled back. The lock also ends with the connection.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    connection.exec_driver_sql(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
    connection.commit()
    try:
        yield
    finally:
        connection.rollback()
        connection.exec_driver_sql(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        connection.commit()
