"""`activity`: one list of the activity of agents here, and its export."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
from tornado.iostream import StreamClosedError

from ...activity.entries import listed
from ...activity.model import ActivityEntry, ActivityFilter, ActivityPage
from ...activity.notebook import MOST_ENTRIES, notebook_of
from ...core.errors import Invalid, NotAllowed
from ...runs.model import RunFilter
from ..handler import CabinetHandler
from ..operation import Query, operation
from .runs import MAX_PAGE

FILTERS = (
    Query(
        name="person", about="only runs that this person has requested, by user name or whole words of the display name"
    ),
    Query(name="agent", about="only runs of this agent"),
    Query(name="runtime", about="only runs of this runtime"),
    Query(name="kind", about="only runs of this kind"),
    Query(name="state", about="only runs in this state"),
    Query(name="path", about="only runs about this document, or one in this folder"),
    Query(name="since", about="only runs requested at or after this time: ISO 8601, UTC by default"),
    Query(name="until", about="only runs requested before this time"),
    Query(name="changed", kind="boolean", about="`true`: only runs that have changed files"),
    Query(name="asked", kind="boolean", about="`true`: only runs that have requested an approval or asked a question"),
    Query(name="q", about="text in the instruction"),
)
MEDIA = {"jsonl": "application/x-ndjson", "ipynb": "application/x-ipynb+json"}


class _ActivityHandler(CabinetHandler):
    auth_resource = "cabinet-runs"

    def wanted(self, **page: object) -> ActivityFilter:
        """Return the filter in the address. Raises `Invalid` with the field."""
        runs = RunFilter(
            asked_by=self.text_argument("person"),
            agent=self.text_argument("agent"),
            runtime=self.text_argument("runtime"),
            kind=self.text_argument("kind"),
            state=self.text_argument("state"),
            below=self.path_argument("path"),
            since=self.time_argument("since"),
            until=self.time_argument("until"),
            changed=self.flag_argument("changed"),
            query=self.text_argument("q"),
        )
        return ActivityFilter(runs=msgspec.structs.replace(runs, **page), asked=self.flag_argument("asked"))

    async def _may_read_approvals(self, wanted: ActivityFilter) -> bool:
        """Raises `NotAllowed` for a caller without the right to know which runs have asked something."""
        may_read = await self.may("read", "cabinet-approvals")
        if wanted.asked and not may_read:
            raise NotAllowed("You need the right to read approvals to filter runs by their questions.")
        return may_read


class ActivityHandler(_ActivityHandler):
    """`activity`"""

    @operation(
        "read",
        gives=ActivityPage,
        query=(
            *FILTERS,
            Query(name="limit", kind="integer", about="at most 200"),
            Query(name="cursor", about="`next` of the page before"),
        ),
    )
    async def get(self) -> None:
        """Return a page of the runs that the caller may see, newest first, with the questions and changes of each."""
        limit = min(self.integer_argument("limit", 50), MAX_PAGE)
        wanted = self.wanted(limit=limit, cursor=self.text_argument("cursor"))
        may_read = await self._may_read_approvals(wanted)
        found = await self.services.activity.find(wanted, self.principal, with_approvals=may_read)
        last = found[-1].run.id if len(found) >= limit > 0 else None
        self.reply(ActivityPage(items=tuple(map(listed, found)), next=last))


class ActivityExportHandler(_ActivityHandler):
    """`activity/export`"""

    @operation(
        "read",
        media="application/x-ndjson",
        query=(Query(name="format", about="`jsonl` (default) or `ipynb`", values=("jsonl", "ipynb")), *FILTERS),
    )
    async def get(self) -> None:
        """Export the activity list with full texts.

        The export has one entry per line, or is a notebook with the newest 500 runs and their changes.
        """
        form = self.text_argument("format") or "jsonl"
        if form not in MEDIA:
            raise Invalid("format must be jsonl or ipynb.", field="format")
        wanted = self.wanted()
        self.set_header("Content-Type", MEDIA[form])
        self.set_header("Content-Disposition", f'attachment; filename="activity.{form}"')
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        if form == "ipynb":
            self.write(await self._notebook(wanted))
        else:
            await self._write_lines(wanted)

    async def _write_lines(self, wanted: ActivityFilter) -> None:
        try:
            async for page in self._pages(wanted):
                self.write(b"".join(msgspec.json.encode(entry) + b"\n" for entry in page))
                await self.flush()
        except StreamClosedError:  # the reader is gone
            return

    async def _notebook(self, wanted: ActivityFilter) -> bytes:
        async with self.services.activity.one_notebook:
            return await self._made(wanted)

    async def _made(self, wanted: ActivityFilter) -> bytes:
        entries: list[ActivityEntry] = []
        async for page in self._pages(wanted):
            entries += page
            if len(entries) > MOST_ENTRIES:
                break
        diffs = await self.services.activity.diffs(entries[:MOST_ENTRIES])
        title = f"Activity of agents in {self.server_status.root_name}"
        more = len(entries) > MOST_ENTRIES
        made = await asyncio.to_thread(notebook_of, entries[:MOST_ENTRIES], diffs, title=title, more=more)
        return msgspec.json.format(msgspec.json.encode(made), indent=1)

    async def _pages(self, wanted: ActivityFilter) -> AsyncIterator[tuple[ActivityEntry, ...]]:
        """Check the rights again for each page: a long export takes a while."""
        with_approvals = await self._may_read_approvals(wanted)
        async for page in self.services.activity.pages(wanted, self.principal, with_approvals=with_approvals):
            if not await self.may("read"):
                return
            with_approvals = with_approvals and await self.may("read", "cabinet-approvals")
            yield page if with_approvals else tuple(msgspec.structs.replace(each, asked=None) for each in page)
