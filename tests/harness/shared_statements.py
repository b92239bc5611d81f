"""Lets all databases of the test process share the statements that SQLAlchemy has compiled.

A server has one database, and compiles each of its statements once. Hundreds of tests have their own, and compiling the
same statements for each of them took more of the processor's time than executing them.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

MOST_STATEMENTS = 5000

_compiled: LRUCache[object, object] = LRUCache(MOST_STATEMENTS)


class _Dialect(SQLiteDialect_pysqlite):
    """Equal to every other one of SQLite, because a cache finds a statement by its dialect too."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


def share() -> None:
    """Share them from now on."""
    registry.register("sqlite", __name__, _Dialect.__name__)
    registry.register("sqlite.pysqlite", __name__, _Dialect.__name__)

    @event.listens_for(Engine, "engine_connect")
    def _share(connection: Connection) -> None:
        if isinstance(connection.dialect, _Dialect):
            connection.engine._compiled_cache = _compiled
