"""The numbers that order runs, approvals and changes of sessions, independent of clocks.

Called by the `store.py` of each room whose table has a column marked `tables.NUMBERED`.

Anything that can write to the database can put a text in their place, which SQLite keeps: only integers count.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Connection, delete, func, insert, select, update

from .tables import ORDER, counters, metadata

MAX_NUMBER = 2**53 - 1  # the largest that a browser counts exactly


def is_number(value: object) -> bool:
    """Return whether a value from the database is a valid number: an integer that a browser counts exactly."""
    return isinstance(value, int) and 0 <= value <= MAX_NUMBER


def next_number(connection: Connection) -> int:
    """Return a number greater than all earlier ones, also those of another server on this folder.

    Call it in a write.
    """
    mine = counters.c.name == ORDER
    # one statement reads and writes; to SQLite a text is greater than every integer, and is ignored
    countable = counters.c.value.between(0, MAX_NUMBER - 1)
    counted = connection.execute(update(counters).where(mine, countable).values(value=counters.c.value + 1)).rowcount
    number = connection.execute(select(counters.c.value).where(mine)).scalar()
    return number if counted == 1 and isinstance(number, int) else _begin_again(connection)


def _begin_again(connection: Connection) -> int:
    """Correct the counter by the rows that have numbers."""
    numbered = (column for table in metadata.tables.values() for column in table.c if column.info.get("numbered"))
    number = max((_greatest(connection, column) for column in numbered), default=0) + 1
    connection.execute(delete(counters).where(counters.c.name == ORDER))
    connection.execute(insert(counters).values(name=ORDER, value=number))
    return number


def _greatest(connection: Connection, column: Column[Any]) -> int:
    query = select(func.max(column)).where(column.between(0, MAX_NUMBER - 1))
    return int(connection.execute(query).scalar() or 0)
