"""Runs, sessions and approvals in the database. Each function works inside a transaction of `storage.Database`.

Not here: the state table (`states.py`), and who may see what beyond the filter of a list (`service.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, Table, delete, func, insert, or_, select, update

from ..core.paths import moved
from ..core.people import Principal
from ..storage.numbers import is_number, next_number
from ..storage.tables import approvals, runs, sessions
from .model import Approval, ApprovalFilter, NewRun, Run, RunFilter, Session
from .states import FINAL

Record = TypeVar("Record", bound=msgspec.Struct)
MAX_PAGE = 200
MAX_PID = 2**31 - 1


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """A run that a server left behind."""

    run: Run
    new: NewRun | None  # None: its record is damaged, and nobody can tell what was asked for
    holder: str
    launcher_pid: int | None
    launcher_started: str | None


def insert_run(connection: Connection, run: Run, new: NewRun, holder: str) -> Run:
    """Returns it with its number."""
    run = msgspec.structs.replace(run, number=next_number(connection))
    request = msgspec.json.encode(new).decode()
    connection.execute(
        insert(runs).values(**_columns(run), number=run.number, holder=holder, request=request, settled=0)
    )
    return run


def save_run(connection: Connection, run: Run, holder: str) -> bool:
    """Change the record. False, and nothing is changed: the run is no longer this holder's."""
    mine = (runs.c.id == run.id) & (runs.c.holder == holder)
    return connection.execute(update(runs).where(mine).values(**_columns(run))).rowcount == 1


def note_launcher(connection: Connection, run_id: str, pid: int, started_at: str) -> None:
    values = {"launcher_pid": pid, "launcher_started": started_at}
    connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def note_settled(connection: Connection, run_id: str) -> None:
    connection.execute(update(runs).where(runs.c.id == run_id).values(settled=1))


def adopt_run(connection: Connection, run: Run, holder: str) -> None:
    connection.execute(update(runs).where(runs.c.id == run.id).values(holder=holder, number=run.number))


def delete_run(connection: Connection, run_id: str) -> None:
    connection.execute(delete(runs).where(runs.c.id == run_id))
    connection.execute(delete(approvals).where(approvals.c.run_id == run_id))


def settle_all(connection: Connection, *, but_of: Collection[str]) -> None:
    """Nothing follows any more from runs that have ended, but for those of the servers in `but_of`."""
    over = runs.c.state.in_(sorted(FINAL)) & runs.c.holder.not_in(but_of)
    connection.execute(update(runs).where(over).values(settled=1))


def load_run(connection: Connection, run_id: str) -> Run | None:
    return _first(_believed(connection, Run, _select(runs).where(runs.c.id == run_id)))


def list_runs(connection: Connection, wanted: RunFilter, principal: Principal) -> list[Run]:
    """Newest first."""
    query = _select(runs).order_by(runs.c.number.desc()).limit(_page(wanted.limit))
    query = _seen_by(query, runs, principal)
    for column, value in (("session_id", wanted.session_id), ("path", wanted.path), ("state", wanted.state)):
        if value is not None:
            query = query.where(runs.c[column] == value)
    if wanted.query:
        query = query.where(runs.c.instruction.icontains(wanted.query, autoescape=True))
    if wanted.cursor:
        query = query.where(_before(runs, wanted.cursor))
    return _believed(connection, Run, query)


def runs_of_session(connection: Connection, session_id: str, limit: int = MAX_PAGE) -> list[Run]:
    """Oldest first, the last `limit` of them."""
    query = _select(runs).where(runs.c.session_id == session_id).order_by(runs.c.number.desc())
    return _believed(connection, Run, query.limit(limit))[::-1]


def unfinished_runs(connection: Connection, *, but_of: Collection[str]) -> list[Unfinished]:
    """What servers left behind, but for those in `but_of`."""
    found = (_unfinished(row) for row in connection.execute(_open_rows(but_of)))
    return [left for left in found if left is not None]


def close_unreadable(connection: Connection, *, but_of: Collection[str]) -> list[str]:
    """Take the rows from the unfinished ones that hold no run of theirs: nobody could see, stop or delete them.

    Returns their ids.
    """
    closed = [row.id for row in connection.execute(_open_rows(but_of)) if _unfinished(row) is None]
    for run_id in closed:  # one by one: a statement takes no more than some thousands of values
        connection.execute(update(runs).where(runs.c.id == run_id).values(state="interrupted", settled=1))
    return [str(run_id) for run_id in closed]


def _open_rows(but_of: Collection[str]) -> Select[Any]:
    is_open = runs.c.state.not_in(sorted(FINAL)) & runs.c.holder.not_in(but_of)
    return select(runs).where(is_open).order_by(runs.c.number)


def _unfinished(row: Row[Any]) -> Unfinished | None:
    run, new = _decoded(Run, row.id, row.body), _decoded(NewRun, None, row.request)
    if run is None or run.state in FINAL:
        return None  # it does not fit its row: not one of ours
    intact = is_number(row.number)
    number = row.number if intact else run.number  # as it was when it was queued
    pid, started = row.launcher_pid, row.launcher_started
    return Unfinished(
        run=msgspec.structs.replace(run, number=number if is_number(number) else 0),
        new=new if intact else None,
        holder=row.holder,
        launcher_pid=pid if isinstance(pid, int) and 1 < pid <= MAX_PID else None,
        launcher_started=started if isinstance(started, str) else None,
    )


def unsettled_runs(connection: Connection, holders: Iterable[str]) -> list[Run]:
    """Final runs whose server died before it did what follows. `holders`: the servers that live."""
    over = runs.c.state.in_(sorted(FINAL)), runs.c.settled == 0, runs.c.holder.not_in(list(holders))
    query = _select(runs).where(*over).order_by(runs.c.number)
    return _believed(connection, Run, query)


# --- sessions --------------------------------------------------------------------------------


def insert_session(connection: Connection, session: Session) -> None:
    connection.execute(insert(sessions).values(**_session_columns(session), changed=next_number(connection)))


def save_session(connection: Connection, session: Session, *, newest: bool) -> None:
    """`newest`: it comes to the top of the lists."""
    moved_up = {"changed": next_number(connection)} if newest else {}
    columns = _session_columns(session) | moved_up
    connection.execute(update(sessions).where(sessions.c.id == session.id).values(**columns))


def load_session(connection: Connection, session_id: str) -> Session | None:
    query = select(sessions.c.id, sessions.c.body).where(sessions.c.id == session_id)
    return _first(_believed(connection, Session, query))


def list_sessions(
    connection: Connection, principal: Principal, *, path: str | None, query: str | None, limit: int
) -> list[Session]:
    """Newest first. `query` is looked for in instructions, answers and file names."""
    found: Select[Any] = select(sessions.c.id, sessions.c.body).order_by(sessions.c.changed.desc()).limit(_page(limit))
    found = _seen_by(found, sessions, principal)
    if path is not None:
        found = found.where(sessions.c.path == path)
    if query:
        in_runs = select(runs.c.session_id).where(
            or_(
                runs.c.instruction.icontains(query, autoescape=True),
                runs.c.body.icontains(query, autoescape=True),
            )
        )
        named = sessions.c.path.icontains(query, autoescape=True)
        found = found.where(or_(sessions.c.id.in_(in_runs), named))
    return _believed(connection, Session, found)


def move_sessions(connection: Connection, old: str, new: str) -> None:
    """A document, or a folder of documents, has another path: their sessions go with it, in the order they have."""
    below = sessions.c.path.startswith(f"{old}/", autoescape=True)
    query = select(sessions.c.id, sessions.c.body).where(or_(sessions.c.path == old, below))
    for session in _believed(connection, Session, query):
        if (path := moved(session.path, old, new)) is None:  # SQLite's LIKE takes capitals and small letters for one
            continue
        save_session(connection, msgspec.structs.replace(session, path=path), newest=False)


def open_sessions(connection: Connection, *, but_of: Collection[str]) -> list[Session]:
    """Sessions whose CLI was open when they were last saved, but for those of the servers in `but_of`."""
    found = _believed(connection, Session, select(sessions.c.id, sessions.c.body))
    opened = [session for session in found if session.terminal_id is not None]
    return [session for session in opened if _last_holder(connection, session.id) not in but_of]


def _last_holder(connection: Connection, session_id: str) -> str | None:
    query = select(runs.c.holder).where(runs.c.session_id == session_id).order_by(runs.c.number.desc()).limit(1)
    return connection.execute(query).scalar()


# --- approvals -------------------------------------------------------------------------------


def insert_approval(connection: Connection, approval: Approval) -> Approval:
    """Returns it with its number."""
    approval = msgspec.structs.replace(approval, number=next_number(connection))
    connection.execute(insert(approvals).values(**_approval_columns(approval), number=approval.number))
    return approval


def close_approval(connection: Connection, approval: Approval) -> bool:
    """Put the end of a question on record. False: it had ended already."""
    waiting = (approvals.c.id == approval.id) & (approvals.c.state == "waiting")
    return connection.execute(update(approvals).where(waiting).values(**_approval_columns(approval))).rowcount == 1


def correct_approval(connection: Connection, approval: Approval) -> None:
    """Put another end on record than the one that stands there."""
    same = approvals.c.id == approval.id
    connection.execute(update(approvals).where(same).values(**_approval_columns(approval)))


def load_approval(connection: Connection, approval_id: str) -> Approval | None:
    return _first(_believed(connection, Approval, _select(approvals).where(approvals.c.id == approval_id)))


def list_approvals(connection: Connection, wanted: ApprovalFilter, principal: Principal) -> list[Approval]:
    """Newest first."""
    query = _select(approvals).order_by(approvals.c.number.desc()).limit(_page(wanted.limit))
    query = _seen_by(query, approvals, principal)
    if wanted.waiting is not None:
        is_open = approvals.c.state == "waiting"
        query = query.where(is_open if wanted.waiting else ~is_open)
    if wanted.run_id is not None:
        query = query.where(approvals.c.run_id == wanted.run_id)
    if wanted.cursor:
        query = query.where(_before(approvals, wanted.cursor))
    return _believed(connection, Approval, query)


def orphaned_approvals(connection: Connection) -> list[Approval]:
    """Open questions of runs that have ended, or that there are not."""
    working = select(runs.c.id).where(runs.c.state.not_in(sorted(FINAL)))
    query = _select(approvals)
    return _believed(
        connection, Approval, query.where(approvals.c.state == "waiting", approvals.c.run_id.not_in(working))
    )


def _select(table: Table) -> Select[Any]:
    """The value, and the number that orders it: a value that is saved later may not know it."""
    return select(table.c.id, table.c.body, table.c.number)


def _approval_columns(approval: Approval) -> dict[str, object]:
    names = ("id", "run_id", "state", "owner", "visibility")
    return {name: getattr(approval, name) for name in names} | {"body": msgspec.json.encode(approval).decode()}


def _columns(run: Run) -> dict[str, object]:
    names = ("id", "state", "kind", "session_id", "path", "owner", "visibility", "instruction")
    return {name: getattr(run, name) for name in names} | {"body": msgspec.json.encode(run).decode()}


def _session_columns(session: Session) -> dict[str, object]:
    names = ("id", "path", "owner", "visibility", "title")
    values = {name: getattr(session, name) for name in names}
    return values | {
        "updated_at": session.updated_at.timestamp(),
        "body": msgspec.json.encode(session).decode(),
    }


def _believed(connection: Connection, kind: type[Record], query: Select[Any]) -> list[Record]:
    """The values of rows of id and body, but for those that do not fit their row: they are out of service."""
    found = ((row, _decoded(kind, row.id, row.body)) for row in connection.execute(query))
    numbered = (_numbered(value, row) for row, value in found if value is not None)
    return [value for value in numbered if value is not None]


def _numbered(value: Record, row: Row[Any]) -> Record | None:
    """With the number of its row, where rows of its kind have one; None where that is no number."""
    if "number" not in row._fields:
        return value
    return msgspec.structs.replace(value, number=row.number) if is_number(row.number) else None


def _decoded(kind: type[Record], id: str | None, body: str) -> Record | None:
    """A stored value; None for what is none of this kind, or has another id than it is stored under."""
    try:
        value = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
        return None
    return value if id in (None, getattr(value, "id", None)) else None


def _first(found: list[Record]) -> Record | None:
    return found[0] if found else None


def _before(table: Table, cursor: str) -> ColumnElement[bool]:
    """What is older than the row of that id; where it has been deleted, than its neighbour by id."""
    columns = table.c
    row = select(columns.number).where(columns.id == cursor).scalar_subquery()
    neighbour = select(func.max(columns.number) + 1).where(columns.id < cursor).scalar_subquery()
    return columns.number < func.coalesce(row, neighbour)


def _seen_by(query: Select[Any], table: Table, principal: Principal) -> Select[Any]:
    if principal.shared_token or principal.administrator:
        return query
    columns = table.c
    return query.where(or_(columns.visibility == "server", columns.owner == principal.username))


def _page(limit: int) -> int:
    return max(1, min(limit, MAX_PAGE))
