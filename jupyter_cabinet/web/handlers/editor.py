"""`editor/…`: the sessions of documents, and completions for `@`."""

from __future__ import annotations

import asyncio

import msgspec

from ...editor.model import Mention, OpenSession, SessionDetail, SessionSummary
from ...runs.model import DocumentWork
from ..handler import CabinetHandler
from ..operation import Query, operation


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    items: tuple[SessionSummary, ...]
    next: str | None = None


class DocumentWorkList(msgspec.Struct, frozen=True, kw_only=True):
    """Oldest first."""

    items: tuple[DocumentWork, ...]
    next: str | None = None


class MentionList(msgspec.Struct, frozen=True, kw_only=True):
    """Best first."""

    items: tuple[Mention, ...]
    next: str | None = None


class EditorSessionsHandler(CabinetHandler):
    """`editor/sessions`"""

    @operation(
        "read",
        gives=SessionList,
        query=(
            Query(name="path", about="only sessions of this document"),
            Query(name="q", about="text in instructions, answers and file names"),
            Query(name="limit", kind="integer", about="at most 200"),
        ),
    )
    async def get(self) -> None:
        """List the history: sessions that the caller may see."""
        path, query = self.path_argument("path"), self.text_argument("q")
        limit = self.integer_argument("limit", 50)
        items = await self.services.editor.find(self.principal, path=path, query=query, limit=limit)
        self.reply(SessionList(items=tuple(items)))

    @operation("execute", body=OpenSession, gives=SessionDetail)
    async def post(self) -> None:
        """Find the newest session of a document, or start one."""
        self.reply(await self.services.editor.open(self.body(OpenSession), self.principal))


class EditorSessionHandler(CabinetHandler):
    """`editor/sessions/{id}`"""

    @operation("read", gives=SessionDetail)
    async def get(self, session_id: str) -> None:
        """Return one session with its runs."""
        self.reply(await self.services.editor.get(session_id, self.principal))


class EditorSessionCloseHandler(CabinetHandler):
    """`editor/sessions/{id}/close`"""

    @operation("execute", gives=SessionDetail)
    async def post(self, session_id: str) -> None:
        """Close the session's CLI. A further instruction opens it again."""
        self.reply(await self.services.editor.close(session_id, self.principal))


class EditorWorkHandler(CabinetHandler):
    """`editor/work`"""

    @operation("read", gives=DocumentWorkList)
    async def get(self) -> None:
        """List the documents in which agents of other people work now, as private runs."""
        self.reply(DocumentWorkList(items=tuple(await self.services.work_in_documents.of_others(self.principal))))


class EditorMentionsHandler(CabinetHandler):
    """`editor/mentions`"""

    @operation(
        "read",
        gives=MentionList,
        query=(
            Query(name="q", about="part of a name"),
            Query(name="limit", kind="integer", about="at most 50"),
        ),
    )
    async def get(self) -> None:
        """List files whose names contain `q`, best match first."""
        query, limit = self.text_argument("q") or "", min(self.integer_argument("limit", 12), 50)
        found = await asyncio.to_thread(self.services.files.search, query, limit)
        self.reply(MentionList(items=tuple(found)))
