"""`cabinet.sessions`: the sessions that agent CLIs keep on disk, whoever started them."""

from __future__ import annotations

from typing import Any

import msgspec

from ..runs.model import Run
from ..transcripts.model import (
    CliSession,
    CliSessionPage,
    ContinueSession,
    EntryMark,
    MarkedEntry,
    SessionHealth,
    SessionMarks,
    Timeline,
    TimelineMatches,
    UsageTable,
)
from .api import Api
from .methods import both_forms
from .runs.live_run import LiveRun
from .runs.requests import checked_id

MOST_PAGES = 10  # of a search


class CliSessions:
    """The sessions of all agent CLIs that you may see: `cabinet.sessions.find("flaky test")`."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @both_forms
    async def find(
        self, query: str | None = None, *, runtime: str | None = None, project: str | None = None, limit: int = 50
    ) -> tuple[CliSession, ...]:
        """Return the most recently used sessions, at most `limit`; without a `query`, at most 200. Archived ones are
        left out.

        `query`: words that must all occur in one entry. `project`: a working directory, an absolute path. A search ends
        after 10 pages, so it may find fewer than there are. Raises `RequestRefused` if the index of sessions is off.
        """
        asked = {"q": query, "runtime": runtime, "project": project}
        found: list[CliSession] = []
        cursor: str | None = "0"
        for _ in range(MOST_PAGES):  # a page of a long search may have fewer sessions than asked for
            here = asked | {"limit": limit - len(found), "cursor": cursor}
            page = await self._api.fetch("sessions", CliSessionPage, here)
            found += page.items
            cursor = page.next
            if cursor is None or not query or len(found) >= limit:
                break
        return tuple(found)

    @both_forms
    async def timeline(self, session: str, *, start: int = 0, limit: int = 200, around: str | None = None) -> Timeline:
        """Return a page of a session's timeline, of at most 500 entries. A negative `start` counts from the end.

        `around`: the id of an entry, such as `entry` of a session that `find` has found; the page that contains it.
        Raises `ValueError` for an invalid id, and `RequestRefused` if there is no such session.
        """
        asked = {"from": start, "limit": limit, "around": around}
        return await self._api.fetch(_address(session, "timeline"), Timeline, asked)

    @both_forms
    async def matches(self, session: str, query: str) -> TimelineMatches:
        """Return where in a session the words occur: the numbers of the entries, for `start` of `timeline`.

        `query`: words that must all occur in one entry.
        """
        return await self._api.fetch(_address(session, "matches"), TimelineMatches, {"q": query})

    @both_forms
    async def marked(self, session: str) -> tuple[MarkedEntry, ...]:
        """Return the entries with a bookmark or a note, in order, at most 500."""
        return await self._api.fetch_items(_address(session, "entries"), MarkedEntry)

    @both_forms
    async def mark(
        self, session: str, entry: str, *, bookmarked: bool | None = None, note: str | None = None
    ) -> EntryMark:
        """Bookmark an entry, by the id that the timeline gives, or write a note for it. None: it stays as it is.

        Return the marks that it has then.
        """
        given = {"bookmarked": bookmarked, "note": note}
        body = {"entry": entry} | {name: value for name, value in given.items() if value is not None}
        return await self._api.send("PATCH", _address(session, "entries"), EntryMark, body)

    @both_forms
    async def health(self, session: str) -> SessionHealth:
        """Return the grade of a session and its reasons. Raises `RequestRefused` for one without an answer."""
        return await self._api.fetch(_address(session, "health"), SessionHealth)

    @both_forms
    async def tag(self, session: str, *tags: str) -> SessionMarks:
        """Add tags to a session, and return its marks. Existing tags stay."""
        return await self._api.send("PATCH", _address(session), SessionMarks, {"add_tags": tags})

    def resume(self, session: str, instruction: str, *, runtime: str | None = None) -> LiveRun:
        """Continue a session with an instruction, as a run. It does not wait for its end.

        `runtime`: another CLI, which receives a summary of the session.
        """
        body = ContinueSession(instruction=instruction, runtime=runtime)
        return LiveRun.submitted(self._api, self._api.send("POST", _address(session, "continue"), Run, body))

    @both_forms
    async def usage(self) -> Any:
        """Return tokens and cost by day, runtime, project and model: a pandas `DataFrame`, or a list of rows without
        pandas.

        Oldest first. Raises `RequestRefused` if the index of sessions is off.
        """
        rows = (await self._api.fetch("usage", UsageTable)).items
        values = [{**msgspec.to_builtins(row), **msgspec.to_builtins(row.usage)} for row in rows]
        for value in values:
            value.pop("usage")
        try:
            import pandas as pd
        except ImportError:
            return values
        return pd.DataFrame(values)


def _address(session: str, what: str = "") -> str:
    return f"sessions/{checked_id(session)}/{what}".rstrip("/")
