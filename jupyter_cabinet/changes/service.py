"""What runs change in the workspace: looked at before and after each, shown, accepted, taken back and put again.

Called by `runs/dispatcher.py` (begin, end), `web/saves.py` (saved) and `web/changes.py` (of, file, decide). A run never
fails because its changes cannot be compared: that is said with them.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..core.clock import Clock
from ..core.errors import CabinetError, Conflict, Invalid, NotFound
from ..core.events import Scope
from ..core.paths import folder_below
from ..core.people import Principal
from ..storage.commits import Commits, Told
from ..storage.database import Database
from . import restore, store
from .decisions import Planner, chosen
from .differences import changed_file, diff_of, summed, taken_back
from .model import (
    FILE_MODE,
    LARGEST_FILE,
    ChangeCounts,
    ChangedFile,
    Changes,
    ChangesUpdated,
    Decide,
    FileDiff,
    FileState,
)
from .objects import Difference, Objects
from .record import ChangeRecord, Pending
from .renames import renamed
from .retention import MEGABYTE, Kept, Retention
from .scan import MOST_FILES, Found, Scanner, Stopped, TooLarge
from .settings import ChangeSettings
from .stat_cache import StatCache

log = logging.getLogger(__name__)

MOST_COMPARED = 2_000  # files whose lines are counted
TOO_LARGE = f"The folder holds more than {MOST_FILES} files or 2 GiB, so the changes of this run are not kept."
DEFAULT_SETTINGS = ChangeSettings()
COLLECT_SECONDS = 600.0  # at least, from one look through what is kept to the next
CLOSING_SECONDS = 2.0  # for which the end of the server waits for looks at folders
CLOSED = "The server was stopped before the folder was looked at, so the changes of this run are not kept."
NOT_COMPARED = "The changes of this run could not be compared. The server's log says why."

Files = dict[str, FileState]


class ChangedRun(NamedTuple):
    """A run, as far as this room knows one. `typed`: it was typed into an open CLI, which works already."""

    id: str
    cwd: str
    typed: bool = False


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
    ) -> None:
        self._root = root
        self._objects = Objects(folder)
        self._settings = settings
        self._cache = StatCache(folder / "known")
        self._retention = Retention(self._objects, settings)
        self._collecting: asyncio.Task[None] | None = None
        self._collected_at: float | None = None  # monotonic
        self._database = database
        self._commits = commits
        self._clock = clock
        self._scanners: dict[str, Scanner] = {}
        self._looking = asyncio.Lock()  # one look at a time: it takes a disk's time
        self._deciding = asyncio.Lock()
        self._saving = asyncio.Lock()
        self._saves: set[asyncio.Task[None]] = set()
        self._baselines: dict[str, Files] = {}  # by folder: as it was when a turn ended or a document was saved
        self._working: dict[str, ChangeRecord] = {}
        self._looks: set[threading.Event] = set()  # set: that look ends
        self._closed = False  # no folder is looked at any more

    async def start(self, *, foreign: bool) -> None:
        """Finish what a server that died has begun to take back. `foreign`: somebody else wrote the records."""
        if foreign:
            await asyncio.to_thread(self._cache.forget)
        for record in await self._database.read(store.pending):
            if foreign:
                await self._put(msgspec.structs.replace(record, pending=None))
            else:
                await self._carry_out(record)
        self._collect_soon()

    def close_soon(self) -> None:
        """The server ends: looks at folders have so long. What is not compared by then is when somebody asks for it."""
        self._clock.call_at(self._clock.monotonic() + CLOSING_SECONDS, self._stop_looks)

    def _stop_looks(self) -> None:
        self._closed = True
        if self._collecting is not None:
            self._collecting.cancel()
        for look in self._looks:
            look.set()

    async def stop(self) -> None:
        """Let the files go."""
        self._stop_looks()
        if self._collecting is not None:
            await asyncio.gather(self._collecting, return_exceptions=True)
        await asyncio.gather(*self._saves)
        await asyncio.to_thread(self._save_known)
        await asyncio.to_thread(self._objects.close)

    def _save_known(self) -> None:
        for scanner in self._scanners.values():
            scanner.save()

    # --- for runs --------------------------------------------------------------------------

    async def begin(self, run: ChangedRun) -> None:
        """Look at the folder before the run's CLI gets its instruction. Another attempt keeps the first look.

        Whoever cancels it does not wait for the look, and nothing is kept of it.
        """
        await asyncio.gather(*self._saves)
        if run.id in self._working:
            return
        folder = await asyncio.to_thread(self._folder, run.cwd)
        if folder is None:
            return  # its execution says why
        record = ChangeRecord(id=run.id, folder=folder, state="working", begun_at=self._clock.now())
        beside = [other for other in self._working.values() if _overlap(other.folder, folder)]
        for other in beside:
            self._set(other.id, beside=(*other.beside, run.id))
        record = msgspec.structs.replace(record, beside=tuple(other.id for other in beside))
        self._working[run.id] = record
        try:
            await self._look_before(run, folder)
        except asyncio.CancelledError:
            del self._working[run.id]
            raise

    async def _look_before(self, run: ChangedRun, folder: str) -> None:
        try:
            baseline = self._baselines.get(folder) if run.typed else None
            files = (await self._look(folder)).files if baseline is None else baseline
            before = await asyncio.to_thread(self._objects.put_listing, files)
            await self._change(run.id, before=before)
        except TooLarge:
            self._set(run.id, state="too_large", reason=TOO_LARGE)
        except Stopped:
            self._set(run.id, state="failed", reason=CLOSED)
        except Exception:
            log.exception("The folder of run %s cannot be looked at", run.id)
            self._set(run.id, state="failed", reason=NOT_COMPARED)

    def _folder(self, cwd: str) -> str | None:
        """The real folder of a run, relative to the root, "" for itself. None where it is none of the server's: its
        record may have been changed since it was accepted."""
        try:
            real = folder_below(self._root, cwd)
        except CabinetError:
            return None
        return "" if real == self._root.resolve() else real.relative_to(self._root.resolve()).as_posix()

    async def end(self, run_id: str) -> ChangeCounts | None:
        """Compare, once the run's CLI has answered or is gone; what has changed, in numbers. None: it was not
        compared."""
        await asyncio.gather(*self._saves)
        record = self._working.get(run_id)
        if record is None:
            return None
        try:
            record = await self._compared(record)
            await self._put(record)
        except Stopped:
            return None  # on record it works still: it is compared when somebody asks
        except Exception:
            log.exception("What run %s has changed cannot be put on record", run_id)
            return None
        finally:
            self._working.pop(run_id, None)
            self._collect_soon()
        return summed(record.files) if record.state == "ready" else None

    async def forget(self, run_id: str) -> None:
        """The run's record is deleted. Contents stay until they are collected."""
        await self._commits.commit(lambda c: store.remove(c, run_id))

    async def _compared(self, record: ChangeRecord) -> ChangeRecord:
        """The record with what has changed, or with the reason why that is not known."""
        if record.state != "working":
            return record
        try:
            return await self._compare_with_now(record)
        except TooLarge:
            return msgspec.structs.replace(record, state="too_large", reason=TOO_LARGE)
        except Stopped:
            raise
        except Exception:
            log.exception("What run %s has changed cannot be compared", record.id)
            return msgspec.structs.replace(record, state="failed", reason=NOT_COMPARED)

    async def _compare_with_now(self, record: ChangeRecord) -> ChangeRecord:
        before = await asyncio.to_thread(self._objects.listing, record.before)
        found = await self._look(record.folder, tracked=before)
        record = self._working.get(record.id, record)  # somebody may have saved a document meanwhile
        return await asyncio.to_thread(self._compare, record, before, found)

    def _compare(self, record: ChangeRecord, before: Files, found: Found) -> ChangeRecord:
        old = record.files_before(before)
        after = self._objects.put_listing(found.files)
        differences = self._objects.differences(self._objects.put_listing(old), after)
        files = [self._changed(*each, record.mixed) for each in self._paired(differences)[:MOST_COMPARED]]
        return msgspec.structs.replace(
            record, state="ready", after=after, files=tuple(files), left_out=tuple(found.left_out)
        )

    def _paired(self, differences: list[Difference]) -> list[tuple[Difference, str | None]]:
        """A file that was renamed is one of them, with its old path."""
        gone = {path: old for path, old, new in differences if old is not None and new is None}
        come = {path: new for path, old, new in differences if old is None and new is not None}
        old_paths = renamed(gone, come, self._objects.content)
        moved = set(old_paths.values())
        found = []
        for path, old, new in differences:
            if path not in moved:
                old_path = old_paths.get(path)
                found.append((Difference(path, gone[old_path] if old_path else old, new), old_path))
        return found

    def _changed(self, difference: Difference, old_path: str | None, mixed: tuple[str, ...]) -> ChangedFile:
        path, old, new = difference
        both = path in mixed or old_path in mixed
        return changed_file(path, self._held(old), self._held(new), mixed=both, old_path=old_path)

    def _held(self, state: FileState | None) -> tuple[FileState, bytes] | None:
        return None if state is None else (state, self._objects.content(state.blob))

    async def _look(self, folder: str, tracked: Mapping[str, FileState] | None = None) -> Found:
        async with self._looking:
            if self._closed:
                raise Stopped
            scanner = self._scanners.setdefault(folder, Scanner(self._root, folder, self._objects, self._cache))
            stop = threading.Event()
            self._looks.add(stop)
            try:
                found = await asyncio.to_thread(scanner.look, tracked or {}, stop)
            except TooLarge:
                self._scanners.pop(folder, None)
                raise
            finally:
                stop.set()  # also where this was cancelled, which no thread hears of
                self._looks.discard(stop)
            self._baselines[folder] = found.files
            return found

    # --- what is kept ----------------------------------------------------------------------

    async def kept(self) -> Kept:
        """How much is kept of all runs."""
        records = await self._database.read(store.with_contents)
        sizes = await asyncio.to_thread(self._objects.sizes)
        return Kept(
            size=sum(sizes.values()),
            most=int(self._settings.changes_megabytes * MEGABYTE),
            days=self._settings.changes_days,
            runs=sum(bool(record.before) for record in records),
        )

    def _collect_soon(self) -> None:
        now, last = self._clock.monotonic(), self._collected_at
        too_soon = last is not None and now - last < COLLECT_SECONDS
        if not too_soon and self._collecting is None and not self._closed:
            self._collected_at = now
            self._collecting = asyncio.create_task(self._collect())

    async def _collect(self) -> None:
        try:
            await self.collect()
        except Exception:
            log.exception("What is kept of earlier runs could not be looked through. It stays.")
        finally:
            self._collecting = None

    async def collect(self) -> None:
        """Remove contents that are older or more than is to be kept. What somebody decides about meanwhile stays."""
        async with self._deciding, self._looking, self._saving:
            records = await self._database.read(store.with_contents)
            records = [self._working.get(record.id, record) for record in records]
            records += [each for each in self._working.values() if each.id not in {one.id for one in records}]
            records = [record for record in records if record.before]
            present = [state for files in self._baselines.values() for state in files.values()]
            present += [state for scanner in self._scanners.values() for state in scanner.known]
            now = self._clock.now()
            oldest = now - timedelta(days=self._settings.changes_days)
            present += await asyncio.to_thread(self._cache.all, oldest)
            chosen = await asyncio.to_thread(self._retention.choose, records, present, now)
            for record in records:
                if reason := chosen.lost.get(record.id):
                    lost = msgspec.structs.replace(record, removed_at=now, reason=reason)
                    await self._commits.commit(lambda c, lost=lost: store.replace(c, lost))  # type: ignore[misc]
            stop = threading.Event()
            try:
                await asyncio.to_thread(self._objects.remove_but, chosen.marked, stop.is_set)
            finally:
                stop.set()  # also where this was cancelled, which no thread hears of

    # --- for documents ---------------------------------------------------------------------

    def follows(self, path: str) -> bool:
        """Whether it is to be told that this document is saved."""
        folders = [*self._baselines, *(record.folder for record in self._working.values())]
        return any(_is_below(path, folder) for folder in folders)

    def saved(self, path: str, old: bytes | None, new: bytes) -> None:
        """A person has saved a document: `old` stood in its file, `new` does now. It is no change of an agent's."""
        if old != new and max(len(old or b""), len(new)) <= LARGEST_FILE:
            task = asyncio.create_task(self._take_save(path, old, new))
            self._saves.add(task)
            task.add_done_callback(self._saves.discard)

    async def _take_save(self, path: str, old: bytes | None, new: bytes) -> None:
        try:
            async with self._saving:  # one after the other, as they came
                await self._told(path, old, new)
        except Exception:
            log.exception("A save of %s may count as a change of the run that works there", path)

    async def _told(self, path: str, old: bytes | None, new: bytes) -> None:
        for folder, files in list(self._baselines.items()):
            if _is_below(path, folder):
                state = await asyncio.to_thread(self._file, new, files.get(path))
                self._baselines[folder] = {**files, path: state}
        for run_id in [record.id for record in self._working.values() if _is_below(path, record.folder)]:
            await self._amend(run_id, path, old, new)

    async def _amend(self, run_id: str, path: str, old: bytes | None, new: bytes) -> None:
        record = self._working.get(run_id)
        if record is None or record.state != "working" or not record.before:
            return
        before = await asyncio.to_thread(self._objects.listing, record.before)
        without = record.amended.get(path, before.get(path))
        target = await asyncio.to_thread(self._without_agent, path, without, old, new)
        record = self._working.get(run_id)
        if record is None:
            return
        if target is None:
            await self._change(run_id, mixed=tuple(sorted({*record.mixed, path})))
        else:
            await self._change(run_id, amended={**record.amended, path: target})

    def _without_agent(self, path: str, without: FileState | None, old: bytes | None, new: bytes) -> FileState | None:
        """What the document would be, had only people worked on it; None where the lines are the same."""
        content = None if without is None else self._objects.content(without.blob)
        if content == old:
            return self._file(new, without)
        if without is None or old is None:
            return None
        states = (without, without, without)
        found = taken_back(path, base=old, present=content or b"", target=new, states=states)
        return None if found is None else self._file(found, without)

    def _file(self, content: bytes, like: FileState | None) -> FileState:
        mode = FILE_MODE if like is None else like.mode
        return FileState(mode=mode, blob=self._objects.put_content(content))

    # --- for people ------------------------------------------------------------------------

    async def of(self, run_id: str) -> Changes:
        """What the run has changed. Raises `NotFound` where nothing is kept of it."""
        record = self._working.get(run_id)
        if record is not None:
            return record.shown()
        return (await self._record(run_id)).shown()

    async def file(self, run_id: str, path: str) -> FileDiff:
        """The lines of one file. Raises `NotFound` for one that the run has not changed."""
        record = await self._record(run_id)
        changed = next((file for file in record.files if file.path == path), None)
        if changed is None:
            raise NotFound("The run has not changed this file.", field="path")
        if record.removed_at is not None:
            return FileDiff(path=path, old_path=changed.old_path, kind=changed.kind, note=record.reason)
        return await asyncio.to_thread(self._diff, record, changed)

    def _diff(self, record: ChangeRecord, file: ChangedFile) -> FileDiff:
        old = self._held(record.files_before(self._objects.listing(record.before)).get(file.old_path or file.path))
        new = self._held(self._objects.listing(record.after).get(file.path))
        diff = diff_of(file, old[1] if old else b"", new[1] if new else b"")
        decided = record.parts.get(file.path, {})
        parts = (msgspec.structs.replace(part, decision=decided.get(part.id)) for part in diff.parts)
        return msgspec.structs.replace(diff, parts=tuple(parts))

    async def decide(self, run_id: str, wanted: Decide, principal: Principal, scope: Scope) -> Changes:
        """Accept changes, take them back, or take a decision back. Nothing is written where any of the files cannot be
        taken back: `Conflict`, with the `paths` that somebody has edited since. Raises `NotFound`, `Invalid`."""
        async with self._deciding:
            if run_id in self._working:
                raise Conflict("The run still works. Its changes can be decided on when it has ended.")
            record = await self._record(run_id)
            if record.removed_at is not None:
                raise Conflict(record.reason)
            known = {file.path for file in record.files}
            if unknown := set(wanted.paths or ()) - known:
                raise Invalid(f"The run has not changed {sorted(unknown)[0]}.", field="paths")
            if wanted.part is not None:
                _check_part(record, wanted)
            paths = chosen(record, wanted)
            pending = await asyncio.to_thread(self._planned, record, wanted, paths, principal.display_name)
            record = msgspec.structs.replace(record, pending=pending)
            await self._put(record)
            record = await self._carry_out(
                record,
                lambda paths: ChangesUpdated(run_id=run_id, paths=paths, decision=wanted.decision, by=principal.person),
                scope,
            )
            left = [path for path in paths if record.decision(path, wanted.part) != pending.decisions[path]]
            if left:
                raise Conflict("Somebody has written these files in this moment. Look at them again.", paths=left)
            return record.shown()

    def _planned(self, record: ChangeRecord, wanted: Decide, paths: list[str], by: str) -> Pending:
        planner = Planner(self._root, self._objects, record, wanted)
        try:
            return planner.planned(paths, by, self._clock.now())
        except OSError as error:
            raise Conflict(f"A file cannot be read: {error.strerror or error}. Nothing was changed.") from error

    async def _carry_out(
        self,
        record: ChangeRecord,
        event: Callable[[tuple[str, ...]], ChangesUpdated] | None = None,
        scope: Scope | None = None,
    ) -> ChangeRecord:
        """What is pending, also after a crash in the middle of it: then nobody is told. `event`: of the paths."""
        pending = record.pending
        assert pending is not None
        undone = await asyncio.to_thread(self._take, pending)
        done = {path: decision for path, decision in pending.decisions.items() if path not in undone}
        record = record.decided(done, pending.part)
        told = [Told(event(tuple(done)), scope)] if event and scope else []
        await self._commits.commit(lambda c: store.put(c, record), lambda _: told)
        return record

    def _take(self, pending: Pending) -> set[str]:
        undone = set()
        for step in pending.steps:
            if step.about in undone:
                continue
            try:
                taken = restore.take(self._root, step, self._objects)
            except OSError as error:
                log.warning("%s cannot be put back: %s", step.path, error)
                taken = False
            if not taken:
                undone.add(step.about)
        return undone

    # --- the record ------------------------------------------------------------------------

    async def _record(self, run_id: str) -> ChangeRecord:
        record = await self._database.read(lambda c: store.load(c, run_id))
        if record is None:
            raise NotFound("Nothing is kept of what this run has changed.")
        if record.state == "working":  # its server has died: what has changed until now is compared
            record = msgspec.structs.replace(await self._compared(record), late=True)
            await self._put(record)
        return record

    async def _change(self, run_id: str, **changes: object) -> None:
        await self._put(self._set(run_id, **changes))

    def _set(self, run_id: str, **changes: object) -> ChangeRecord:
        record = self._working[run_id] = msgspec.structs.replace(self._working[run_id], **changes)
        return record

    async def _put(self, record: ChangeRecord) -> None:
        await self._commits.commit(lambda c: store.put(c, record))


def _check_part(record: ChangeRecord, wanted: Decide) -> None:
    if wanted.paths is None or len(wanted.paths) != 1:
        raise Invalid("A part is one of one file: say which.", field="part")
    if wanted.paths[0] in record.decisions:
        raise Conflict("The whole file was decided about. Undo that first.")


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _overlap(one: str, other: str) -> bool:
    return one == other or _is_below(f"{one}/", other) or _is_below(f"{other}/", one)
