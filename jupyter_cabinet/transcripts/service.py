"""The sessions of all agent CLIs of the server's user: lists, search, timelines, marks, usage. The room's service.

They belong to the server's user. Under named users only administrators see all of them; others see only sessions of
their runs. Called by `web/handlers/sessions.py`.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.errors import NotFound
from ..core.people import Principal
from ..core.plain_text import one_line
from ..foundation import Foundation
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..runtimes.session_entries import Entry, SessionStore
from ..sessions.service import Sessions
from . import session_list
from .index.index_file import IndexFile
from .index.indexer import Indexer
from .index.summaries import TITLE_CHARACTERS
from .marks import Marks
from .model import (
    CliSession,
    CliSessionPage,
    EntryMark,
    EntryPatch,
    LastMessage,
    MarkedEntries,
    MarkedEntry,
    Project,
    ProjectList,
    SessionFilter,
    SessionHealth,
    SessionMarks,
    SessionPatch,
    Timeline,
    TimelineEntry,
    TimelineMatches,
    UsageTable,
    session_key,
)
from .reading.entry_reader import COLUMNS, IndexedEntry, SessionRow, read_entries, rows_of
from .reading.sources import Stores
from .recorded.session_recorder import SessionRecorder
from .search import text_search
from .search.session_search import SessionSearch
from .search.timeline_search import find_matches
from .timeline.opened_documents import documents_of
from .timeline.outline import entry_of, missing_entry, needed_in_order, outline_of, page_of, place_of

T = TypeVar("T")
MAX_ENTRIES = 500  # of a page of a timeline
MARKED_CHARACTERS = 200  # of an entry in the list of bookmarks
# The prompts of all other kinds of runs begin with Cabinet's own text, which is no title.
ASKED_DIRECTLY = "manual"
NO_ENTRY = "This session has no such entry."
IS_OFF = "The index of sessions is off on this server. Its operator can set CabinetApp.session_index."


class SessionIndexSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`environment`: the server's variables, which say where the CLIs keep sessions."""

    environment: Mapping[str, str]
    enabled: bool = False


class CliSessions:
    """Reads the index. One reading connection, used by one worker thread at a time."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        runtimes: Runtimes,
        sessions: Sessions,
        runs: Runs,
        settings: SessionIndexSettings,
    ) -> None:
        self.enabled = settings.enabled
        self._root = foundation.root.resolve()
        self._sessions = sessions
        self._runs = runs
        self._runtimes = runtimes
        folder = foundation.data / "sessions"
        self._index = IndexFile(folder)
        self._marks = Marks(folder)
        recorded = folder / "recorded"
        self._stores = Stores(runtimes, settings.environment, recorded=recorded)
        self._recorder = SessionRecorder(
            recorded,
            root=self._root,
            runs=runs,
            bus=foundation.bus,
            keeps_none=self._stores.recorded,
        )
        self._indexer = Indexer(self._index, self._stores, clock=foundation.clock, bus=foundation.bus)
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._search = SessionSearch(self._read_now, self._store_of)

    def start(self) -> None:
        """Begin to index and to record in the background, if that is enabled. Otherwise nothing happens."""
        if self.enabled:
            self._indexer.start()
            self._recorder.start()

    async def stop(self) -> None:
        """End the background work."""
        await self._recorder.stop()
        await self._indexer.stop()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def rebuild(self) -> None:
        """Empty the index and read all transcripts again, soon and in the background. People's marks are kept.

        Until that is done, lists and searches are incomplete. It does not begin while another server holds the index's
        lock. Raises `NotFound` where the index is off.
        """
        self._must_be_on()
        self._indexer.rebuild()

    # --- lists -----------------------------------------------------------------------------

    async def find(self, wanted: SessionFilter, principal: Principal) -> CliSessionPage:
        """Return a page of what the caller may see, the most recently used first. Raises `NotFound` where the index is
        off.

        A page has at most 200 sessions, in a search 60. A page of a search ends after 5 s, with what was found until
        then.
        """
        visible = await self._visible(principal)
        marks = await asyncio.to_thread(self._marks.all)
        only, without = session_list.chosen_by_marks(marks, wanted)
        only = only if visible is None else visible if only is None else only & visible
        words = text_search.words_of(wanted.query or "")
        if words:
            found = await asyncio.to_thread(self._search.page, wanted, words, only=only, without=without)
        else:
            found = await self._read(lambda c: self._page(c, wanted, only, without))
        items = await self._titled([self._shown(each, marks) for each in found.items], principal)
        return msgspec.structs.replace(found, items=items)

    def _page(
        self, connection: sqlite3.Connection, wanted: SessionFilter, only: Collection[str] | None, without: set[str]
    ) -> CliSessionPage:
        rows, total = session_list.list_sessions(connection, wanted, only=only, without=without)
        end = wanted.cursor + len(rows)
        return CliSessionPage(
            items=tuple(session for _, session in rows), next=str(end) if end < total else None, total=total
        )

    async def projects(self, principal: Principal) -> ProjectList:
        """Return the working directories, tags and runtimes that lists can be filtered by.

        Where the index is off, they are empty, `enabled` is false, and nothing is raised.
        """
        if not self.enabled:
            return ProjectList(items=(), enabled=False)
        visible = await self._visible(principal)
        marks = await asyncio.to_thread(self._marks.all)
        folders, runtimes = await self._read(lambda c: session_list.projects(c, visible))
        tags = sorted({tag for id, each in marks.items() if visible is None or id in visible for tag in each.tags})
        items = (
            Project(cwd=cwd, path=self._path_of(cwd), sessions=count, last_at=last) for cwd, count, last in folders
        )
        return ProjectList(items=tuple(items), tags=tuple(tags), runtimes=runtimes, indexing=self._indexer.indexing)

    async def usage(self, principal: Principal, *, since: float | None, project: str | None) -> UsageTable:
        """Return tokens and cost of the sessions that the caller may see, oldest first. `since`: seconds since 1970.

        Raises `NotFound` where the index is off.
        """
        visible = await self._visible(principal)
        rows = await self._read(lambda c: tuple(session_list.usage_rows(c, since=since, project=project, only=visible)))
        return UsageTable(items=rows)

    # --- one session -----------------------------------------------------------------------

    async def get(self, id: str, principal: Principal) -> CliSession:
        """Return one session. Raises `NotFound`, also if the caller may not see it."""
        _, session, _ = await self._get(id, principal)
        marks = await asyncio.to_thread(self._marks.of_session, id)
        (shown,) = await self._titled([self._shown(session, {id: marks})], principal)
        return shown

    async def health(self, id: str, principal: Principal) -> SessionHealth:
        """Return its judgement. Raises `NotFound`, also for a session without an answer."""
        _, _, health = await self._get(id, principal)
        if health is None:
            raise NotFound("This session has no answer yet, so it is not judged.")
        return health

    async def timeline(
        self,
        id: str,
        principal: Principal,
        *,
        start: int,
        limit: int,
        branch: str,
        with_unknown: bool,
        around: str = "",
    ) -> Timeline:
        """Return a page of its timeline, of at most 500 entries. `start`: the first entry; negative: counted from the
        end.

        `around`: the id of an entry; the page with it counts, of the pages that begin at multiples of `limit`. Without
        `branch`, it is of the newest branch with that entry. An unknown `branch` is the last one. Entries that the CLI
        has removed say so. Raises `NotFound`, also if there is no entry `around`.
        """
        limit = min(limit, MAX_ENTRIES)
        row, session, health = await self._get(id, principal)
        marks = await asyncio.to_thread(self._marks.of_session, id)
        of_entries = await asyncio.to_thread(self._marks.of_entries, id)
        (shown,) = await self._titled([self._shown(session, {id: marks})], principal)

        def with_documents(entry: TimelineEntry) -> TimelineEntry:
            documents = documents_of(entry.action, session.cwd, self._root)
            return msgspec.structs.replace(entry, documents=documents) if documents else entry

        rows = await self._read(lambda c: rows_of(c, row.number))

        def built() -> Timeline:
            outline = outline_of(rows, branch=branch or around, with_unknown=with_unknown)
            first = max(0, start + len(outline.shown)) if start < 0 else start
            place = place_of(outline, rows, around) if around else None
            if place is not None:
                first = place - place % max(1, limit)
            elif around:
                raise NotFound(NO_ENTRY)
            page, needed = page_of(outline, first, limit)
            entries = self._entries(row, needed)
            items = (entry_of(outline, first + at, entries, of_entries, row.runtime) for at in range(len(page)))
            bookmarked = {entry for entry, mark in of_entries.items() if mark.bookmarked}
            return Timeline(
                session=shown,
                health=health,
                items=tuple(map(with_documents, items)),
                total=len(outline.shown),
                hidden=outline.hidden,
                branches=len(outline.ends),
                branch=outline.branch,
                place=place,
                errors=outline.errors,
                people=outline.people,
                edits=outline.edits,
                bookmarks=tuple(place for place, each in enumerate(outline.shown) if each.id in bookmarked),
            )

        return await asyncio.to_thread(built)  # without the lock: it reads the CLI's files

    async def matches(self, id: str, principal: Principal, *, query: str, branch: str) -> TimelineMatches:
        """Return the places in its timeline whose entries contain all words.

        `branch`: as in `timeline`. Raises `NotFound`.
        """
        row, _, _ = await self._get(id, principal)
        words = text_search.words_of(query)

        def read(connection: sqlite3.Connection) -> TimelineMatches:
            outline = outline_of(rows_of(connection, row.number), branch=branch)
            return find_matches(connection, outline, words, lambda rows: self._entries(row, rows))

        return await self._read(read)

    async def marked(self, id: str, principal: Principal, *, branch: str) -> MarkedEntries:
        """Return its entries with a bookmark or a note, in order, at most 500.

        `branch`: as in `timeline`. Raises `NotFound`.
        """
        row, _, _ = await self._get(id, principal)
        marks = await asyncio.to_thread(self._marks.of_entries, id)

        rows = await self._read(lambda c: rows_of(c, row.number))

        def built() -> MarkedEntries:
            places = {each.id: place for place, each in enumerate(outline_of(rows, branch=branch).shown)}
            wanted = [each for each in rows if each.id in marks][:MAX_ENTRIES]
            entries = self._entries(row, wanted)
            return MarkedEntries(
                items=tuple(
                    MarkedEntry(
                        **msgspec.structs.asdict(marks[each.id]),
                        place=places.get(each.id),
                        kind=entry.kind,
                        side=entry.side,
                        text=" ".join((text_search.searched_text(entry) or entry.text).split())[:MARKED_CHARACTERS],
                    )
                    for each in wanted
                    if (entry := entries.get(each.id) or missing_entry(each.id))
                )
            )

        return await asyncio.to_thread(built)

    async def last(self, id: str, principal: Principal) -> LastMessage:
        """Return the last answer; empty if there is none, or if it is no longer in the transcript.

        Raises `NotFound`.
        """
        row, _, _ = await self._get(id, principal)

        query = (
            f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = 'assistant' AND side IS NULL"  # noqa: S608
            " ORDER BY place DESC LIMIT 1"
        )
        found = await self._read(lambda c: c.execute(query, (row.number,)).fetchone())
        if found is None:
            return LastMessage()
        last = IndexedEntry._make(found)
        entry = (await asyncio.to_thread(self._entries, row, [last])).get(last.id)
        return LastMessage(text=entry.text, at=last.at) if entry else LastMessage()

    async def entries(self, id: str, principal: Principal, *, branch: str = "") -> tuple[CliSession, list[Entry]]:
        """Return the session, and the entries of one branch, in order. `branch`: as in `timeline`.

        Each call is followed by its result. Entries of the kinds `other` and `model_change`, and those that the CLI has
        removed, are left out. Raises `NotFound`.
        """
        row, _, _ = await self._get(id, principal)
        session = await self.get(id, principal)

        outline = outline_of(await self._read(lambda c: rows_of(c, row.number)), branch=branch)
        _, needed = page_of(outline, 0, len(outline.shown))
        entries = await asyncio.to_thread(self._entries, row, needed)
        return session, [entries[each.id] for each in needed_in_order(outline) if each.id in entries]

    async def change(self, id: str, patch: SessionPatch, principal: Principal) -> SessionMarks:
        """Change what people have added to it, and return all of it. Raises `Invalid`, `NotFound`."""
        await self._get(id, principal)
        return await asyncio.to_thread(self._marks.change, id, patch)

    async def change_entry(self, id: str, patch: EntryPatch, principal: Principal) -> EntryMark:
        """Change what people have added to one entry, and return it.

        Raises `Invalid`, and `NotFound` also for an unknown entry.
        """
        row, _, _ = await self._get(id, principal)
        query = "SELECT 1 FROM entries WHERE session = ? AND id = ?"
        if await self._read(lambda c: c.execute(query, (row.number, patch.entry)).fetchone()) is None:
            raise NotFound(NO_ENTRY)
        return await asyncio.to_thread(self._marks.change_entry, id, patch)

    def is_recorded(self, runtime: str) -> bool:
        """Return whether Cabinet writes the sessions of this runtime, under its own ids. Blocks."""
        return runtime in self._stores.recorded()

    async def set_aside(self, runtime: str, native_id: str) -> None:
        """Archive a session of Cabinet's own, which may not have begun yet, so that lists leave it out."""
        id = session_key(runtime, native_id)
        await asyncio.to_thread(self._marks.change, id, SessionPatch(archived=True))

    # --- helpers ---------------------------------------------------------------------------

    async def row(self, id: str, principal: Principal) -> SessionRow:
        """Return where it is kept. Raises `NotFound`, also if the caller may not see it."""
        row, _, _ = await self._get(id, principal)
        return row

    async def _get(self, id: str, principal: Principal) -> tuple[SessionRow, CliSession, SessionHealth | None]:
        visible = await self._visible(principal)
        found = await self._read(lambda c: session_list.load_session(c, id))
        if found is None or (visible is not None and id not in visible):
            raise NotFound("There is no such session.")
        return found

    async def _visible(self, principal: Principal) -> set[str] | None:
        """Return the ids that the caller may see; None: all."""
        self._must_be_on()
        if principal.shared_token or principal.administrator:
            return None
        own = await self._sessions.native_ids(principal) | await self._runs.session_pairs(principal)
        listed = {(self._runtimes.sessions_of(runtime), id) for runtime, id in own}
        return await self._read(lambda c: session_list.native_ids(c, listed))

    def _must_be_on(self) -> None:
        if not self.enabled:
            raise NotFound(IS_OFF)

    def _shown(self, session: CliSession, marks: Mapping[str, SessionMarks]) -> CliSession:
        return msgspec.structs.replace(
            session, path=self._path_of(session.cwd), marks=marks.get(session.id) or SessionMarks()
        )

    async def _titled(self, sessions: Sequence[CliSession], principal: Principal) -> tuple[CliSession, ...]:
        """Return them with the instruction as the title, where Cabinet has started a CLI that took over our id."""
        runs = await self._runs.first_runs({each.native_id for each in sessions}, principal)
        titles = {
            (self._runtimes.sessions_of(run.runtime), run.session_id): one_line(run.instruction, most=TITLE_CHARACTERS)
            for run in runs
            if run.kind != ASKED_DIRECTLY
        }
        return tuple(
            msgspec.structs.replace(each, title=titles.get((each.runtime, each.native_id)) or each.title)
            for each in sessions
        )

    def _path_of(self, cwd: str) -> str | None:
        """Return a folder relative to the root; None if it is outside. Only the names are compared."""
        if not cwd or not Path(cwd).is_relative_to(self._root) or ".." in Path(cwd).parts:
            return None
        return str(Path(cwd).relative_to(self._root))

    def _store_of(self, row: SessionRow) -> SessionStore | None:
        stores = self._stores.all().get(row.runtime, ())
        return stores[row.store] if row.store < len(stores) else None

    def _entries(self, row: SessionRow, rows: Collection[IndexedEntry]) -> dict[str, Entry]:
        try:
            return read_entries(self._store_of(row), row, tuple(rows))
        except OSError:  # it has vanished, and the index does not know it yet
            return {}

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._read_now, work)

    def _read_now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            if self._connection is None:
                self._connection = self._index.open()
            return work(self._connection)
