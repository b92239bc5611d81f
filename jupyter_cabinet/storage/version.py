"""Checks whether a database already has this code's tables, without Alembic, which takes 9 MB and is seldom needed.

Called by `database.py`, which calls `migrate.py` for every other database.
"""

from __future__ import annotations

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from .database_checks import refuse_programs

NEWEST = "0014"  # the newest of `migrations/versions`; a test compares them


def is_newest(engine: Engine) -> bool:
    """Return whether the database has exactly the newest schema. An empty database does not.

    Raises `Unavailable` for a SQLite database with triggers, or with a view in place of a table.
    """
    with engine.connect() as connection:
        refuse_programs(connection)
        try:
            versions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
        except DatabaseError:  # no such table, or something for Alembic to judge
            versions = []
        connection.rollback()
    return list(versions) == [NEWEST]
