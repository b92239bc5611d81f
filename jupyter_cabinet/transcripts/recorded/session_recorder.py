"""Writes the sessions of agents whose CLIs keep none, from the records of their runs, so that the index can read them.

Each session of ours has one file, which is written again whenever a run of it has ended or was deleted. The files are
beside the index, because the server that reads transcripts may have another root folder. Made by
`transcripts/service.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from ...core.errors import CabinetError
from ...core.events import Event, EventBus, Scope
from ...core.people import Principal
from ...execution.output import OutputRecord
from ...runs.model import Run, RunDeleted, RunFinished
from ...runs.rules.lifecycle import is_final
from ...runs.service import Runs
from ...storage.filesystem import files
from ...storage.filesystem.private_folders import private_folder
from ..model import session_key
from .lines import INSTRUCTION, written

log = logging.getLogger(__name__)
AT_ONCE = 200  # sessions in one query
AGAIN_SECONDS = 30.0  # after which a session that could not be written is tried again
PART_BYTES = 1 << 20  # of a file, written at once
EVERYONE = Principal(username="", display_name="", administrator=True)


class SessionRecorder:
    """The background task of one server. `folder`: of all recorded sessions; `keeps_none`: the runtimes to record."""

    def __init__(
        self,
        folder: Path,
        *,
        root: Path,
        runs: Runs,
        bus: EventBus,
        keeps_none: Callable[[], Collection[str]],
    ) -> None:
        self._folder = folder
        self._own = folder / sha256(str(root).encode(errors="replace")).hexdigest()[:16]
        self._root = root
        self._runs = runs
        self._bus = bus
        self._keeps_none = keeps_none
        self._waiting: asyncio.Queue[str] = asyncio.Queue()  # ids of our sessions
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin with the runs that ended while no server recorded them."""
        self._unsubscribe = self._bus.subscribe(self._heard)
        self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """End at once: what is not written yet is written at the next start."""
        self._unsubscribe()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _heard(self, event: Event, _scope: Scope) -> None:
        if isinstance(event, RunFinished):
            self._waiting.put_nowait(event.run.session_id)
        elif isinstance(event, RunDeleted):
            self._waiting.put_nowait(event.session_id)

    async def _work(self) -> None:
        recorded = set(await asyncio.to_thread(self._keeps_none))
        await self._queue_earlier(recorded)
        while True:
            id = await self._waiting.get()
            try:
                await self._record(id, recorded)
            except (OSError, CabinetError) as error:  # a full disk, or a database that is away
                log.warning("The session %s cannot be recorded now. Trying again. %s", id, error)
                asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._waiting.put_nowait, id)
            except Exception:  # a damaged record: the others are still recorded
                log.exception("The session %s cannot be recorded.", id)

    async def _queue_earlier(self, recorded: Collection[str]) -> None:
        """Have the sessions of earlier runs recorded, as soon as the database and the folder can be read."""
        while True:
            try:
                pairs = await self._runs.session_pairs(EVERYONE)
                ids = {id for runtime, id in pairs if runtime in recorded}
                return await self._begin(sorted(ids), {session_key(runtime, id) for runtime, id in pairs})
            except (OSError, CabinetError) as error:
                log.warning("Earlier sessions cannot be recorded now. Trying again. %s", error)
            except Exception:  # new sessions are still recorded
                return log.exception("Earlier sessions cannot be recorded.")
            await asyncio.sleep(AGAIN_SECONDS)

    async def _begin(self, ids: Sequence[str], known: Collection[str]) -> None:
        """Have the sessions recorded in which a run has ended or was deleted since, and remove those without runs.

        `known`: the keys of all sessions that have a run.
        """
        await asyncio.to_thread(self._remove_others, known)
        for start in range(0, len(ids), AT_ONCE):
            for id, latest in (await self._runs.latest(ids[start : start + AT_ONCE])).items():
                ended, path = latest.run.finished_at, self._path(latest.run.runtime, id)
                if ended is not None and await asyncio.to_thread(_is_outdated, path, ended.timestamp(), latest.count):
                    self._waiting.put_nowait(id)

    def _remove_others(self, known: Collection[str]) -> None:
        for path in list(self._own.glob("*/*")):
            is_left = files.TEMPORARY.fullmatch(path.name)  # by a server that was killed
            if is_left or (path.suffix == ".jsonl" and path.stem not in known):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:  # the others are still recorded
                    log.warning("%s cannot be removed: %s", path, error)

    async def _record(self, id: str, recorded: Collection[str]) -> None:
        """Write the session again; remove it if no run is left."""
        if not recorded:
            return
        ended = self._ended(id, recorded)
        first = await anext(ended, None)
        if first is None:
            for runtime in recorded:
                await asyncio.to_thread(self._path(runtime, id).unlink, missing_ok=True)
            return
        path, cwd = self._path(first.runtime, id), str((self._root / first.cwd).resolve())

        async def runs() -> AsyncIterator[tuple[Run, AsyncIterator[OutputRecord]]]:
            yield first, self._records_of(first)
            async for run in ended:
                yield run, self._records_of(run)

        await self._put(path, written(id, cwd, runs()))

    async def _ended(self, id: str, recorded: Collection[str]) -> AsyncIterator[Run]:
        """Yield the runs to record, oldest first."""
        async for run in self._runs.all_of_session(id):
            if is_final(run) and run.runtime in recorded:
                yield run

    def _path(self, runtime: str, id: str) -> Path:
        """The id is Cabinet's: agents may give the same id to sessions of different people."""
        return self._own / runtime / f"{session_key(runtime, id)}.jsonl"

    async def _records_of(self, run: Run) -> AsyncIterator[OutputRecord]:
        async for line in self._runs.files.follow(run.id, 0, EVERYONE):
            if (record := _decoded(line)) is not None:
                yield record

    async def _put(self, path: Path, lines: AsyncIterator[bytes]) -> None:
        """Replace a file by these lines. A part of them is in memory at a time."""
        replacement = await asyncio.to_thread(self._begin_file, path)
        try:
            part = bytearray()
            async for line in lines:
                part += line
                if len(part) >= PART_BYTES:
                    await asyncio.to_thread(replacement.write, bytes(part))
                    part.clear()
            await asyncio.to_thread(replacement.write, bytes(part))
            await asyncio.to_thread(replacement.finish)
        except BaseException:
            replacement.discard()
            raise

    def _begin_file(self, path: Path) -> files.Replacement:
        for folder in (self._folder, self._own, path.parent):
            private_folder(folder)
        return files.Replacement(path)


def _is_outdated(path: Path, seconds: float, runs: int) -> bool:
    """Return whether a file is missing, was written before this time, or has another number of runs.

    `seconds`: since 1970.
    """
    try:
        if path.stat().st_mtime < seconds:
            return True
        with path.open("rb") as file:
            return sum(line.startswith(INSTRUCTION) for line in file) != runs
    except OSError:
        return True


def _decoded(line: bytes) -> OutputRecord | None:
    try:
        return msgspec.json.decode(line, type=OutputRecord)
    except msgspec.MsgspecError:  # a delta, the end, or a line that is damaged
        return None
