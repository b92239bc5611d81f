"""The SQL of sessions. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, insert, or_, select, update

from ..core.paths import moved
from ..core.people import Principal
from ..storage import rows
from ..storage.sequence_numbers import next_number
from .model import Session, SessionFilter
from .tables import sessions


def insert_session(connection: Connection, session: Session) -> None:
    """Insert a new one, at the top of the lists."""
    connection.execute(insert(sessions).values(**_columns(session), changed=next_number(connection)))


def change_session(
    connection: Connection, session_id: str, changes: dict[str, Any], *, newest: bool, holder: str | None = None
) -> Session | None:
    """Change the given fields, and return the session. Return None if there is no such session.

    `newest`: move it to the top of the lists. `holder`: the server where its CLI is open; empty: none; None: unchanged.
    """
    session = load_session(connection, session_id)
    if session is None:
        return None
    session = msgspec.structs.replace(session, **changes)
    columns = _columns(session)
    if newest:
        columns["changed"] = next_number(connection)
    if holder is not None:
        columns["holder"] = holder
    connection.execute(update(sessions).where(sessions.c.id == session_id).values(**columns))
    return session


def load_session(connection: Connection, session_id: str) -> Session | None:
    """Return one session, as it was last recorded, for any caller; None if there is none."""
    return rows.first_value(connection, Session, _select().where(sessions.c.id == session_id))


def list_sessions(connection: Connection, wanted: SessionFilter, principal: Principal) -> list[Session]:
    """Return those about documents that the caller may see, the last changed first, at most `wanted.limit` and 200."""
    found = (
        _select().where(sessions.c.path != "").order_by(sessions.c.changed.desc()).limit(rows.page_size(wanted.limit))
    )
    found = rows.visible_to(found, sessions, principal)
    if wanted.path is not None:
        found = found.where(sessions.c.path == wanted.path)
    if wanted.named:
        named = sessions.c.path.icontains(wanted.named, autoescape=True)
        found = found.where(or_(sessions.c.id.in_(wanted.ids), named))
    return rows.values(connection, Session, found)


def sessions_of_cli(connection: Connection, runtime: str, native_id: str, principal: Principal) -> list[Session]:
    """Return those that continue this session of a CLI and that the caller may see, newest first."""
    written = msgspec.json.encode(native_id).decode()
    found = _select().where(sessions.c.body.contains(f'"native_id":{written}', autoescape=True))
    found = rows.visible_to(found.order_by(sessions.c.changed.desc()), sessions, principal)
    values = rows.values(connection, Session, found)
    return [each for each in values if each.runtime == runtime and each.native_id == native_id]


def sessions_continuing(connection: Connection, session_id: str, principal: Principal) -> list[Session]:
    """Return those that continue this session of ours and that the caller may see, newest first."""
    found = _select().where(sessions.c.body.contains(f'"continues":"{session_id}"', autoescape=True))
    found = rows.visible_to(found.order_by(sessions.c.changed.desc()), sessions, principal)
    return [each for each in rows.values(connection, Session, found) if each.continues == session_id]


def native_ids(connection: Connection, principal: Principal) -> set[tuple[str, str]]:
    """Return runtime and native id of every session that the caller may see."""
    values = rows.values(connection, Session, rows.visible_to(_select(), sessions, principal))
    return {(each.runtime, each.native_id) for each in values if each.native_id is not None}


def move_sessions(connection: Connection, old: str, new: str) -> None:
    """Let the sessions of a document, or of all documents in a folder, follow to a new path, in unchanged order."""
    below = sessions.c.path.startswith(f"{old}/", autoescape=True)
    for session in rows.values(connection, Session, _select().where(or_(sessions.c.path == old, below))):
        # SQLite's LIKE ignores case
        if session.path is not None and (path := moved(session.path, old, new)) is not None:
            subject = msgspec.structs.replace(session.subject, path=path)  # type: ignore[type-var]
            change_session(connection, session.id, {"subject": subject}, newest=False)


def open_sessions(connection: Connection, *, but_of: Collection[str]) -> list[Session]:
    """Return sessions whose CLI was open in a server, except the servers in `but_of`."""
    columns = sessions.c
    opened = columns.holder != "", columns.holder.not_in(but_of)
    return rows.values(connection, Session, _select().where(*opened))


def _select() -> Select[Any]:
    return select(sessions.c.id, sessions.c.body)


def _columns(session: Session) -> dict[str, Any]:
    names = ("id", "owner", "visibility", "title")
    return {name: getattr(session, name) for name in names} | {
        "subject": str(session.subject.__struct_config__.tag) if session.subject else "",
        "path": session.path or "",
        "updated_at": session.updated_at.timestamp(),
        "body": rows.encoded(session),
    }
