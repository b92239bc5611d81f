"""The sessions of documents: opened or found by path. The room's service, beside the kind of run it serves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from ..core.errors import Conflict, Invalid, NotFound
from ..core.paths import check, is_file_below
from ..core.people import Principal, Visibility, owns
from ..runs.model import NewRun, Run, Session, in_list
from ..runs.service import Runs
from ..runs.sessions import Sessions
from ..runs.states import is_final
from ..runtimes.registry import Runtimes
from .document import read_document
from .earlier import EarlierSessions, is_earlier
from .model import EditedRun, OpenSession, SessionDetail, SessionSummary


class EditorSessions:
    """Finds, begins, lists and closes the sessions of documents."""

    def __init__(self, *, root: Path, runs: Runs, sessions: Sessions, runtimes: Runtimes) -> None:
        self._root = root
        self._runs = runs
        self._sessions = sessions
        self._runtimes = runtimes
        self._opening = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._earlier = EarlierSessions(root, {name: runtimes.get(name).about.title for name in runtimes.names()})

    async def open(self, wanted: OpenSession, principal: Principal) -> SessionDetail:
        """The newest session of the document that is the caller's own, or a new one."""
        path = "/".join(check(wanted.path))
        if not await asyncio.to_thread(is_file_below, self._root, path):
            raise NotFound(f"There is no file {path}. Save the document first.", field="path")
        async with self._moving, self._opening:  # two requests at once must not begin two sessions
            session = None if wanted.new else await self._newest(path, wanted.runtime, principal)
            session = session or await self._begin(path, wanted.runtime, principal)
        return await self._detail(session)

    async def get(self, session_id: str, principal: Principal) -> SessionDetail:
        earlier = await asyncio.to_thread(self._earlier.get, session_id)
        if earlier is not None:
            return earlier
        async with self._moving:
            return await self._detail(await self._sessions.get(session_id, principal))

    async def find(
        self, principal: Principal, *, path: str | None, query: str | None, limit: int
    ) -> list[SessionSummary]:
        """Newest first; sessions without an instruction are left out."""
        async with self._moving:  # what has been moved is listed under its new path
            pass
        found = await self._sessions.find(principal, path=path, query=query, limit=limit)
        rows = [await self._summary(session) for session in found if session.title]
        earlier = await asyncio.to_thread(self._earlier.find, path=path, query=query, limit=limit)
        if not earlier:
            return rows  # in an order that no clock has made
        rows += [SessionSummary(session=one.session, last_run=in_list(one.runs[-1]), runs=1) for one in earlier]
        return sorted(rows, key=lambda row: row.session.updated_at, reverse=True)[:limit]

    def earlier_run(self, run_id: str) -> Run | None:
        """A run that another installation has left, by the id that it has here. Blocks."""
        detail = self._earlier.get(run_id)
        return detail.runs[-1] if detail else None

    async def former_path(self, run: Run) -> str | None:
        """The path that the session's agent knows the document by, where it is another; from now on it is this one."""
        session = await self._sessions.load(run.session_id)
        if session is None or session.told_path == run.path:
            return None
        await self._sessions.change(session.id, told_path=run.path)
        return session.told_path

    async def document_moved(self, old: str, new: str) -> None:
        """A document or a folder was renamed or moved: what is asked for meanwhile waits until all know of it."""
        async with self._moving:
            await self._runs.document_moved(old, new)

    async def close(self, session_id: str, principal: Principal) -> SessionDetail:
        await self._runs.close_session(session_id, principal)
        return await self.get(session_id, principal)

    async def edited(self, run: Run) -> EditedRun:
        """A run as the reply to who asked for it; with its document, read again, when it has ended."""
        document = None
        if run.kind == "editor" and run.path and is_final(run):
            document = await asyncio.to_thread(read_document, self._root, run.path)
        return EditedRun(**msgspec.structs.asdict(run), document=document)

    async def complete(self, new: NewRun, principal: Principal) -> NewRun:
        """Give an editor run its session: the one it names, else the one of its document."""
        if is_earlier(new.session_id):
            raise Conflict(
                "This session is another installation's and is only shown. Begin a new one.", field="session_id"
            )
        if new.session_id is not None:
            async with self._moving:
                session = await self._sessions.get(new.session_id, principal)
            if not owns(principal, session.owner):
                raise NotFound("There is no such session of yours.", field="session_id")
            return msgspec.structs.replace(new, path=new.path or session.path)
        if new.path is None:
            raise Invalid("An editor run needs a document: give path or session_id.", field="path")
        detail = await self.open(OpenSession(path=new.path, runtime=new.runtime), principal)
        return msgspec.structs.replace(new, session_id=detail.session.id, path=detail.session.path)

    async def _newest(self, path: str, runtime: str | None, principal: Principal) -> Session | None:
        found = await self._sessions.find(principal, path=path, limit=20)
        mine = [session for session in found if owns(principal, session.owner)]
        return next((session for session in mine if runtime in (None, session.runtime)), None)

    async def _begin(self, path: str, runtime: str | None, principal: Principal) -> Session:
        name = runtime
        if not name:
            name = await asyncio.to_thread(self._runtimes.default_name)
        self._runtimes.get(name)
        visibility: Visibility = "server" if principal.shared_token else "private"
        return await self._sessions.create(principal, path=path, runtime=name, visibility=visibility)

    async def _detail(self, session: Session) -> SessionDetail:
        return SessionDetail(session=session, runs=tuple(await self._runs.of_session(session.id)))

    async def _summary(self, session: Session) -> SessionSummary:
        runs = await self._runs.of_session(session.id)
        return SessionSummary(session=session, last_run=in_list(runs[-1]) if runs else None, runs=len(runs))
