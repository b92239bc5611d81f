"""The SQL of lists: sessions, projects, usage over time. Blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..runtimes.model import Usage
from .index.summaries import LISTED, TOKENS, TOTALS
from .model import CliSession, SessionFilter, SessionHealth, SessionMarks, UsageRow, session_key
from .reading.entry_reader import SessionRow

MAX_PAGE = 200
_SHOWN = (
    "number, id, runtime, native_id, title, cwd, parent_id, is_sub_agent, started_at, ended_at, messages, calls,"
    " errors, models, usage, cost_usd, grade, health, is_gone"
)


def list_sessions(
    connection: sqlite3.Connection,
    wanted: SessionFilter,
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    numbers: Collection[int] | None = None,
) -> tuple[list[tuple[int, CliSession]], int]:
    """Return a page of 1 to 200 sessions, each with its number, and the number of all sessions that fit.

    The last used come first. Sessions without an entry of a person, an agent or a tool are left out. `only`, `without`:
    ids; `numbers`: numbers of the sessions to choose from. None: all. The query, tags and marks in `wanted` are not
    applied.
    """
    where, values = _conditions(wanted)
    chosen: tuple[tuple[str, Collection[str] | Collection[int] | None], ...] = (
        ("id IN (SELECT value FROM json_each(?))", only),
        ("id NOT IN (SELECT value FROM json_each(?))", without or None),
        ("number IN (SELECT value FROM json_each(?))", numbers),
    )
    for condition, some in chosen:
        if some is not None:
            where.append(condition)
            values.append(msgspec.json.encode(list(some)).decode())
    condition = " AND ".join(where)
    total = connection.execute(f"SELECT count(*) FROM sessions WHERE {condition}", values).fetchone()[0]  # noqa: S608
    rows = connection.execute(
        f"SELECT {_SHOWN} FROM sessions WHERE {condition} ORDER BY ended_at DESC, number DESC LIMIT ? OFFSET ?",  # noqa: S608
        [*values, max(1, min(wanted.limit, MAX_PAGE)), wanted.cursor],
    )
    return [(row[0], _session(row)) for row in rows], total


def _conditions(wanted: SessionFilter) -> tuple[list[str], list[Any]]:
    where, values = [LISTED], list[Any]()
    if not wanted.with_sub_agents:
        where.append("is_sub_agent = 0")
    for column, value in (("runtime", wanted.runtime), ("cwd", wanted.project), ("grade", wanted.grade)):
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    if wanted.since is not None:
        where.append("ended_at >= ?")
        values.append(wanted.since)
    return where, values


def load_session(connection: sqlite3.Connection, id: str) -> tuple[SessionRow, CliSession, SessionHealth | None] | None:
    """Return one session, with its judgement; None if there is none with this id."""
    row = connection.execute(f"SELECT {_SHOWN}, source, store FROM sessions WHERE id = ?", (id,)).fetchone()  # noqa: S608
    if row is None:
        return None
    found = SessionRow(
        number=row[0], runtime=row[2], native_id=row[3], source=row[19], store=row[20], is_gone=bool(row[18])
    )
    return found, _session(row), _decoded(row[17], SessionHealth)


def _session(row: Sequence[Any]) -> CliSession:
    health = _decoded(row[17], SessionHealth)
    return CliSession(
        id=row[1],
        runtime=row[2],
        native_id=row[3],
        title=row[4],
        cwd=row[5],
        parent_id=session_key(row[2], row[6]) if row[6] else "",
        is_sub_agent=bool(row[7]),
        started_at=row[8],
        ended_at=row[9],
        messages=row[10],
        calls=row[11],
        errors=row[12],
        models=_decoded(row[13], tuple[str, ...]) or (),
        usage=_decoded(row[14], Usage) or Usage(),
        cost_usd=row[15],
        grade=row[16],
        reasons=tuple(each.message for each in health.findings[:3]) if health else (),
        is_gone=bool(row[18]),
    )


def _decoded(text: str | None, kind: Any) -> Any:
    try:
        return msgspec.json.decode(text or "", type=kind)
    except msgspec.DecodeError:
        return None


def native_ids(connection: sqlite3.Connection, wanted: Collection[tuple[str, str]]) -> set[str]:
    """Return the ids of the sessions with these runtimes and native ids."""
    pairs = [list(each) for each in wanted]
    rows = connection.execute(
        "SELECT sessions.id FROM sessions JOIN json_each(?) AS pair ON runtime = json_extract(pair.value, '$[0]')"
        " AND native_id = json_extract(pair.value, '$[1]')",
        (msgspec.json.encode(pairs).decode(),),
    )
    return {row[0] for row in rows}


def projects(
    connection: sqlite3.Connection, only: Collection[str] | None
) -> tuple[list[tuple[str, int, float | None]], dict[str, int]]:
    """Return working directories with their number of sessions and last use, and the number of sessions by runtime.

    The last used come first. Sub-agents are not counted. `only`: ids; None: all.
    """
    condition, values = f"{LISTED} AND is_sub_agent = 0", list[str]()
    if only is not None:
        condition += " AND id IN (SELECT value FROM json_each(?))"
        values.append(msgspec.json.encode(sorted(only)).decode())
    folders = connection.execute(
        f"SELECT cwd, count(*), max(ended_at) FROM sessions WHERE {condition} GROUP BY cwd ORDER BY 3 DESC",  # noqa: S608
        values,
    ).fetchall()
    runtimes = connection.execute(
        f"SELECT runtime, count(*) FROM sessions WHERE {condition} GROUP BY runtime",  # noqa: S608
        values,
    )
    return folders, dict(runtimes.fetchall())


def usage_rows(
    connection: sqlite3.Connection, *, since: float | None, project: str | None, only: Collection[str] | None
) -> Iterator[UsageRow]:
    """Yield tokens and cost by day, runtime, project and model, oldest first. `since`: seconds since 1970."""
    day = datetime.fromtimestamp(since, UTC).date().isoformat() if since is not None else ""
    chosen = msgspec.json.encode(sorted(only)).decode() if only is not None else None
    for row in connection.execute(
        f"SELECT day, runtime, cwd, model, sum(answers), {TOTALS},"  # noqa: S608 - a constant
        " sum(usage.cost_usd) FROM usage JOIN sessions ON sessions.number = usage.session"
        " WHERE day >= ? AND (? IS NULL OR cwd = ?) AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))"
        " GROUP BY day, runtime, cwd, model ORDER BY day, runtime, cwd, model",
        (day, project, project, chosen, chosen),
    ):
        usage = Usage(**dict(zip(TOKENS, row[5:9], strict=True)))
        yield UsageRow(
            day=row[0], runtime=row[1], cwd=row[2], model=row[3], answers=row[4], usage=usage, cost_usd=row[9]
        )


def chosen_by_marks(marks: dict[str, SessionMarks], wanted: SessionFilter) -> tuple[set[str] | None, set[str]]:
    """Return the ids that a filter by marks leaves (None: any), and those that it leaves out."""
    archived = {id for id, each in marks.items() if each.archived}
    only: set[str] | None = archived if wanted.archived else None
    if wanted.tag is not None:
        tagged = {id for id, each in marks.items() if wanted.tag in each.tags}
        only = tagged if only is None else only & tagged
    if wanted.starred:
        starred = {id for id, each in marks.items() if each.starred}
        only = starred if only is None else only & starred
    return only, set() if wanted.archived else archived
