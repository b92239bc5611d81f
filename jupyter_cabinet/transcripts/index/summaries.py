"""Derives from a session's entries what lists show: title, counts, tokens and cost, and its health. Blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from ...runtimes.model import Usage
from .. import health

IS_ERROR, MAY_CHANGE, CHANGES = 1, 2, 4  # flags of an entry
TITLE_CHARACTERS = 200
# A file without an entry of a person, an agent or a tool is one that the CLI has only begun.
LISTED = "(messages > 0 OR calls > 0 OR grade IS NOT NULL)"
# Not `sum`, which is an error above 2**63: a transcript may name any number of tokens.
TOTALS = ", ".join(f"CAST(total({name}) AS INTEGER)" for name in ("input", "output", "cache_read", "cache_write"))
BY_DAY = (
    f"SELECT session, coalesce(date(at, 'unixepoch'), ''), coalesce(model, ''), count(*), {TOTALS}, sum(cost_usd)"  # noqa: S608
    " FROM (SELECT session, min(at) AS at, max(model) AS model, max(input) AS input, max(output) AS output,"
    " max(cache_read) AS cache_read, max(cache_write) AS cache_write, max(cost_usd) AS cost_usd"
    " FROM entries WHERE session = ? AND input IS NOT NULL GROUP BY answer) GROUP BY 2, 3"
)
TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def summarise(connection: sqlite3.Connection, session: int) -> None:
    """Derive title, counts, tokens, cost and health again for the session with this number, and store them."""
    counts = connection.execute(
        "SELECT min(at), max(at), count(*) FILTER (WHERE kind = 'user' AND side IS NULL),"
        " count(*) FILTER (WHERE kind = 'tool_call'), count(*) FILTER (WHERE kind = 'error' OR flags & 1)"
        " FROM entries WHERE session = ?",
        (session,),
    ).fetchone()
    known = connection.execute(
        "SELECT native_title, first_words, context_window FROM sessions WHERE number = ?", (session,)
    ).fetchone()
    found = health.judge(list(judged_entries(connection, session)), context_window=known[2])
    values = dict(zip(("started_at", "ended_at", "messages", "calls", "errors"), counts, strict=True))
    values |= {
        "title": str(known[0] or known[1])[:TITLE_CHARACTERS],
        "grade": found.grade if found else None,
        "health": encoded(found) if found else None,
        "health_version": health.VERSION,
    }
    set_columns(connection, session, values | _usage(connection, session))


def _usage(connection: sqlite3.Connection, session: int) -> dict[str, Any]:
    """Add up the tokens by day and model. The usage of one answer counts once, however many entries repeat it."""
    connection.execute("DELETE FROM usage WHERE session = ?", (session,))
    rows = connection.execute(
        BY_DAY,
        (session,),
    ).fetchall()  # not INSERT … SELECT: see `session_reading.INSERT`
    connection.executemany("INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    *sums, cost = connection.execute(
        f"SELECT {TOTALS}, sum(cost_usd) FROM usage WHERE session = ?",  # noqa: S608 - a constant
        (session,),
    ).fetchone()
    models = connection.execute(
        "SELECT DISTINCT model FROM entries WHERE session = ? AND model IS NOT NULL ORDER BY 1", (session,)
    ).fetchall()
    stored_usage, stored_cost = connection.execute(
        "SELECT stored_usage, stored_cost_usd FROM sessions WHERE number = ?", (session,)
    ).fetchone()
    counted = encoded(Usage(**dict(zip(TOKENS, sums, strict=True)))) if any(sums) else ""
    return {
        "usage": counted or stored_usage or "{}",
        "cost_usd": cost if stored_cost is None else stored_cost,
        "models": encoded([row[0] for row in models]),
    }


def judged_entries(connection: sqlite3.Connection, session: int) -> Iterator[health.JudgedEntry]:
    """Yield what the rules of health need to know, in the order of the session."""
    results = dict(
        (call, (digest, flags))
        for call, digest, flags in connection.execute(
            "SELECT call_id, digest, flags FROM entries WHERE session = ? AND kind = 'tool_result'", (session,)
        )
    )
    for row in connection.execute(
        "SELECT id, kind, at, brief, answer, coalesce(input, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0),"
        " output, tool, digest, flags, side, call_id FROM entries"
        " WHERE session = ? AND kind NOT IN ('tool_result', 'other', 'attachment') ORDER BY place",
        (session,),
    ):
        result, result_flags = results.get(row[11], (0, 0))
        yield health.JudgedEntry(
            id=row[0],
            kind=row[1],
            at=row[2],
            text=row[3] or "",
            answer=row[4] or "",
            context_tokens=row[5],
            output_tokens=row[6] or 0,
            tool=row[7] or "",
            call=row[8],
            result=result,
            is_error=bool(result_flags & IS_ERROR),
            may_change_files=bool(row[9] & MAY_CHANGE),
            is_side=row[10] is not None,
        )


def set_columns(connection: sqlite3.Connection, session: int, values: dict[str, Any]) -> None:
    """Set columns of a session, by the names of this room's code."""
    columns = ", ".join(f"{name} = ?" for name in values)
    connection.execute(
        f"UPDATE sessions SET {columns} WHERE number = ?",  # noqa: S608 - never names from outside
        (*values.values(), session),
    )


def encoded(value: Any) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()
