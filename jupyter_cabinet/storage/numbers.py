"""The numbers that order runs, approvals and changes of sessions, whatever the clocks say. Called by `runs/ledger.py`.

Whoever can write to the database can put a text in their place, which SQLite keeps: only integers count.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Table, delete, func, insert, select, update

from .tables import ORDER, approvals, counters, runs, sessions

MAX_NUMBER = 2**53 - 1  # what a browser counts exactly
NUMBERED: tuple[tuple[Table, str], ...] = ((runs, "number"), (sessions, "changed"), (approvals, "number"))


def is_number(value: object) -> bool:
    return isinstance(value, int) and 0 <= value <= MAX_NUMBER


def next_number(connection: Connection) -> int:
    """Greater than every one before, also those of another server beside this one."""
    mine = counters.c.name == ORDER
    # one statement reads and writes; a text is greater than every integer to SQLite, and is not counted on
    countable = counters.c.value.between(0, MAX_NUMBER - 1)
    counted = connection.execute(update(counters).where(mine, countable).values(value=counters.c.value + 1)).rowcount
    number = connection.execute(select(counters.c.value).where(mine)).scalar()
    return number if counted == 1 and isinstance(number, int) else _begin_again(connection)


def _begin_again(connection: Connection) -> int:
    """Put the counter right by the rows that have numbers."""
    number = max(_greatest(connection, table.c[name]) for table, name in NUMBERED) + 1
    connection.execute(delete(counters).where(counters.c.name == ORDER))
    connection.execute(insert(counters).values(name=ORDER, value=number))
    return number


def _greatest(connection: Connection, column: Column[int]) -> int:
    query = select(func.max(column)).where(column.between(0, MAX_NUMBER - 1))
    return int(connection.execute(query).scalar() or 0)
