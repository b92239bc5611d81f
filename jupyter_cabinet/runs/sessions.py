"""Sessions: one conversation about one document, going on over many runs. Called by `editor/` and `worker.py`."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

import msgspec

from ..core.clock import Clock
from ..core.errors import NotFound
from ..core.events import EventBus, Scope
from ..core.ids import is_foreign_id
from ..core.people import Principal, Visibility, may_see
from ..runtimes.model import Outcome
from ..storage.database import Database
from . import ledger
from .model import Run, Session, SessionClosed

MAX_TITLE = 200


class Sessions:
    """Opens, finds and keeps sessions."""

    def __init__(self, *, database: Database, bus: EventBus, clock: Clock) -> None:
        self._database = database
        self._bus = bus
        self._clock = clock

    async def create(self, principal: Principal, *, path: str, runtime: str, visibility: Visibility) -> Session:
        now = self._clock.now()
        session = Session(
            id=str(uuid.uuid4()),
            path=path,
            title="",
            runtime=runtime,
            owner=principal.username,
            visibility=visibility,
            created_at=now,
            updated_at=now,
        )
        await self._database.write(lambda c: ledger.insert_session(c, session))
        return session

    async def get(self, session_id: str, principal: Principal) -> Session:
        session = await self.load(session_id)
        if session is None or not may_see(principal, session.owner, session.visibility):
            raise NotFound("There is no such session.")
        return session

    async def load(self, session_id: str) -> Session | None:
        return await self._database.read(lambda c: ledger.load_session(c, session_id))

    async def find(
        self, principal: Principal, *, path: str | None = None, query: str | None = None, limit: int = 50
    ) -> list[Session]:
        """Newest first."""
        return await self._database.read(
            lambda c: ledger.list_sessions(c, principal, path=path, query=query, limit=limit)
        )

    async def change(self, session_id: str, **changes: Any) -> Session | None:
        """Change fields of a session. Its time and its place in the lists stay: nothing was said in it."""
        return await self._save(session_id, changes, newest=False)

    async def _save(self, session_id: str, changes: dict[str, Any], *, newest: bool) -> Session | None:
        moved_up = {"updated_at": self._clock.now()} if newest else {}

        def work(connection: Any) -> Session | None:
            session = ledger.load_session(connection, session_id)
            if session is None:
                return None
            session = msgspec.structs.replace(session, **changes, **moved_up)
            ledger.save_session(connection, session, newest=newest)
            return session

        return await self._database.write(work)

    async def move(self, old: str, new: str) -> None:
        """A document or a folder has another path."""
        await self._database.write(lambda c: ledger.move_sessions(c, old, new))

    async def note_instruction(self, run: Run) -> None:
        """A run was accepted: the session is named after its first instruction."""
        session = await self.load(run.session_id)
        if session is not None:
            title = session.title or run.instruction.strip().splitlines()[0][:MAX_TITLE]
            await self._save(session.id, {"title": title}, newest=True)

    async def note_begun(self, session_id: str, native_id: str) -> None:
        """The CLI is about to begin a session under this id: it must be found again, also after a crash."""
        await self.change(session_id, native_id=native_id, native_cost_usd=None, native_usage=None)

    async def note_outcome(self, run: Run, native_id: str | None, outcome: Outcome) -> None:
        """A run has ended: keep what the CLI needs for going on. An id that no argument can hold is not kept."""
        usable = native_id if native_id is not None and is_foreign_id(native_id) else None
        known = {
            "native_id": usable,
            "native_cost_usd": outcome.session_cost_usd,
            "native_usage": outcome.session_usage,
        }
        changes = {name: value for name, value in known.items() if value is not None}
        await self._save(run.session_id, changes, newest=run.state != "interrupted")

    async def note_closed(self, session_id: str, reason: str) -> None:
        """The session's CLI is no longer open."""
        session = await self.change(session_id, terminal_id=None)
        if session is not None:
            scope = Scope(owner=session.owner, visibility=session.visibility)
            self._bus.publish(SessionClosed(session_id=session_id, reason=reason), scope)

    async def forget_open(self, *, but_of: Collection[str]) -> None:
        """At start: no CLI of an earlier server is open, only those of servers that live beside this one."""
        for session in await self._database.read(lambda c: ledger.open_sessions(c, but_of=but_of)):
            await self.change(session.id, terminal_id=None)
