"""The room's service: sessions of documents, as people open, list and close them. For `web/handlers/editor.py`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from ..core.people import Principal
from ..runs.model import Run, in_list
from ..runs.rules.lifecycle import is_final
from ..runs.service import Runs
from ..sessions.model import Session, SessionFilter
from ..sessions.service import Sessions
from .document import read_document
from .document_sessions import DocumentSessions
from .earlier import EarlierSessions
from .kind import EDITOR
from .model import EditedRun, OpenSession, SessionDetail, SessionSummary


class EditorSessions:
    """What callers may ask for. `earlier`: sessions of another installation, to be read only."""

    def __init__(
        self, *, root: Path, runs: Runs, sessions: Sessions, documents: DocumentSessions, earlier: EarlierSessions
    ) -> None:
        self._root = root
        self._runs = runs
        self._sessions = sessions
        self._documents = documents
        self._earlier = earlier

    async def open(self, wanted: OpenSession, principal: Principal) -> SessionDetail:
        """The newest session of the document that is the caller's own, or a new one."""
        session = await self._documents.open(wanted.path, principal, runtime=wanted.runtime, new=wanted.new)
        return await self._detail(session)

    async def get(self, session_id: str, principal: Principal) -> SessionDetail:
        """Raises `NotFound`, also for one that is not the caller's to see."""
        earlier = await asyncio.to_thread(self._earlier.get, session_id)
        if earlier is not None:
            return earlier
        async with self._documents.settled():
            return await self._detail(await self._sessions.get(session_id, principal))

    async def find(
        self, principal: Principal, *, path: str | None, query: str | None, limit: int
    ) -> list[SessionSummary]:
        """Newest first; sessions without an instruction are left out. `query` is looked for in instructions, answers
        and file names."""
        async with self._documents.settled():  # what has been moved is listed under its new path
            pass
        ids = tuple(await self._runs.sessions_with(query)) if query else ()
        wanted = SessionFilter(path=path, named=query, ids=ids, limit=limit)
        rows = await self._summaries(await self._sessions.find(wanted, principal))
        earlier = await asyncio.to_thread(self._earlier.find, path=path, query=query, limit=limit)
        if not earlier:
            return rows  # in an order that no clock has made
        rows += [SessionSummary(session=one.session, last_run=in_list(one.runs[-1]), runs=1) for one in earlier]
        return sorted(rows, key=lambda row: row.session.updated_at, reverse=True)[:limit]

    async def document_moved(self, old: str, new: str) -> None:
        """Make sessions and unfinished runs follow a document or folder that was renamed from `old` to `new`."""
        async with self._documents.settled():
            await self._runs.document_moved(old, new)

    async def close(self, session_id: str, principal: Principal) -> SessionDetail:
        """Close the session's CLI. Only for the session's owner."""
        await self._runs.close_session(session_id, principal)
        return await self.get(session_id, principal)

    async def edited(self, run: Run) -> EditedRun:
        """A run as the reply to who asked for it; with its document, read again, when it has ended."""
        document = None
        if run.kind == EDITOR and run.path and is_final(run):
            document = await asyncio.to_thread(read_document, self._root, run.path)
        return EditedRun(**msgspec.structs.asdict(run), document=document)

    async def _detail(self, session: Session) -> SessionDetail:
        return SessionDetail(session=session, runs=tuple(await self._runs.of_session(session.id)))

    async def _summaries(self, sessions: list[Session]) -> list[SessionSummary]:
        named = [session for session in sessions if session.title and session.path is not None]
        latest = await self._runs.latest([session.id for session in named])
        return [
            SessionSummary(
                session=session,
                last_run=in_list(latest[session.id].run) if session.id in latest else None,
                runs=latest[session.id].count if session.id in latest else 0,
            )
            for session in named
        ]
