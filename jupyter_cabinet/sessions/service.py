"""Sessions: opened, found, kept. The room's service, called by `editor/`, `runs/` and `execution/`."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.errors import Invalid, NotFound
from ..core.events import Scope
from ..core.ids import is_foreign_id
from ..core.people import Principal, Visibility, may_see, owns
from ..runtimes.model import Outcome
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import store
from .model import Session, SessionClosed, SessionFilter, Subject

MAX_TITLE = 200


class Sessions:
    """Every recorded session. `holder`: this server, by the name of its lease."""

    def __init__(self, *, database: Database, commits: Commits, clock: Clock, holder: str) -> None:
        self._database = database
        self._commits = commits
        self._clock = clock
        self._holder = holder

    async def create(
        self, principal: Principal, *, subject: Subject | None, runtime: str, visibility: Visibility
    ) -> Session:
        """Record a new session of the caller, and return it. Its CLI starts with the first run.

        Nothing is checked: neither whether the subject exists, nor whether there is such a runtime.
        """
        now = self._clock.now()
        session = Session(
            id=str(uuid.uuid4()),
            subject=subject,
            title="",
            runtime=runtime,
            owner=principal.username,
            visibility=visibility,
            created_at=now,
            updated_at=now,
        )
        await self._commits.commit(lambda c: store.insert_session(c, session))
        return session

    async def get(self, session_id: str, principal: Principal) -> Session:
        """Return the session with this id. Raises `NotFound`, also if the caller may not see it."""
        session = await self.load(session_id)
        if session is None or not may_see(principal, session.owner, session.visibility):
            raise NotFound("There is no such session.")
        return session

    async def load(self, session_id: str) -> Session | None:
        """Return the session, for any caller; None if there is none."""
        return await self._database.read(lambda c: store.load_session(c, session_id))

    async def find(self, wanted: SessionFilter, principal: Principal) -> list[Session]:
        """Return those about documents that the caller may see, the last used first, at most `wanted.limit` and 200."""
        return await self._database.read(lambda c: store.list_sessions(c, wanted, principal))

    async def with_native_id(self, runtime: str, native_id: str, principal: Principal) -> list[Session]:
        """Return those that are this session of a CLI and that the caller may see, newest first."""
        return await self._database.read(lambda c: store.sessions_of_cli(c, runtime, native_id, principal))

    async def continuing(self, session_id: str, principal: Principal) -> list[Session]:
        """Return those that continue this session of ours and that the caller may see, newest first."""
        return await self._database.read(lambda c: store.sessions_continuing(c, session_id, principal))

    async def native_ids(self, principal: Principal) -> set[tuple[str, str]]:
        """Return runtime and native id of every session of a CLI that the caller may see."""
        return await self._database.read(lambda c: store.native_ids(c, principal))

    async def adopt(
        self, principal: Principal, runtime: str, native_id: str, *, title: str, is_ours: bool = False
    ) -> Session:
        """Return the caller's session that continues this one of a CLI; it is created if there is none.

        `is_ours`: `native_id` is the id of a session of ours, because its CLI keeps none.
        Whether the CLI has such a session is not checked. Raises `Invalid` for an id that no CLI could be given.
        """
        if not is_foreign_id(native_id):
            raise Invalid("The id of this session cannot be passed to its CLI.", field="id")
        recorded = await self.load(native_id) if is_ours else None
        if recorded is not None and may_see(principal, recorded.owner, recorded.visibility):
            # an agent may give the same id to several sessions
            candidates = [recorded, *await self.continuing(recorded.id, principal)]
            changes = {"native_id": recorded.native_id or native_id, "continues": recorded.id}
        else:
            candidates = await self.with_native_id(runtime, native_id, principal)
            changes = {"native_id": native_id}
        for known in candidates:
            if known.subject is None and owns(principal, known.owner):
                return known
        visibility: Visibility = "server" if principal.shared_token else "private"
        session = await self.create(principal, subject=None, runtime=runtime, visibility=visibility)
        changes["title"] = title[:MAX_TITLE]
        await self._change(session.id, changes)
        return msgspec.structs.replace(session, **changes)

    async def told(self, session_id: str, path: str | None) -> None:
        """Record that the agent knows the document by this path from now on. An unknown session is ignored."""
        await self._change(session_id, {"told_path": path})

    async def move(self, old: str, new: str) -> None:
        """Record that a document or a folder has a new path: the sessions of all documents in it follow.

        No file is moved.
        """
        await self._commits.commit(lambda c: store.move_sessions(c, old, new))

    async def note_open(self, session_id: str, terminal_id: str) -> None:
        """Record that a session's CLI is open in a terminal of this server. An unknown session is ignored."""
        await self._change(session_id, {"terminal_id": terminal_id}, holder=self._holder)

    async def note_closed(self, session_id: str, reason: str) -> None:
        """Record that a session's CLI is no longer open. Emits `SessionClosed`. An unknown session is ignored."""

        def events(session: Session | None) -> list[ScopedEvent]:
            if session is None:
                return []
            scope = Scope(owner=session.owner, visibility=session.visibility)
            return [ScopedEvent(SessionClosed(session_id=session_id, reason=reason), scope)]

        changes = {"terminal_id": None}
        await self._commits.commit(
            lambda c: store.change_session(c, session_id, changes, newest=False, holder=""), events
        )

    async def forget_open(self, *, but_of: Collection[str]) -> None:
        """Record at the start that no CLI of an earlier server is open, only those of live servers on this folder.

        `but_of`: the live servers. No event is emitted.
        """

        def change(connection: Connection) -> None:
            for session in store.open_sessions(connection, but_of=but_of):
                store.change_session(connection, session.id, {"terminal_id": None}, newest=False, holder="")

        await self._commits.commit(change)

    # --- inside the transaction of a run ---------------------------------------------------

    def take_instruction(self, connection: Connection, session_id: str, instruction: str) -> None:
        """Record that a run was accepted: the session is named after its first instruction, and moves to the top of the
        lists.

        An unknown session is ignored.
        """
        session = store.load_session(connection, session_id)
        if session is not None:
            title = session.title or instruction.strip().splitlines()[0][:MAX_TITLE]
            self._touch(connection, session_id, {"title": title})

    def begin_native(self, connection: Connection, session_id: str, native_id: str) -> None:
        """Record that the CLI is about to start a session under this id: it must be found again, also after a crash.

        Cost and tokens of an earlier session are reset.
        """
        changes = {"native_id": native_id, "native_cost_usd": None, "native_usage": None}
        store.change_session(connection, session_id, changes, newest=False)

    def take_outcome(
        self, connection: Connection, session_id: str, native_id: str | None, outcome: Outcome, *, newest: bool
    ) -> None:
        """Record that a run has ended: store what the CLI needs to continue. What is None stays as it was.

        An id that does not fit into an argument is not stored. `newest`: the session moves to the top of the lists.
        """
        usable = native_id if native_id is not None and is_foreign_id(native_id) else None
        known = {
            "native_id": usable,
            "native_cost_usd": outcome.session_cost_usd,
            "native_usage": outcome.session_usage,
        }
        changes = {name: value for name, value in known.items() if value is not None}
        if newest:
            self._touch(connection, session_id, changes)
        else:
            store.change_session(connection, session_id, changes, newest=False)

    def keep_foreign(self, connection: Connection, session: Session) -> None:
        """Record the session of a run that had none, if its CLI has chosen the id: only the record connects them.

        A session that is recorded already stays as it is.
        """
        native_id = session.native_id
        if native_id is None or native_id == session.id or not is_foreign_id(native_id):
            return
        if store.load_session(connection, session.id) is None:
            title = session.title.strip().partition("\n")[0][:MAX_TITLE]
            store.insert_session(connection, msgspec.structs.replace(session, title=title))

    def _touch(self, connection: Connection, session_id: str, changes: dict[str, Any]) -> None:
        changes = {**changes, "updated_at": self._clock.now()}
        store.change_session(connection, session_id, changes, newest=True)

    async def _change(self, session_id: str, changes: dict[str, Any], *, holder: str | None = None) -> None:
        await self._commits.commit(lambda c: store.change_session(c, session_id, changes, newest=False, holder=holder))
