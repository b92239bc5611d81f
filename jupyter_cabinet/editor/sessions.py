"""The operations on the sessions of documents: open, list, close. Called by `web/handlers/editor.py`."""

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
    """The operations on the sessions of documents. `earlier`: sessions of another installation, read-only."""

    def __init__(
        self, *, root: Path, runs: Runs, sessions: Sessions, documents: DocumentSessions, earlier: EarlierSessions
    ) -> None:
        self._root = root
        self._runs = runs
        self._sessions = sessions
        self._documents = documents
        self._earlier = earlier

    async def open(self, wanted: OpenSession, principal: Principal) -> SessionDetail:
        """Return the caller's newest session of the document, or a new one, with its runs.

        Raises `NotFound` if there is no such file, `OutsideRoot` for a path out of the root, and `UnknownRuntime`.
        """
        session = await self._documents.open(wanted.path, principal, runtime=wanted.runtime, new=wanted.new)
        return await self._detail(session)

    async def get(self, session_id: str, principal: Principal) -> SessionDetail:
        """Return a session with its runs. Raises `NotFound`, also if the caller may not see it.

        A session of another installation is returned to everyone.
        """
        earlier = await asyncio.to_thread(self._earlier.get, session_id)
        if earlier is not None:
            return earlier
        async with self._documents.settled():
            return await self._detail(await self._sessions.get(session_id, principal))

    async def find(
        self, principal: Principal, *, path: str | None, query: str | None, limit: int
    ) -> list[SessionSummary]:
        """Return the sessions that the caller may see, newest first, without those that have no instruction.

        At most `limit`, also with those of another installation. `query`: a text in instructions, answers or file
        names.
        """
        async with self._documents.settled():  # wait, so that a moved document is listed with its new path
            pass
        ids = tuple(await self._runs.sessions_with(query, principal)) if query else ()
        wanted = SessionFilter(path=path, named=query, ids=ids, limit=limit)
        rows = await self._summaries(await self._sessions.find(wanted, principal))
        earlier = await asyncio.to_thread(self._earlier.find, path=path, query=query, limit=limit)
        if not earlier:
            return rows  # already sorted, independent of the clock
        rows += [SessionSummary(session=one.session, last_run=in_list(one.runs[-1]), runs=1) for one in earlier]
        return sorted(rows, key=lambda row: row.session.updated_at, reverse=True)[:limit]

    async def document_moved(self, old: str, new: str) -> None:
        """Update sessions and unfinished runs after a document or folder was renamed from `old` to `new`.

        No file is moved.
        """
        async with self._documents.settled():
            await self._runs.document_moved(old, new)

    async def close(self, session_id: str, principal: Principal) -> SessionDetail:
        """Close the CLI of a session, and cancel its unfinished runs. Return the session. Only for the session's owner.

        Raises `NotFound`, `NotAllowed`.
        """
        await self._runs.close_session(session_id, principal)
        return await self.get(session_id, principal)

    async def edited(self, run: Run) -> EditedRun:
        """Return the reply for a run. For an editor run that has ended, it contains the document as it is now."""
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
