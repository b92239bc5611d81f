"""Finds or creates the session of an instruction about a document. Sessions follow documents that are renamed.

Called by `kind.py` when a run is requested and when it starts, and by `sessions.py` for the API.
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
from ..sessions.model import DocumentSubject, NotebookSubject, Session, SessionFilter
from ..sessions.service import Sessions
from .earlier import is_earlier
from .model import NewCellRun, NewEditorRun

LOOKED_THROUGH = 100  # sessions of a document that are searched for one of the caller's


class DocumentSessions:
    """Finds and creates the sessions of documents."""

    def __init__(self, *, root: Path, sessions: Sessions, runtimes: Runtimes) -> None:
        self._root = root
        self._sessions = sessions
        self._runtimes = runtimes
        self._opening = asyncio.Lock()
        self._moving = asyncio.Lock()

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[None]:
        """Wait until no document is being renamed, and let no rename begin meanwhile."""
        async with self._moving:
            yield

    async def open(
        self,
        path: str,
        principal: Principal,
        *,
        runtime: str | None = None,
        new: bool = False,
        agent: str | None = None,
    ) -> Session:
        """Return the caller's newest session of the document, or a new one. `agent`: the named agent of the session.

        `runtime`: only a session of this one; a new session without it gets the default. Raises `NotFound` if there is
        no such file, `OutsideRoot` for a path out of the root, and `UnknownRuntime`.
        """
        path = "/".join(check(path))
        if not await asyncio.to_thread(is_file_below, self._root, path):
            raise NotFound(f"There is no file {path}. Save the document first.", field="path")
        async with self.settled(), self._opening:  # so that two simultaneous requests do not create two sessions
            session = None if new else await self._newest(path, runtime, principal, agent)
            return session or await self._begin(path, runtime, principal, agent)

    async def of_request(self, new: NewEditorRun, principal: Principal) -> Session:
        """Return the session that a request names, else the one of its document.

        Raises `Conflict` for a session of another installation, `Invalid` without a session and a document, and
        `NotFound` if there is no such session or file, or if the session belongs to somebody else.
        """
        if is_earlier(new.session_id):
            raise Conflict(
                "This session is another installation's and is only shown. Begin a new one.", field="session_id"
            )
        if new.session_id is not None:
            return await self._own(new.session_id, principal)
        if new.path is None:
            raise Invalid("An editor run needs a document: give path or session_id.", field="path")
        return await self.open(new.path, principal, runtime=new.runtime)

    async def of_cell(self, new: NewCellRun, principal: Principal, runtime: str | None) -> Session:
        """Return the session that the request names, else the newest of the notebook and agent with this runtime, or a
        new one.

        Raises `Invalid` if it names a session and wants a new one, `NotFound` like `of_request`, and `Conflict` for a
        session of another notebook or agent.
        """
        if new.session_id is None:
            return await self.open(new.notebook, principal, runtime=runtime, new=new.new_session, agent=new.agent)
        if new.new_session:
            raise Invalid("Name a session or begin a new one, not both.", field="new_session")
        session = await self._own(new.session_id, principal)
        if session.path != "/".join(check(new.notebook)):
            raise Conflict("This session belongs to another notebook.", field="session_id")
        if new.agent not in (None, session.agent):
            raise Conflict("This session belongs to another person.", field="session_id")
        return session

    async def _own(self, session_id: str, principal: Principal) -> Session:
        async with self.settled():
            session = await self._sessions.get(session_id, principal)
        if not owns(principal, session.owner):
            raise NotFound("There is no such session of yours.", field="session_id")
        return session

    async def former_path(self, run: Run) -> str | None:
        """Return the path that the session's agent last received, if it differs from the run's path; otherwise None.

        The run's path is stored as the one that the agent knows.
        """
        session = await self._sessions.load(run.session_id)
        if session is None or session.told_path == run.path:
            return None
        await self._sessions.told(session.id, run.path)
        return session.told_path

    async def told_path(self, run: Run) -> str | None:
        """Return the path that the run's prompt gave to the agent; None if its session has none, or is not recorded."""
        session = await self._sessions.load(run.session_id)
        return session.told_path if session is not None else None

    async def _newest(self, path: str, runtime: str | None, principal: Principal, agent: str | None) -> Session | None:
        found = await self._sessions.find(SessionFilter(path=path, limit=LOOKED_THROUGH), principal)
        mine = [session for session in found if owns(principal, session.owner) and session.agent == agent]
        return next((session for session in mine if runtime in (None, session.runtime)), None)

    async def _begin(self, path: str, runtime: str | None, principal: Principal, agent: str | None) -> Session:
        name = runtime
        if not name:
            name = await asyncio.to_thread(self._runtimes.default_name)
        self._runtimes.get(name)
        subject = DocumentSubject(path=path) if agent is None else NotebookSubject(path=path, agent=agent)
        return await self._sessions.create(
            principal, subject=subject, runtime=name, visibility=visibility_for(principal)
        )
