"""`jupyter cabinet sessions`: the sessions that agent CLIs keep on disk."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..client.api import Api, converted
from ..client.errors import CabinetError
from ..core.plain_text import one_line, table
from ..transcripts.model import CliSession, SessionHealth, Timeline, TimelineEntry
from .downloads import written
from .printing import Printed, local_time

FILTERS = ("runtime", "project", "tag", "grade")
HEADINGS = ("SESSION", "LAST", "RUNTIME", "GRADE", "COST", "CALLS", "FOLDER", "TITLE")
FORMATS = {".md": "md", ".json": "json", ".ipynb": "ipynb"}
ID_CHARACTERS, SHORT_ID_CHARACTERS = 32, 8
TITLE_CHARACTERS, TEXT_CHARACTERS = 60, 400
MORE = "More sessions may match. Narrow the search with --runtime or --project."
MOST_PAGES = 10  # of 200 sessions, in which the beginning of an id is looked for


def listed(api: Api, given: argparse.Namespace) -> Printed:
    """`sessions`, `sessions list`, `sessions search`: the most recently used first."""
    asked = {name: getattr(given, name) for name in FILTERS} | {"q": given.query}
    query: dict[str, Any] = {name: value for name, value in asked.items() if value}
    value = api.get("sessions", **query, limit=given.limit)
    sessions = converted(value["items"], list[CliSession])
    more = [MORE] if given.query and value.get("next") and len(sessions) < given.limit else []
    if not sessions:
        return Printed(value=value, lines=(*more,) or ("No session matches these filters.",))
    lines = [*table(HEADINGS, [_row(each) for each in sessions]), *_snippets(sessions), *more]
    return Printed(value=value, lines=tuple(lines))


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`sessions show SESSION`: its last 200 entries, shortened."""
    id = _whole_id(api, given.id)
    value = api.get(f"sessions/{id}/timeline", **{"from": -200, "limit": 200})
    found = converted(value, Timeline)
    about = tuple(table(HEADINGS, [_row(found.session)]))
    return Printed(value=value, lines=(*about, "", *(line for each in found.items for line in _entry(each))))


def judged(api: Api, given: argparse.Namespace) -> Printed:
    """`sessions health SESSION`: the grade and its reasons."""
    value = api.get(f"sessions/{_whole_id(api, given.id)}/health")
    health = converted(value, SessionHealth)
    lines = [
        f"Grade {health.grade}. Context pressure: {health.pressure}. Largest context: {health.peak_tokens:,} tokens."
    ]
    lines += [f"- {one_line(each.message)} (−{each.points})" for each in health.findings]
    return Printed(value=value, lines=tuple(lines))


def exported(api: Api, given: argparse.Namespace) -> Printed:
    """`sessions export SESSION --to FILE`: all of the branch that its CLI continues, into a new file."""
    file = Path(given.to)
    if file.suffix not in FORMATS:
        raise CabinetError("The file must end in .md, .json or .ipynb.", "Choose one of these formats.", kind="format")
    return written(api, f"sessions/{_whole_id(api, given.id)}/export", {"format": FORMATS[file.suffix]}, file)


def reindexed(api: Api, given: argparse.Namespace) -> Printed:
    """`sessions reindex`: begin to read all transcripts again."""
    api.post("sessions/reindex")
    return Printed(value={}, lines=("All transcripts are being read again. Tags, notes and stars are kept.",))


def _whole_id(api: Api, beginning: str) -> str:
    if len(beginning) >= ID_CHARACTERS:
        return beginning
    cursor: str | None = "0"
    for _ in range(MOST_PAGES):
        page = api.get("sessions", limit=200, cursor=cursor or "0", sub_agents="true")
        for each in converted(page["items"], list[CliSession]):
            if each.id.startswith(beginning):
                return each.id
        cursor = page.get("next")
        if cursor is None:
            break
    raise CabinetError(
        f"No session's id begins with {beginning}.", "List them with `jupyter cabinet sessions`.", kind="not_found"
    )


def _row(session: CliSession) -> tuple[str, ...]:
    return (
        session.id[:SHORT_ID_CHARACTERS],
        local_time(_moment(session.ended_at)),
        session.runtime,
        session.grade or "",
        "" if session.cost_usd is None else f"${session.cost_usd:.4f}",
        str(session.calls),
        one_line(session.cwd, most=TITLE_CHARACTERS),
        one_line(session.marks.alias or session.title, most=TITLE_CHARACTERS),
    )


def _snippets(sessions: list[CliSession]) -> Iterator[str]:
    for each in sessions:
        if each.snippet:
            yield f"{each.id[:SHORT_ID_CHARACTERS]}: {one_line(each.snippet, most=TEXT_CHARACTERS)}"


def _entry(entry: TimelineEntry) -> Iterator[str]:
    text = one_line(entry.tool or entry.text, most=TEXT_CHARACTERS)
    yield f"{local_time(_moment(entry.at))}  {entry.kind.replace('_', ' ')}: {text}".strip()
    if entry.result is not None:
        yield f"    {one_line(entry.result, most=TEXT_CHARACTERS)}"


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
