"""Changes of runs in the workspace: snapshots before and after, display, accepting, reverting, restoring.

Called by `runs/dispatch/dispatcher.py` (begin, end), `runs/dispatch/reporter.py` (about_to_edit, reported, refused),
`documents/save_guard.py` (saved) and `web/handlers/changes.py` (of, file, decide). It combines `run_comparison.py`,
`decision_execution.py` and `garbage_collection.py`, and decides what is shown of a run.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict, NotFound
from ..core.events import Scope
from ..core.people import Principal
from ..storage.commits import Commits
from ..storage.database import Database
from . import store
from .comparison.comparing import held
from .comparison.differences import diff_of
from .decisions.decision_execution import Deciding, WriteHearer
from .garbage_collection import Collector
from .model import ChangeCounts, ChangedFile, Changes, Decide, FileDiff, FormerPath
from .record import ChangeRecord
from .reports import ReportedCall
from .retention import MEGABYTE, Kept, Retention
from .run_comparison import ChangedRun, WorkingRuns
from .settings import ChangeSettings
from .snapshots.exclusions import NOTHING_EXCLUDED, Exclusions
from .snapshots.folder_snapshots import Looks
from .snapshots.objects import Lost, Objects, Stopped
from .snapshots.scan import Bounds
from .snapshots.stat_cache import StatCache

log = logging.getLogger(__name__)

__all__ = ["ChangedRun", "ReportedCall", "RunChanges"]

CLOSING_SECONDS = 2.0  # how long the end of the server waits for snapshots
LOST = "The contents of this change in .cabinet/changes are damaged or gone, so its lines can no longer be shown."
DEFAULT_SETTINGS = ChangeSettings()


def _bounds(settings: ChangeSettings) -> Bounds:
    return Bounds(settings.changes_folder_files, int(settings.changes_folder_megabytes * MEGABYTE))


class RunChanges:
    """One per server. `folder`: where contents are kept."""

    def __init__(
        self,
        *,
        root: Path,
        folder: Path,
        database: Database,
        commits: Commits,
        clock: Clock,
        settings: ChangeSettings = DEFAULT_SETTINGS,
        exclusions: Exclusions = NOTHING_EXCLUDED,
    ) -> None:
        self._root = root
        self._database = database
        self._commits = commits
        self._clock = clock
        self._objects = Objects(folder)
        self._looks = Looks(root, self._objects, StatCache(folder / "known"), _bounds(settings), exclusions)
        self._working = WorkingRuns(root=root, objects=self._objects, looks=self._looks, put=self._put, clock=clock)
        self._deciding = Deciding(root=root, objects=self._objects, commits=commits, clock=clock, exclusions=exclusions)
        self._deciding.on_written = self._working.saved
        self._compared_late: asyncio.Task[None] | None = None
        self._collector = Collector(
            retention=Retention(self._objects, settings),
            looks=self._looks,
            working=self._working,
            deciding=self._deciding.lock,
            database=database,
            commits=commits,
            clock=clock,
        )

    async def start(self, *, foreign: bool) -> None:
        """Finish reverts that a dead server has started, then compare its runs and collect garbage, both in tasks.

        `foreign`: somebody else wrote the records. Then nothing is reverted or compared.
        """
        if foreign:
            await asyncio.to_thread(self._looks.forget)
        for record in await self._database.read(store.pending):
            if foreign:
                await self._put(msgspec.structs.replace(record, pending=None))
            else:
                await self._deciding.carry_out(record)
        if not foreign:
            self._compared_late = asyncio.create_task(self._compare_late())
        self._collector.collect_soon()

    async def _compare_late(self) -> None:
        """Compare the runs that worked when a server died: changes until now are theirs, later ones are not."""
        for run_id in await self._database.read(store.working):
            try:
                await self._record(run_id)
            except Stopped:
                return
            except NotFound:
                continue  # the run was deleted meanwhile
            except Exception:
                log.exception("The changes of run %s are compared when somebody asks for them", run_id)

    def close_soon(self) -> None:
        """Limit the time for snapshots to 2 seconds from now, because the server stops. It does not wait.

        Runs that are not compared by then are compared when a person requests their changes.
        """
        self._clock.call_at(self._clock.monotonic() + CLOSING_SECONDS, self._close)

    def _close(self) -> None:
        self._looks.close()
        self._collector.close()

    async def stop(self) -> None:
        """End snapshots and the garbage collection, wait for saves, and close the files."""
        self._close()
        if self._compared_late is not None:
            await asyncio.gather(self._compared_late, return_exceptions=True)
        await self._collector.stop()
        await self._working.saved_all()
        await asyncio.to_thread(self._looks.save)
        await asyncio.to_thread(self._objects.close)

    def hear_writes(self, hearer: WriteHearer) -> None:
        """Notify it about each file that a decision is about to write over."""
        self._deciding.hearers.append(hearer)

    # --- for runs --------------------------------------------------------------------------

    async def begin(self, run: ChangedRun) -> None:
        """Take a snapshot before the run's CLI gets its instruction. Another attempt keeps the first snapshot.

        If the folder cannot be scanned, nothing is raised: the run's changes contain the reason. A caller that is
        cancelled does not wait for the snapshot, and nothing of it is kept.
        """
        if self._compared_late is not None and run.id not in self._working.records:
            await asyncio.shield(self._compared_late)  # changes of this run are not theirs
        await self._working.begin(run)

    async def end(self, run_id: str) -> ChangeCounts | None:
        """Compare, once the run's CLI has answered or is gone. Return the numbers, which are zero if nothing has
        changed.

        None: it was not compared, because of an error or because the server ends, or only some files were, and none of
        them has changed.
        """
        try:
            return await self._working.end(run_id)
        finally:
            self._collector.collect_soon()

    async def about_to_edit(self, run_id: str, paths: Iterable[str]) -> None:
        """Keep files that the run's CLI asks to edit, if the folder is too large for a full snapshot. Errors are only
        logged.

        `paths`: as the CLI names them. Call it before the edit is allowed.
        """
        await self._working.about_to_edit(run_id, paths)

    def reported(self, run_id: str, call: ReportedCall) -> None:
        """Record that the run's CLI edits files, or uses a tool that may change any file.

        A run that does not work is ignored.
        """
        self._working.reported(run_id, call)

    def refused(self, run_id: str, call_id: str) -> None:
        """Record that a reported call was not carried out."""
        self._working.refused(run_id, call_id)

    async def bring_from_former_path(self, run_id: str, old: str, new: str) -> FormerPath:
        """Move what a working run's agent wrote at the former path `old` of its document into the document, `new`.

        This is a change of the run. Return `brought` if it was done, `unwritten` if the agent has not written there,
        and `kept` if both files stay: the texts do not belong together, a person may have changed the document since it
        was renamed, or the run does not work.
        """
        steps = await self._working.former_path(run_id, old, new)
        if not steps:
            return "unwritten" if steps is not None else "kept"
        self._working.reported(run_id, ReportedCall("", (str(self._root / new),), anything=False))
        return "brought" if await self._deciding.write(steps, self._working.records[run_id].folder) else "kept"

    async def forget(self, run_id: str) -> None:
        """Delete the record of a run's changes, if there is one.

        Its contents remain until the next garbage collection.
        """
        await self._commits.commit(lambda c: store.remove(c, run_id))

    async def kept(self) -> Kept:
        """Return the disk usage of all runs. Raises `ShuttingDown` if the server stops meanwhile."""
        return await self._collector.kept()

    async def collect(self) -> None:
        """Remove contents that are too old or too many.

        Those with a decision in the meantime stay. Raises `Stopped`.
        """
        await self._collector.collect()

    # --- for documents ---------------------------------------------------------------------

    def follows(self, path: str) -> bool:
        """Return whether saves of this document must be reported."""
        return self._working.follows(path)

    def saved(self, path: str, old: bytes | None, new: bytes) -> None:
        """Record that a person has saved a document: its file contained `old`, and now contains `new`.

        This is not an agent's change. `old`: None if there was no file. It is taken into account in a task.
        """
        self._working.saved(path, old, new)

    async def moved(self, old: str, new: str) -> None:
        """Record that a person has renamed or moved a file or a folder in JupyterLab.

        This is not an agent's change. It is taken into account in a task, which this does not wait for.
        """
        self._working.moved(old, new)

    # --- for people ------------------------------------------------------------------------

    async def of(self, run_id: str) -> Changes:
        """Return the changes of the run; without files while it works. Raises `NotFound` if they are not kept.

        A run whose server has died is compared now, which may take a while. Whether the caller may see the run is not
        checked.
        """
        record = self._working.records.get(run_id)
        if record is not None:
            return record.shown()
        return (await self._record(run_id)).shown()

    async def file(self, run_id: str, path: str) -> FileDiff:
        """Return the lines of one file. Raises `NotFound` if the run has not changed it, or if its changes are not
        kept.

        If its content is damaged, gone or removed, there are no lines, and `note` says so.
        """
        record = await self._record(run_id)
        changed = next((file for file in record.files if file.path == path), None)
        if changed is None:
            raise NotFound("The run has not changed this file.", field="path")
        if record.removed_at is not None:
            return FileDiff(path=path, old_path=changed.old_path, kind=changed.kind, note=record.reason)
        return await asyncio.to_thread(self._diff, record, changed)

    def _diff(self, record: ChangeRecord, file: ChangedFile) -> FileDiff:
        try:
            before = record.left_before(self._objects.left_of(record.before)).at(file.old_path or file.path)
            after = self._objects.left_of(record.after).at(file.path)
            old, new = held(self._objects, before), held(self._objects, after)
        except Lost:
            return FileDiff(path=file.path, old_path=file.old_path, kind=file.kind, note=LOST)
        diff = diff_of(file, old[1] if old else b"", new[1] if new else b"")
        decided = record.parts.get(file.path, {})
        parts = (msgspec.structs.replace(part, decision=decided.get(part.id)) for part in diff.parts)
        return msgspec.structs.replace(diff, parts=tuple(parts))

    async def decide(self, run_id: str, wanted: Decide, principal: Principal, scope: Scope) -> Changes:
        """Accept or revert changes, or undo a decision. Return the changes afterwards. Emits `ChangesUpdated`.

        Raises `Conflict` if the run still works, or with the `paths` that somebody has edited since: nothing is written
        then, except if a file was edited during the call. Raises `NotFound` if its changes are not kept, and `Invalid`
        for a path or a part that it has not changed. Whether the caller may is not checked.
        """
        async with self._deciding.lock:
            if run_id in self._working.records:
                raise Conflict("The run is still working. You can decide about its changes when it has ended.")
            record = await self._record(run_id)
            return (await self._deciding.decide(record, wanted, principal, scope)).shown()

    async def _record(self, run_id: str) -> ChangeRecord:
        record = await self._database.read(lambda c: store.load(c, run_id))
        if record is None:
            raise NotFound("The changes of this run are not kept.")
        if record.state == "working":  # its server has died: all changes until now are compared
            record = msgspec.structs.replace(await self._working.compared(record), late=True)
            await self._put(record)
        return record

    async def _put(self, record: ChangeRecord) -> None:
        await self._commits.commit(lambda c: store.put(c, record))
