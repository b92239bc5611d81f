"""Which session of ours continues one that Cabinet has recorded, because its CLI keeps none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.backend import Place

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.sessions.model import DocumentSubject, Session
from jupyter_cabinet.sessions.service import Sessions

ADA, BEN = (Principal(username=name, display_name=name.title()) for name in ("ada", "ben"))
DOCUMENT = DocumentSubject(path="a.md")


async def recorded(sessions: Sessions, **values: Any) -> Session:
    """A session of Ada's whose agent has given it the id 0."""
    made = await sessions.create(ADA, **{"subject": None, "runtime": "toy", "visibility": "private", **values})
    await sessions._change(made.id, {"native_id": "0"})
    return made


async def adopted(sessions: Sessions, continued: Session, principal: Principal = ADA) -> Session:
    return await sessions.adopt(principal, "toy", continued.id, title="Count the owls", is_ours=True)


async def test_a_session_about_nothing_continues_itself(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        sessions = backend.sessions
        own = await recorded(sessions)
        assert (await adopted(sessions, own)).id == own.id


async def test_a_session_about_a_document_is_continued_by_one_session_about_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        sessions = backend.sessions
        about = await recorded(sessions, subject=DOCUMENT)
        other = await recorded(sessions, subject=DOCUMENT)  # its agent gives all sessions the same id
        first = await adopted(sessions, about)
        assert (first.subject, first.native_id, first.continues, first.title) == (None, "0", about.id, "Count the owls")
        assert (await adopted(sessions, about)).id == first.id
        assert (await adopted(sessions, other)).id not in (first.id, other.id)
        assert [each.id for each in await sessions.continuing(about.id, ADA)] == [first.id]


async def test_a_person_continues_a_session_of_another_one_in_a_session_of_their_own(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        sessions = backend.sessions
        shared = await recorded(sessions, visibility="server")
        continued = await adopted(sessions, shared, BEN)
        assert (continued.owner, continued.visibility, continued.native_id) == ("ben", "private", "0")
        assert continued.continues == shared.id and (await adopted(sessions, shared, BEN)).id == continued.id
        assert await sessions.continuing(shared.id, ADA) == []
        assert (await adopted(sessions, shared)).id == shared.id


async def test_a_session_that_a_person_may_not_see_tells_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        sessions = backend.sessions
        private = await recorded(sessions)
        continued = await adopted(sessions, private, BEN)
        assert continued.owner == "ben" and continued.continues is None and continued.native_id == private.id
