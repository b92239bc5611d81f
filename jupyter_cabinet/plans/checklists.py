"""Keeps plans and their checklists in agreement: new tasks become steps, and the marks of the file show the progress.

What a mark means is decided by `rules/checklist.py`. The file is written before the plan: after a crash in between, the
next comparison finds the marks of the plan's own steps, and writes them again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..core.clock import Clock
from ..core.errors import NotFound
from ..core.ids import new_id
from ..storage.database import Database
from . import store
from .checklist_files import ChecklistFiles
from .model import Checklist, Plan, Step
from .rules.checklist import IN_PROGRESS, Followed, followed

GONE = "Restore it, or locate it if it was renamed or moved."

Change = Callable[[Plan], Plan]


class Checklists:
    """The checklists of all plans. Only one call may be active for a plan: `PlanWork` has a lock."""

    def __init__(self, *, files: ChecklistFiles, database: Database, clock: Clock) -> None:
        self._files = files
        self._database = database
        self._clock = clock

    async def check(self, checklist: Checklist) -> None:
        """Raise `Invalid`, `Malformed` or `NotFound` if the file of a plan is no checklist any more."""
        await self._read(checklist)

    async def follow(self, plan: Plan) -> Change | None:
        """Write the marks of a plan's tasks, and return the change that the file demands of the plan, if there is one.

        None: the plan agrees with the file already, or has none. What was learnt from tasks that have ended is written
        beside the file. The plan is not stored here. Raises as `check`, `Conflict` if somebody writes the file at the
        same time, and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written.
        """
        checklist = plan.checklist
        if checklist is None:
            return None
        text = await self._read(checklist)
        found = followed(plan, checklist, text, new_id)
        await self._note_ended(found, checklist)
        if found.marks:
            await asyncio.to_thread(self._files.mark, checklist.path, text, found.marks)
        if found.plan == plan:
            return None
        return lambda current: followed(current, checklist, text, new_id).plan

    async def _read(self, checklist: Checklist) -> str:
        """Return the text of the file. If it is gone, the message says what a person can do."""
        try:
            return await asyncio.to_thread(self._files.read, checklist.path)
        except NotFound as error:
            raise NotFound(f"{error.message} {GONE}") from None

    async def mark_begun(self, plan: Plan, step: Step) -> None:
        """Mark a task as in progress in its file.

        Nothing happens for a plan without a checklist, or a step without a task. To be called before the folder is
        compared for its run, so that the mark is no change of the run. Raises as `follow`.
        """
        if plan.checklist is None or step.task is None:
            return
        path = plan.checklist.path
        text = await self._read(plan.checklist)
        await asyncio.to_thread(self._files.mark, path, text, {step.task: IN_PROGRESS})

    async def _note_ended(self, found: Followed, checklist: Checklist) -> None:
        """Write what was learnt from tasks that have just ended."""
        for step in found.plan.steps:
            if step.task not in found.marks or step.state not in ("done", "failed", "blocked"):
                continue
            text = step.blocker or step.reason
            if step.state == "done":
                text = await self._handoff(step) or text
            await asyncio.to_thread(self._files.note, checklist.path, step, text, now=self._clock.now())

    async def _handoff(self, step: Step) -> str:
        left = await self._database.read(lambda c: store.latest_of(c, [step.id], "handoff"))
        return left[0].text if left else ""
