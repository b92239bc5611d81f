"""The SQL of approvals. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, delete, exists, insert, select, update

from ..core.people import Principal
from ..storage import rows
from ..storage.sequence_numbers import next_number
from .model import Approval, ApprovalFilter
from .tables import approvals


def insert_approval(connection: Connection, approval: Approval) -> Approval:
    """Insert an approval. Return it with the number that it was given."""
    approval = msgspec.structs.replace(approval, number=next_number(connection))
    connection.execute(insert(approvals).values(**_columns(approval), number=approval.number))
    return approval


def close_approval(connection: Connection, approval: Approval) -> bool:
    """Record the end of a question. Return False if it had already ended."""
    waiting = (approvals.c.id == approval.id) & (approvals.c.state == "waiting")
    return connection.execute(update(approvals).where(waiting).values(**_columns(approval))).rowcount == 1


def correct_approval(connection: Connection, approval: Approval) -> None:
    """Replace the recorded end, whatever it was. Without effect if there is no such approval."""
    connection.execute(update(approvals).where(approvals.c.id == approval.id).values(**_columns(approval)))


def delete_of_run(connection: Connection, run_id: str) -> None:
    """Delete all questions of a run, also open ones. Announces nothing."""
    connection.execute(delete(approvals).where(approvals.c.run_id == run_id))


def load_approval(connection: Connection, approval_id: str) -> Approval | None:
    """Return one approval as it was last recorded, whoever may see it; None if there is none or it is damaged."""
    return rows.first_value(connection, Approval, _select().where(approvals.c.id == approval_id))


def list_approvals(connection: Connection, wanted: ApprovalFilter, principal: Principal) -> list[Approval]:
    """Return a page of the approvals that `principal` may see and that match `wanted`, newest first; at most 200."""
    query = _select().order_by(approvals.c.number.desc())
    query = rows.visible_to(query, approvals, principal)
    if wanted.waiting is not None:
        is_open = approvals.c.state == "waiting"
        query = query.where(is_open if wanted.waiting else ~is_open)
    if wanted.run_id is not None:
        query = query.where(approvals.c.run_id == wanted.run_id)
    if wanted.cursor:
        query = query.where(rows.older_than(approvals, wanted.cursor))
    return rows.page(connection, Approval, query, rows.page_size(wanted.limit))


def of_runs(connection: Connection, run_ids: Collection[str]) -> list[Approval]:
    """Return every question of some runs, oldest first, whoever may see them. At most as many runs as a page has."""
    query = _select().where(approvals.c.run_id.in_(run_ids)).order_by(approvals.c.number)
    return rows.values(connection, Approval, query)


def has_asked(run_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the SQL condition that the run of that id has asked anything."""
    return exists().where(approvals.c.run_id == run_id)


def waiting_approvals(connection: Connection) -> list[Approval]:
    """Return every open question, of any server, in no fixed order."""
    return rows.values(connection, Approval, _select().where(approvals.c.state == "waiting"))


def _select() -> Select[Any]:
    return select(approvals.c.id, approvals.c.body, approvals.c.number)


def _columns(approval: Approval) -> dict[str, object]:
    names = ("id", "run_id", "state", "owner", "visibility")
    return {name: getattr(approval, name) for name in names} | {"body": rows.encoded(approval)}
