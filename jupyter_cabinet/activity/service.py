"""The activity list: every run that the caller may see, with its approvals and changes.

It stores nothing: a page is one query of each of three tables. Called by `web/handlers/activity.py`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import islice

import msgspec

from ..agents.roster.roster import Roster
from ..approvals import store as approvals
from ..approvals.model import Approval
from ..changes import store as changes
from ..changes.service import RunChanges
from ..core.errors import NotFound
from ..core.people import Principal
from ..runs.service import Runs
from ..storage.database import Database
from ..storage.rows import MAX_PAGE
from .entries import entry_of
from .model import ActivityEntry, ActivityFilter
from .notebook import Diffs, cut, shown_files

MOST_LINES_IN_ALL = 20_000
MOST_DIFFS = 1000  # files whose lines a notebook shows: each is read and compared


class ActivityList:
    """Joins the runs, approvals and changes that a caller may see, page by page."""

    def __init__(self, *, database: Database, runs: Runs, changes: RunChanges, agents: Roster) -> None:
        self._database = database
        self._agents = agents
        self._runs = runs
        self._changes = changes
        self.one_notebook = asyncio.Lock()  # made at the same time: each holds its text in memory

    async def find(
        self, wanted: ActivityFilter, principal: Principal, *, with_approvals: bool
    ) -> tuple[ActivityEntry, ...]:
        """Return a page, newest first, with full texts; empty if nothing fits.

        `with_approvals`: whether the caller may read approvals; if not, `asked` of each entry is None.
        """
        asked = approvals.has_asked if wanted.asked else None
        runs = await self._runs.find(wanted.runs, principal, also=asked)
        ids = [run.id for run in runs]
        questions = await self._questions(ids) if with_approvals else None
        known = {one.id: one.shown() for one in await self._database.read(lambda c: changes.of_runs(c, ids))}
        names = await self._agents.names(principal) if any(run.agent for run in runs) else {}
        return tuple(
            entry_of(
                run,
                None if questions is None else tuple(questions[run.id]),
                known.get(run.id),
                names.get(run.agent or "", ""),
            )
            for run in runs
        )

    async def pages(
        self, wanted: ActivityFilter, principal: Principal, *, with_approvals: bool
    ) -> AsyncIterator[tuple[ActivityEntry, ...]]:
        """Yield all of it, newest first, page by page, with full texts. The limit in `wanted` is ignored."""
        while True:
            runs = msgspec.structs.replace(wanted.runs, limit=MAX_PAGE)
            wanted = msgspec.structs.replace(wanted, runs=runs)
            page = await self.find(wanted, principal, with_approvals=with_approvals)
            if not page:
                return
            yield page
            wanted = msgspec.structs.replace(wanted, runs=msgspec.structs.replace(runs, cursor=page[-1].run.id))

    async def diffs(self, entries: Sequence[ActivityEntry]) -> Diffs:
        """Return the lines of the files that a notebook shows, by run and path.

        Files whose record was deleted are left out, and so are those after the first 1000. After 20,000 lines,
        differences have no lines.
        """
        found, room = {}, MOST_LINES_IN_ALL
        files = ((entry.run.id, file.path) for entry in entries for file in shown_files(entry))
        for run_id, path in islice(files, MOST_DIFFS):
            with suppress(NotFound):  # its record was deleted meanwhile
                found[(run_id, path)] = cut(await self._changes.file(run_id, path), room)
                room -= sum(len(part.lines) + len(part.other_lines) for part in found[(run_id, path)].parts)
        return found

    async def _questions(self, ids: list[str]) -> defaultdict[str, list[Approval]]:
        found: defaultdict[str, list[Approval]] = defaultdict(list)
        for approval in await self._database.read(lambda c: approvals.of_runs(c, ids)):
            found[approval.run_id].append(approval)
        return found
