"""Rows that hold a value as JSON beside the columns for searching: checked, paged, filtered by owner.

Called by the `store.py` of each room. Anything that can write to the database can put anything into a row: a value that
does not fit its row is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, Table, func, or_, select

from ..core.people import Principal
from .sequence_numbers import is_number

Record = TypeVar("Record", bound=msgspec.Struct)
MAX_PAGE = 200


def values(connection: Connection, kind: type[Record], query: Select[Any]) -> list[Record]:
    """Return the values of rows of `id`, `body` and, if its kind has one, `number`, in the order of `query`.

    Rows whose content does not fit are left out silently.
    """
    return _fitting(kind, connection.execute(query))


def page(connection: Connection, kind: type[Record], query: Select[Any], limit: int) -> list[Record]:
    """Return the first `limit` values of an ordered query, which must have no limit itself.

    Damaged rows are skipped, and later rows fill the page. So a shorter page is always the last one, and callers find
    the end of a list by it.
    """
    found: list[Record] = []
    read, size = 0, limit
    while len(found) < limit:
        rows = connection.execute(query.limit(size).offset(read)).all()
        found += _fitting(kind, rows)
        if len(rows) < size:
            break
        read, size = read + size, MAX_PAGE
    return found[:limit]


def _fitting(kind: type[Record], rows: Iterable[Row[Any]]) -> list[Record]:
    found = ((row, decoded(kind, row.id, row.body)) for row in rows)
    numbered = (_numbered(value, row) for row, value in found if value is not None)
    return [value for value in numbered if value is not None]


def first_value(connection: Connection, kind: type[Record], query: Select[Any]) -> Record | None:
    """Return the first of `values`; None if there is none."""
    found = values(connection, kind, query)
    return found[0] if found else None


def decoded(kind: type[Record], id: str, body: str) -> Record | None:
    """Return a stored value; None if it is not of this kind, or has another id than its row."""
    try:
        value = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
        return None
    return value if getattr(value, "id", None) == id else None


def encoded(value: msgspec.Struct) -> str:
    """Return a value as its row's `body`."""
    return msgspec.json.encode(value).decode()


def _numbered(value: Record, row: Row[Any]) -> Record | None:
    """Return the value with the `number` of its row; None if this number is invalid.

    If the row has no `number`, the value stays as it is.
    """
    if "number" not in row._fields:
        return value
    return msgspec.structs.replace(value, number=row.number) if is_number(row.number) else None


def visible_to(query: Select[Any], table: Table, principal: Principal) -> Select[Any]:
    """Limit a query to rows that the caller may see: shared ones and his own.

    For an administrator and for a shared token the query stays as it is.
    """
    if principal.shared_token or principal.administrator:
        return query
    columns = table.c
    return query.where(or_(columns.visibility == "server", columns.owner == principal.username))


def older_than(table: Table, cursor: str) -> ColumnElement[bool]:
    """Return the condition for rows older than the row of that id; if it has been deleted, than its neighbour by id.

    An id that is smaller than all others, and belongs to no row, selects none.
    """
    columns = table.c
    row = select(columns.number).where(columns.id == cursor).scalar_subquery()
    neighbour = select(func.max(columns.number) + 1).where(columns.id < cursor).scalar_subquery()
    return columns.number < func.coalesce(row, neighbour)


def page_size(limit: int) -> int:
    """Return the rows of a page: `limit`, but at least 1 and at most 200."""
    return max(1, min(limit, MAX_PAGE))
