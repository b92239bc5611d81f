"""Which session an instruction about a document belongs to: found by path, or begun. Follows documents that move.

Called by `kind.py` when a run is asked for and when it starts, and by `sessions.py` for the API.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ..core.errors import Conflict, Invalid, NotFound
from ..core.paths import check, is_file_below
from ..core.people import Principal, owns
from ..runs.intake import visibility_for
from ..runs.model import Run
from ..runtimes.registry import Runtimes
from ..sessions.model import DocumentSubject, Session, SessionFilter
from ..sessions.service import Sessions
from .earlier import is_earlier
from .model import NewEditorRun

LOOKED_THROUGH = 20  # of a document's sessions, for the caller's own


class DocumentSessions:
    """The sessions that documents have."""

    def __init__(self, *, root: Path, sessions: Sessions, runtimes: Runtimes) -> None:
        self._root = root
        self._sessions = sessions
        self._runtimes = runtimes
        self._opening = asyncio.Lock()
        self._moving = asyncio.Lock()

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[None]:
        """No document is on its way to another path meanwhile: what is asked for waits until all know of it."""
        async with self._moving:
            yield

    async def open(self, path: str, principal: Principal, *, runtime: str | None = None, new: bool = False) -> Session:
        """The newest session of the document that is the caller's own, or a new one."""
        path = "/".join(check(path))
        if not await asyncio.to_thread(is_file_below, self._root, path):
            raise NotFound(f"There is no file {path}. Save the document first.", field="path")
        async with self.settled(), self._opening:  # two requests at once must not begin two sessions
            session = None if new else await self._newest(path, runtime, principal)
            return session or await self._begin(path, runtime, principal)

    async def of_request(self, new: NewEditorRun, principal: Principal) -> Session:
        """The session of an instruction: the one it names, else the one of its document."""
        if is_earlier(new.session_id):
            raise Conflict(
                "This session is another installation's and is only shown. Begin a new one.", field="session_id"
            )
        if new.session_id is not None:
            async with self.settled():
                session = await self._sessions.get(new.session_id, principal)
            if not owns(principal, session.owner):
                raise NotFound("There is no such session of yours.", field="session_id")
            return session
        if new.path is None:
            raise Invalid("An editor run needs a document: give path or session_id.", field="path")
        return await self.open(new.path, principal, runtime=new.runtime)

    async def former_path(self, run: Run) -> str | None:
        """The path that the session's agent knows the document by, where it is another; from now on it is this one."""
        session = await self._sessions.load(run.session_id)
        if session is None or session.told_path == run.path:
            return None
        await self._sessions.told(session.id, run.path)
        return session.told_path

    async def told_path(self, run: Run) -> str | None:
        """The path that the agent of a run was told."""
        session = await self._sessions.load(run.session_id)
        return session.told_path if session is not None else None

    async def _newest(self, path: str, runtime: str | None, principal: Principal) -> Session | None:
        found = await self._sessions.find(SessionFilter(path=path, limit=LOOKED_THROUGH), principal)
        mine = [session for session in found if owns(principal, session.owner)]
        return next((session for session in mine if runtime in (None, session.runtime)), None)

    async def _begin(self, path: str, runtime: str | None, principal: Principal) -> Session:
        name = runtime
        if not name:
            name = await asyncio.to_thread(self._runtimes.default_name)
        self._runtimes.get(name)
        subject = DocumentSubject(path=path)
        return await self._sessions.create(
            principal, subject=subject, runtime=name, visibility=visibility_for(principal)
        )
