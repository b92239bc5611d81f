"""Brings a database to this version's tables with Alembic: a copy first, then each step in its own transaction."""

from __future__ import annotations

import logging
import sqlite3
import threading
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DatabaseError

from ..core.errors import Unavailable
from . import dialects
from .database_checks import LOST_RECORDS, refuse_programs
from .filesystem.private_folders import private_folder

log = logging.getLogger(__name__)
SCRIPTS = Path(__file__).parent / "migrations"
_ONE_AT_A_TIME = threading.Lock()  # Alembic keeps the current migration in a module


def upgrade(engine: Engine, *, copies: Path | None = None, must_hold: bool = False) -> None:
    """Migrate to the newest tables; do nothing if they are. `must_hold`: there must be records in it already.

    A SQLite database with tables is copied to `before-VERSION.db` in `copies` first; None: no copy. Raises
    `Unavailable` when the database is newer than this code, has triggers or views of others, or has no records although
    it must. Errors of the database are raised as SQLAlchemy's `DatabaseError`. Blocks.
    """
    scripts = ScriptDirectory(str(SCRIPTS))
    newest = scripts.get_current_head()
    with engine.connect() as connection:
        refuse_programs(connection)
        present = MigrationContext.configure(connection).get_current_revision()
        connection.rollback()
        if present == newest:
            return
        if present is None and must_hold:
            raise Unavailable(LOST_RECORDS.format(path=engine.url.database))
        if present is not None:
            _refuse_newer(scripts, present)
            _copy(engine, copies, present)
        _run_alone(connection, scripts)
    log.info("Cabinet's database is at version %s", newest)


def _refuse_newer(scripts: ScriptDirectory, present: str) -> None:
    try:
        scripts.get_revision(present)
    except CommandError:
        raise Unavailable(
            f"The database has version {present}, which this Jupyter Cabinet does not know. "
            "Install the newer Jupyter Cabinet again, or set its database aside."
        ) from None


def _copy(engine: Engine, copies: Path | None, present: str) -> None:
    """Make a copy. PostgreSQL has its own backups."""
    if copies is None or not dialects.is_sqlite(engine.url):
        return
    copy = private_folder(copies) / f"before-{present}.db"
    copy.unlink(missing_ok=True)  # the existing file may be a link
    target = sqlite3.connect(copy)
    source = engine.raw_connection()
    try:
        source.driver_connection.backup(target)  # type: ignore[union-attr]
    finally:
        target.close()
        source.close()


def _run_alone(connection: Connection, scripts: ScriptDirectory) -> None:
    """Two servers may start at the same time: the second finds the tables, or waits for them."""
    with dialects.migrating_alone(connection):
        try:
            with _ONE_AT_A_TIME:
                _run(connection, scripts)
        except DatabaseError:
            connection.rollback()
            if MigrationContext.configure(connection).get_current_revision() != scripts.get_current_head():
                raise
            connection.rollback()


def _run(connection: Connection, scripts: ScriptDirectory) -> None:
    environment = EnvironmentContext(Config(), scripts)

    def steps(revision: object, _context: object) -> object:
        return scripts._upgrade_revs("head", revision)  # type: ignore[arg-type]  # as alembic.command does

    environment.configure(connection=connection, fn=steps, transaction_per_migration=True)
    with environment.begin_transaction():
        environment.run_migrations()
    connection.commit()
