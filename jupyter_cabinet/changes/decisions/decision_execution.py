"""Decisions about a run's changes: recorded, then carried out, also after a crash in the middle.

Called by `service.py`. `decision_planning.py` determines what a decision means for a file; `restore.py` writes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from ...core.clock import Clock
from ...core.errors import Conflict, Invalid, OutsideRoot
from ...core.events import Scope
from ...core.people import Principal
from ...storage.commits import Commits, ScopedEvent
from .. import store
from ..model import EMPTY_FOLDER, ChangesUpdated, Decide, FileState
from ..record import ChangeRecord, Pending
from ..snapshots.exclusions import NOTHING_EXCLUDED, Exclusions, FolderExclusions
from ..snapshots.objects import Lost, Objects
from . import restore
from .decision_planning import Planner, chosen
from .restore import FileRestore

log = logging.getLogger(__name__)


class WriteHearer(Protocol):
    """Is notified before a decision writes over a file. Called on the event loop."""

    def follows(self, path: str) -> bool:
        """Return whether it wants to be notified about this file."""

    def about_to_write(self, path: str, now: bytes, then: bytes) -> None:
        """Called before a file's content is replaced: `now` by `then`."""


class Deciding:
    """One per server. Callers of `decide` and `carry_out` hold `lock` from before the record is read."""

    def __init__(
        self,
        *,
        root: Path,
        objects: Objects,
        commits: Commits,
        clock: Clock,
        exclusions: Exclusions = NOTHING_EXCLUDED,
    ) -> None:
        self._exclusions = exclusions
        self._root = root
        self._objects = objects
        self._commits = commits
        self._clock = clock
        self.lock = asyncio.Lock()
        self.hearers: list[WriteHearer] = []
        self.on_written: Callable[[str, bytes | None, bytes | None], None] | None = None  # path, content before, after

    async def decide(self, record: ChangeRecord, wanted: Decide, principal: Principal, scope: Scope) -> ChangeRecord:
        """Carry out a person's decision, and return the record with it. Emits `ChangesUpdated`. Callers hold `lock`.

        Raises `Conflict` if the contents are removed, the changes are not known or a file cannot be reverted, and
        `Invalid` for a path or a part that the run has not changed: nothing is written then. Raises `Conflict` with
        `paths` also if these changed during the call: the others are decided then.
        """
        if record.removed_at is not None:
            raise Conflict(record.reason)
        if record.state != "ready":
            raise Conflict(record.reason or "The changes of this run are not known, so nothing can be decided.")
        _check(record, wanted)
        paths = chosen(record, wanted, self._exclusions.of(record.folder))
        pending = await asyncio.to_thread(self.planned, record, wanted, paths, principal.display_name)
        record = msgspec.structs.replace(record, pending=pending)
        await self._put(record)
        record = await self.carry_out(
            record,
            lambda paths: ChangesUpdated(run_id=record.id, paths=paths, decision=wanted.decision, by=principal.person),
            scope,
        )
        decided = pending.decisions.items()
        left = [path for path, decision in decided if record.decision(path, wanted.part) != decision]
        if left:
            raise Conflict(
                "Another program or person has just changed these files. Check them, then try again.", paths=left
            )
        return record

    def planned(self, record: ChangeRecord, wanted: Decide, paths: list[str], by: str) -> Pending:
        """Return the plan of a decision, without changing any file. Blocks: call it off the loop.

        Raises `Conflict` if a path cannot be reverted, or a file cannot be read, and `Invalid` for an unknown part.
        """
        planner = Planner(self._root, self._objects, record, wanted, self._exclusions.of(record.folder))
        try:
            return planner.planned(paths, by, self._clock.now())
        except OSError as error:
            raise Conflict(
                f"A file could not be read: {error.strerror or error}. Nothing was changed. "
                "Check the file, then try again."
            ) from error

    async def carry_out(
        self,
        record: ChangeRecord,
        event: Callable[[tuple[str, ...]], ChangesUpdated] | None = None,
        scope: Scope | None = None,
    ) -> ChangeRecord:
        """Carry out the pending decision, and return the record. Also after a crash in the middle, when nobody is
        notified.

        `event`: the event about the paths that were done. Files that differ from the plan by now, or cannot be written,
        are left unchanged, and their decision stays as it was. This raises nothing.
        """
        pending = record.pending
        assert pending is not None
        await self._tell(pending)
        undone = await asyncio.to_thread(self._take, pending, self._exclusions.of(record.folder))
        done = {path: decision for path, decision in pending.decisions.items() if path not in undone}
        await self._written([step for step in pending.steps if step.about not in undone])
        record = record.decided(done, pending.part)
        told = [ScopedEvent(event(tuple(done)), scope)] if event and scope else []
        await self._commits.commit(lambda c: store.put(c, record), lambda _: told)
        return record

    async def write(self, steps: tuple[FileRestore, ...], folder: str) -> bool:
        """Carry out steps that count as changes of a run that works in `folder`. Return whether all were done."""
        pending = Pending(steps=steps, decisions={})
        async with self.lock:
            await self._tell(pending)
            return not await asyncio.to_thread(self._take, pending, self._exclusions.of(folder))

    async def _tell(self, pending: Pending) -> None:
        for hearer in self.hearers:
            for step in pending.steps:
                if step.old is not None and step.new is not None and hearer.follows(step.path):
                    with suppress(Lost):  # then it is not written either
                        now = await asyncio.to_thread(self._objects.content, step.old.blob)
                        then = await asyncio.to_thread(self._objects.content, step.new.blob)
                        hearer.about_to_write(step.path, now, then)

    async def _written(self, steps: Iterable[FileRestore]) -> None:
        """Record that a run which works there at the same time has not changed these files."""
        for step in steps:
            states = (step.old, step.new)
            if self.on_written is not None and EMPTY_FOLDER not in states:
                with suppress(Lost):
                    old, new = [await asyncio.to_thread(self._content, state) for state in states]
                    self.on_written(step.path, old, new)

    def _content(self, state: FileState | None) -> bytes | None:
        return None if state is None else self._objects.content(state.blob)

    def _take(self, pending: Pending, excluded: FolderExclusions) -> set[str]:
        undone = set()
        for step in pending.steps:
            if step.about in undone:
                continue
            try:
                taken = restore.take(self._root, step, self._objects, excluded)
            except (OSError, OutsideRoot, Lost) as error:
                log.warning("%s cannot be restored: %s", step.path, error)
                taken = False
            if not taken:
                undone.add(step.about)
        return undone

    async def _put(self, record: ChangeRecord) -> None:
        await self._commits.commit(lambda c: store.put(c, record))


def _check(record: ChangeRecord, wanted: Decide) -> None:
    known = {file.path for file in record.files}
    if unknown := set(wanted.paths or ()) - known:
        raise Invalid(f"The run has not changed {sorted(unknown)[0]}.", field="paths")
    if wanted.part is None:
        return
    if wanted.paths is None or len(wanted.paths) != 1:
        raise Invalid("A part belongs to one file. Name the file.", field="part")
    if wanted.paths[0] in record.decisions:
        raise Conflict("The decision was about the whole file. Undo that first.")
