"""`sessions`: the conversations that agent CLIs keep on disk; `projects`; `usage`."""

from __future__ import annotations

import asyncio
from datetime import UTC

import msgspec

from ...core.errors import Invalid
from ...runs.model import Run
from ...transcripts import export
from ...transcripts.model import (
    CliSession,
    CliSessionPage,
    ContinueSession,
    EntryMark,
    EntryPatch,
    LastMessage,
    MarkedEntries,
    NextPrompts,
    ProjectList,
    SessionFilter,
    SessionHealth,
    SessionMarks,
    SessionPatch,
    Timeline,
    TimelineMatches,
    UsageTable,
)
from ..handler import CabinetHandler
from ..operation import Query, operation

FORMATS = {
    "md": (export.as_markdown, "text/markdown; charset=utf-8"),
    "json": (export.as_json, "application/json"),
    "ipynb": (export.as_notebook, "application/x-ipynb+json"),
}
LONGEST_QUERY = 500
SINCE = Query(name="since", about="only those used at or after this time: ISO 8601, UTC by default")
BRANCH = Query(name="branch", about="id of an entry of another branch")
PROJECT = Query(name="project", about="only those of this working directory, an absolute path")


class SessionRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of this server that worked in a session, newest first."""

    items: tuple[Run, ...]


class _SessionsHandler(CabinetHandler):
    auth_resource = "cabinet-runs"

    def search_text(self) -> str | None:
        """Return the words in the address. Raises `Invalid`."""
        query = self.text_argument("q")
        if query is not None and len(query) > LONGEST_QUERY:
            raise Invalid(f"A search has at most {LONGEST_QUERY} characters.", field="q")
        return query

    def since(self) -> float | None:
        """Return the time in the address, in seconds since 1970. Raises `Invalid`."""
        found = self.time_argument("since")
        try:
            return None if found is None else found.astimezone(UTC).timestamp()
        except OverflowError:
            raise Invalid("since is outside the years 1 to 9999 in UTC.", field="since") from None


class SessionsHandler(_SessionsHandler):
    """`sessions`"""

    @operation(
        "read",
        gives=CliSessionPage,
        query=(
            Query(name="q", about="words that must all occur in one entry, or in the title"),
            Query(name="runtime", about="only sessions of this runtime"),
            PROJECT,
            Query(name="tag", about="only sessions with this tag"),
            Query(name="grade", about="only sessions with this grade: A, B, C, D or F"),
            Query(name="starred", kind="boolean", about="`true`: only starred sessions"),
            Query(name="archived", kind="boolean", about="`true`: only archived sessions, else left out"),
            Query(name="sub_agents", kind="boolean", about="`true`: the sessions of sub-agents too"),
            SINCE,
            Query(name="limit", kind="integer", about="at most 200"),
            Query(name="cursor", about="`next` of the page before"),
        ),
    )
    async def get(self) -> None:
        """Return a page of the sessions of all agent CLIs that the caller may see, the most recently used first."""
        wanted = SessionFilter(
            query=self.search_text(),
            runtime=self.text_argument("runtime"),
            project=self.path_argument("project"),
            tag=self.text_argument("tag"),
            grade=self.text_argument("grade"),
            starred=self.flag_argument("starred"),
            archived=self.flag_argument("archived"),
            with_sub_agents=self.flag_argument("sub_agents"),
            since=self.since(),
            limit=self.integer_argument("limit", 50),
            cursor=self.integer_argument("cursor", 0),
        )
        self.reply(await self.services.cli_sessions.find(wanted, self.principal))


class SessionHandler(_SessionsHandler):
    """`sessions/{id}`"""

    @operation("read", gives=CliSession)
    async def get(self, session_id: str) -> None:
        """Return one session, with what people have added to it."""
        self.reply(await self.services.cli_sessions.get(session_id, self.principal))

    @operation("write", body=SessionPatch, gives=SessionMarks)
    async def patch(self, session_id: str) -> None:
        """Change its alias, note, tags or star, or archive it. Only the given fields change."""
        patch = self.body(SessionPatch)
        self.reply(await self.services.cli_sessions.change(session_id, patch, self.principal))


class SessionEntriesHandler(_SessionsHandler):
    """`sessions/{id}/entries`"""

    @operation("read", gives=MarkedEntries, query=(BRANCH,))
    async def get(self, session_id: str) -> None:
        """Return the entries with a bookmark or a note, in order, at most 500."""
        branch = self.text_argument("branch") or ""
        self.reply(await self.services.cli_sessions.marked(session_id, self.principal, branch=branch))

    @operation("write", body=EntryPatch, gives=EntryMark)
    async def patch(self, session_id: str) -> None:
        """Bookmark one entry, or add a note to it. Only the given fields change."""
        patch = self.body(EntryPatch)
        self.reply(await self.services.cli_sessions.change_entry(session_id, patch, self.principal))


class SessionTimelineHandler(_SessionsHandler):
    """`sessions/{id}/timeline`"""

    @operation(
        "read",
        gives=Timeline,
        query=(
            Query(name="from", kind="integer", about="number of the first entry; negative: counted from the end"),
            Query(name="limit", kind="integer", about="at most 500"),
            Query(
                name="around",
                about="id of an entry: the page with it instead, of those that begin at multiples of `limit`",
            ),
            BRANCH,
            Query(name="all", kind="boolean", about="`true`: entries of unknown kinds too"),
        ),
    )
    async def get(self, session_id: str) -> None:
        """Return a page of the timeline, and the numbers of its errors, instructions, edits and bookmarks."""
        found = await self.services.cli_sessions.timeline(
            session_id,
            self.principal,
            start=int(max(-(2**53), min(2**53, self.number_argument("from", 0)))),
            limit=self.integer_argument("limit", 200),
            branch=self.text_argument("branch") or "",
            with_unknown=self.flag_argument("all"),
            around=self.text_argument("around") or "",
        )
        self.reply(found)


class SessionMatchesHandler(_SessionsHandler):
    """`sessions/{id}/matches`"""

    @operation(
        "read",
        gives=TimelineMatches,
        query=(
            Query(name="q", about="words that must all occur in one entry"),
            BRANCH,
        ),
    )
    async def get(self, session_id: str) -> None:
        """Return the numbers of the entries of the timeline that contain the words."""
        found = await self.services.cli_sessions.matches(
            session_id, self.principal, query=self.search_text() or "", branch=self.text_argument("branch") or ""
        )
        self.reply(found)


class SessionLastHandler(_SessionsHandler):
    """`sessions/{id}/last`"""

    @operation("read", gives=LastMessage)
    async def get(self, session_id: str) -> None:
        """Return the last answer of the session."""
        self.reply(await self.services.cli_sessions.last(session_id, self.principal))


class SessionHealthHandler(_SessionsHandler):
    """`sessions/{id}/health`"""

    @operation("read", gives=SessionHealth)
    async def get(self, session_id: str) -> None:
        """Return the judgement of the session. Answers 404 for one without an answer."""
        self.reply(await self.services.cli_sessions.health(session_id, self.principal))


class SessionNextPromptsHandler(_SessionsHandler):
    """`sessions/{id}/next-prompts`"""

    @operation("read", gives=NextPrompts, query=(Query(name="run", about="id of the run that POST has started"),))
    async def get(self, session_id: str) -> None:
        """Return the prompts that a run has suggested, or why there are none."""
        run_id = self.text_argument("run") or ""
        self.reply(await self.services.next_prompts.suggested(session_id, run_id, self.principal))

    @operation("execute", gives=Run, status=201)
    async def post(self, session_id: str) -> None:
        """Start a run without tools in which the session's CLI suggests what to ask next."""
        self.reply(await self.services.next_prompts.suggest(session_id, self.principal), 201)


class SessionRunsHandler(_SessionsHandler):
    """`sessions/{id}/runs`"""

    @operation("read", gives=SessionRuns)
    async def get(self, session_id: str) -> None:
        """Return the runs of this server that worked in the session."""
        found = await self.services.continuation.runs(session_id, self.principal)
        self.reply(SessionRuns(items=tuple(found)))


class SessionContinueHandler(_SessionsHandler):
    """`sessions/{id}/continue`"""

    @operation("execute", body=ContinueSession, gives=Run, status=201)
    async def post(self, session_id: str) -> None:
        """Start a run that continues the session, in its own CLI or, with a summary, in another one."""
        new = self.body(ContinueSession)
        self.reply(await self.services.continuation.submit(session_id, new, self.principal), 201)


class SessionExportHandler(_SessionsHandler):
    """`sessions/{id}/export`"""

    @operation(
        "read",
        media="text/markdown",
        query=(Query(name="format", about="`md` (default), `json` or `ipynb`", values=tuple(FORMATS)), BRANCH),
    )
    async def get(self, session_id: str) -> None:
        """Export one branch of the session as Markdown, JSON or a notebook.

        By default, it is the branch that its CLI continues.
        """
        form = self.text_argument("format") or "md"
        if form not in FORMATS:
            raise Invalid("format must be md, json or ipynb.", field="format")
        make, media = FORMATS[form]
        branch = self.text_argument("branch") or ""
        session, entries = await self.services.cli_sessions.entries(session_id, self.principal, branch=branch)
        content = await asyncio.to_thread(make, session, entries)
        self.set_header("Content-Type", media)
        self.set_header("Content-Disposition", f'attachment; filename="session-{session_id[:8]}.{form}"')
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(content)


class SessionReindexHandler(_SessionsHandler):
    """`sessions/reindex`"""

    auth_resource = "cabinet-admin"

    @operation("execute", status=204)
    async def post(self) -> None:
        """Read the transcripts of all sessions again, in the background. What people have added is kept."""
        self.services.cli_sessions.rebuild()
        self.reply_empty()


class ProjectsHandler(_SessionsHandler):
    """`projects`"""

    @operation("read", gives=ProjectList)
    async def get(self) -> None:
        """Return the working directories, tags and runtimes of the sessions, and whether they are being read."""
        self.reply(await self.services.cli_sessions.projects(self.principal))


class UsageHandler(_SessionsHandler):
    """`usage`"""

    @operation("read", gives=UsageTable, query=(SINCE, PROJECT))
    async def get(self) -> None:
        """Return tokens and cost of all sessions by day, runtime, project and model, oldest first."""
        found = await self.services.cli_sessions.usage(
            self.principal, since=self.since(), project=self.path_argument("project")
        )
        self.reply(found)
