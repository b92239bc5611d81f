"""Takes snapshots of a run's folder before and after it, and attributes saves during the run to people.

Called by `service.py`. A run never fails because its changes cannot be compared: they contain the reason instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..core.clock import Clock
from ..core.errors import CabinetError
from ..core.paths import folder_below
from .comparison.attribution import attributed
from .comparison.comparing import compared
from .comparison.differences import summed, taken_back
from .decisions import restore
from .decisions.restore import FileRestore
from .model import FILE_MODE, LARGEST_FILE, ChangeCounts, FileState
from .record import ChangeRecord
from .renamed_documents import RenamedDocuments
from .reports import ReportedCall, Reports
from .retention import MEGABYTE
from .snapshots.exclusions import FolderExclusions
from .snapshots.folder_snapshots import Looks
from .snapshots.objects import Lost, Objects, Stopped
from .snapshots.partial_snapshot import is_below

log = logging.getLogger(__name__)

PARTIAL = (
    "The folder holds more than {files} files or {megabytes:g} MB, so only {seen} of them were compared: the "
    "run's document, and those that git tracks, that were compared before, that somebody saved in JupyterLab, or "
    "that the agent asked to edit."
)
EXCLUDED = (
    "The agent reports that it edited {path}{others}, which is never compared ({why}). It cannot be reverted here."
)
CLOSED = "The server was stopped before the folder was scanned, so the changes of this run are not kept."
DAMAGED = (
    "The changes of this run can no longer be compared: the files in .cabinet/changes with the state before the "
    "run are damaged or gone."
)
NOT_COMPARED = "The changes of this run could not be compared. The reason is in the server's log."

Put = Callable[[ChangeRecord], Awaitable[None]]


class ChangedRun(NamedTuple):
    """A run, as this room knows it.

    `typed`: it was typed into an open CLI, which already works. `path`: of its document, relative to the server's root.
    `reports`: its CLI reports every tool call.
    """

    id: str
    cwd: str
    typed: bool = False
    path: str | None = None
    reports: bool = True


class Mixed:
    """The agent and a person have changed the same lines."""


class WorkingRuns:
    """One per server. `put` puts a record into the database."""

    def __init__(self, *, root: Path, objects: Objects, looks: Looks, put: Put, clock: Clock) -> None:
        self._root = root
        self._objects = objects
        self._looks = looks
        self._put = put
        self._clock = clock
        self.saving = asyncio.Lock()
        self._saves: set[asyncio.Task[None]] = set()
        self.records: dict[str, ChangeRecord] = {}  # by run
        self._renamed = RenamedDocuments(root, objects, looks)
        self._reports = Reports(root)

    async def saved_all(self) -> None:
        """Wait until all saves and moves so far have been taken into account."""
        await asyncio.gather(*self._saves)

    # --- before and after ------------------------------------------------------------------

    async def begin(self, run: ChangedRun) -> None:
        """Take a snapshot before a run, and record it. See `RunChanges.begin`.

        A folder that cannot be scanned raises nothing: the record contains the reason. A run outside the root is not
        recorded.
        """
        await self.saved_all()
        if run.id in self.records:
            return
        folder = await asyncio.to_thread(self._folder, run.cwd)
        if folder is None:
            return  # its execution reports why
        record = ChangeRecord(id=run.id, folder=folder, state="working", begun_at=self._clock.now())
        beside = [other for other in self.records.values() if _overlap(other.folder, folder)]
        record = msgspec.structs.replace(record, beside=tuple(other.id for other in beside))
        self.records[run.id] = record
        if run.path is not None:
            self._renamed.begin(run.id, run.path)
        self._reports.begin(run.id, folder, silent=not run.reports)
        for other in beside:
            self._set(other.id, beside=(*other.beside, run.id))
        try:
            for other in beside:  # recorded before this run can change anything: a server may die
                if other.id in self.records and self.records[other.id].before:
                    await self._change(other.id)
            await self._look_before(run, folder)
        except asyncio.CancelledError:
            del self.records[run.id]
            self._renamed.forget(run.id)
            raise

    async def _look_before(self, run: ChangedRun, folder: str) -> None:
        try:
            baseline = self._looks.baselines.get(folder) if run.typed else None
            found = await self._looks.look(folder, document=run.path) if baseline is None else baseline
            before = await asyncio.to_thread(self._objects.put_listing, found.files)
            await self._change(run.id, before=before, partial=not found.whole)
        except Stopped:
            self._set(run.id, state="failed", reason=CLOSED)
        except Exception:
            log.exception("The folder of run %s could not be scanned", run.id)
            self._set(run.id, state="failed", reason=NOT_COMPARED)

    def _folder(self, cwd: str) -> str | None:
        """Return the real folder of a run, relative to the root, "" for the root itself.

        None if it is outside of the root: the record may have been changed since it was accepted.
        """
        try:
            real = folder_below(self._root, cwd)
        except CabinetError:
            return None
        return "" if real == self._root.resolve() else real.relative_to(self._root.resolve()).as_posix()

    async def end(self, run_id: str) -> ChangeCounts | None:
        """Compare a run with the snapshot before it, and return the numbers; None if it was not compared. It is then
        forgotten.

        Errors are only logged. See `RunChanges.end`.
        """
        await self.saved_all()
        record = self.records.get(run_id)
        if record is None:
            return None
        try:
            record = await self.compared(record)
            await self._put(record)
        except Stopped:
            return None  # it is still recorded as working: it is compared when somebody asks
        except Exception:
            log.exception("The changes of run %s could not be recorded", run_id)
            return None
        finally:
            self.records.pop(run_id, None)
            self._renamed.forget(run_id)
            self._reports.keep({each for one in self.records.values() for each in (one.id, *one.beside)})
        if record.state != "ready" or (record.partial and not record.files):
            return None
        return summed(record.files)

    async def compared(self, record: ChangeRecord) -> ChangeRecord:
        """Return the record with the changes, or in the state `failed` with the reason why they are not known.

        A record that is not `working` is returned as it is. It is not stored. Raises `Stopped` when the server ends.
        """
        if record.state != "working":
            return record
        try:
            return await self._compare_with_now(record)
        except Stopped:
            raise
        except Lost:
            log.warning("The changes of run %s cannot be compared: listings are damaged or gone", record.id)
            return msgspec.structs.replace(record, state="failed", reason=DAMAGED)
        except Exception:
            log.exception("The changes of run %s could not be compared", record.id)
            return msgspec.structs.replace(record, state="failed", reason=NOT_COMPARED)

    async def _compare_with_now(self, record: ChangeRecord) -> ChangeRecord:
        before = await asyncio.to_thread(self._objects.listing, record.before)
        named = {**before, **record.amended}
        found = await self._looks.look(record.folder, named, whole=not record.partial)
        record = self.records.get(record.id, record)  # somebody may have saved a document meanwhile
        excluded = self._looks.exclusions.of(record.folder)
        record = await asyncio.to_thread(compared, self._objects, record, named, found, excluded)
        if record.beside:
            runs = (record.id, *record.beside)
            own, *others = await asyncio.to_thread(lambda: [self._reports.of(run) for run in runs])
            record = msgspec.structs.replace(record, files=attributed(record.files, own, others))
        if record.partial:
            return msgspec.structs.replace(record, reason=self._partial(len(named)))
        return msgspec.structs.replace(record, reason=self._never_compared(record, excluded))

    def _never_compared(self, record: ChangeRecord, excluded: FolderExclusions) -> str:
        """Name the files that the CLI reported as edited and that are not kept, whatever it did to them."""
        found: dict[str, str] = {}
        for path in self._reports.edited(record.id):
            own = self._reports.own(record.folder, path)
            if own is not None and (why := excluded.why_at_or_above(own)):
                found[own] = why
        if not found:
            return ""
        path, why = next(iter(found.items()))
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        return EXCLUDED.format(path=path, others=others, why=why)

    def _partial(self, seen: int) -> str:
        files, size = self._looks.bounds
        return PARTIAL.format(files=files, megabytes=size / MEGABYTE, seen=seen)

    # --- saves of people ---------------------------------------------------------------------

    def follows(self, path: str) -> bool:
        """Return whether saves of this document must be reported: a run works in its folder, or has."""
        folders = [*self._looks.baselines, *(record.folder for record in self.records.values())]
        return any(self._looks.compares(path, folder) for folder in folders)

    def saved(self, path: str, old: bytes | None, new: bytes | None) -> None:
        """Take a person's save into account, in a task. See `RunChanges.saved`.

        A decision about another run's changes counts as well; `new` is None for a file that it has removed. Equal
        contents, and files of more than 20 MiB, are ignored.
        """
        if old != new and max(len(old or b""), len(new or b"")) <= LARGEST_FILE:
            self._take_in(self._take_save(path, old, new))

    def moved(self, old: str, new: str) -> None:
        """Take a person's rename into account, in a task. See `RunChanges.moved`."""
        self._take_in(self._take_move(old, new))

    def _take_in(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._saves.add(task)
        task.add_done_callback(self._saves.discard)

    async def _take_move(self, old: str, new: str) -> None:
        try:
            async with self.saving:
                for folder, found in list(self._looks.baselines.items()):
                    moved = self._moved(folder, dict(found.files), old, new)
                    files = {path: state for path, state in moved.items() if state is not None}
                    self._looks.baselines[folder] = found._replace(files=files)
                for run_id in list(self.records):
                    await self._move_before(run_id, old, new)
        except Exception:
            log.exception("The move of %s to %s may count as a change of the run that works there", old, new)

    async def _move_before(self, run_id: str, old: str, new: str) -> None:
        """From now on, the files before the run count as if they had been at their new paths."""
        record = self.records.get(run_id)
        if record is None or record.state != "working" or not record.before:
            return
        before = await asyncio.to_thread(self._objects.listing, record.before)
        record = self.records.get(run_id)
        if record is not None:
            named = {**before, **record.amended}
            moved = self._moved(record.folder, named, old, new)
            changed = {path: state for path, state in moved.items() if path not in named or named[path] != state}
            if changed:
                await self._change(run_id, amended={**record.amended, **changed})
            await self._renamed.moved(run_id, old, new, moved)

    async def former_path(self, run_id: str, old: str, new: str) -> tuple[FileRestore, ...] | None:
        """Return what `RenamedDocuments.former_path` returns; None also for a run that does not work.

        Waits for earlier saves.
        """
        await self.saved_all()
        record = self.records.get(run_id)
        if record is None or record.state != "working" or not record.before:
            return None
        async with self.saving:
            return await asyncio.to_thread(self._renamed.former_path, self.records[run_id], old, new)

    def _moved(
        self, folder: str, files: dict[str, FileState | None], old: str, new: str
    ) -> dict[str, FileState | None]:
        """Return `files` with those at or below `old` moved to `new`, if that is compared; old paths stay, as None."""
        moved = dict(files)
        for path, state in files.items():
            if path == old or is_below(path, old):
                moved[path] = None
                target = f"{new}{path[len(old) :]}"
                if self._looks.compares(target, folder):
                    moved[target] = state
        return moved

    async def _take_save(self, path: str, old: bytes | None, new: bytes | None) -> None:
        try:
            async with self.saving:  # one after the other, in the order of arrival
                await self._told(path, old, new)
        except Exception:
            log.exception("A save of %s may count as a change of the run that works there", path)

    async def _told(self, path: str, old: bytes | None, new: bytes | None) -> None:
        for folder, found in list(self._looks.baselines.items()):
            if self._looks.compares(path, folder):
                files = {each: state for each, state in found.files.items() if each != path}
                if new is not None:
                    files[path] = await asyncio.to_thread(self._file, new, found.files.get(path))
                self._looks.baselines[folder] = found._replace(files=files)
        for run_id in [record.id for record in self.records.values() if self._looks.compares(path, record.folder)]:
            await self._amend(run_id, path, old, new)

    async def _amend(self, run_id: str, path: str, old: bytes | None, new: bytes | None) -> None:
        record = self.records.get(run_id)
        if record is None or record.state != "working" or not record.before:
            return
        before = await asyncio.to_thread(self._objects.listing, record.before)
        without = record.amended.get(path, before.get(path))
        if record.partial and path not in record.amended and path not in before:  # it is seen from now on
            old = None
        target = await asyncio.to_thread(self._without_agent, path, without, old, new)
        record = self.records.get(run_id)
        if record is None:
            return
        if isinstance(target, Mixed):
            await self._change(run_id, mixed=tuple(sorted({*record.mixed, path})))
        else:
            await self._change(run_id, amended={**record.amended, path: target})

    def _without_agent(
        self, path: str, without: FileState | None, old: bytes | None, new: bytes | None
    ) -> FileState | Mixed | None:
        """Return the document's state with only people's edits; None: it would not exist."""
        content = None if without is None else self._objects.content(without.blob)
        if content == old:
            return None if new is None else self._file(new, without)
        if without is None or old is None or new is None:
            return Mixed()
        states = (without, without, without)
        found = taken_back(path, base=old, present=content or b"", target=new, states=states)
        return Mixed() if found is None else self._file(found, without)

    def _file(self, content: bytes, like: FileState | None) -> FileState:
        mode = FILE_MODE if like is None else like.mode
        return FileState(mode=mode, blob=self._objects.put_content(content))

    # --- reports of the CLI -------------------------------------------------------------------

    async def about_to_edit(self, run_id: str, paths: Iterable[str]) -> None:
        """Keep the files that a run's CLI asks to edit. See `RunChanges.about_to_edit`."""
        if run_id in self.records and self.records[run_id].partial:
            try:
                async with self.saving:
                    await self._keep(run_id, [self._own(self.records[run_id].folder, path) for path in paths])
            except Exception:
                log.exception("The files that run %s is about to edit could not be kept", run_id)

    async def _keep(self, run_id: str, paths: Iterable[str | None]) -> None:
        before = await asyncio.to_thread(self._objects.listing, self.records[run_id].before)
        kept: dict[str, FileState | None] = {}
        for path in paths:
            if path is not None and path not in before and path not in self.records[run_id].amended:
                with suppress(OSError):  # not a file, or not compared
                    kept[path] = await asyncio.to_thread(restore.state_of, self._root, path, self._objects)
        if kept and run_id in self.records:
            await self._change(run_id, amended={**kept, **self.records[run_id].amended})

    def reported(self, run_id: str, call: ReportedCall) -> None:
        """Record a tool call of a run's CLI; ignore one of a run that does not work. See `RunChanges.reported`."""
        record = self.records.get(run_id)
        if record is None:
            return
        self._reports.add(run_id, call)
        if record.partial:
            found = {path for each in call.edits if (path := self._own(record.folder, each)) is not None}
            self._set(run_id, told=tuple(sorted({*record.told, *found})))

    def refused(self, run_id: str, call_id: str) -> None:
        """Record that a reported call was not carried out; ignore an unknown one."""
        self._reports.refuse(run_id, call_id)

    def _own(self, folder: str, path: str) -> str | None:
        """Like `Reports.own`, if it is compared."""
        own = self._reports.own(folder, path)
        return own if own is not None and self._looks.compares(own, folder) else None

    async def _change(self, run_id: str, **changes: object) -> None:
        await self._put(self._set(run_id, **changes))

    def _set(self, run_id: str, **changes: object) -> ChangeRecord:
        record = self.records[run_id] = msgspec.structs.replace(self.records[run_id], **changes)
        return record


def _overlap(one: str, other: str) -> bool:
    return one == other or is_below(f"{one}/", other) or is_below(f"{other}/", one)
