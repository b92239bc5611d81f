"""Writes the sessions of agents whose CLIs keep none, from the records of their runs, so that the index can read them.

Each session has one file, which is written again whenever a run of it has ended or was deleted. The files are beside
the index, because the server that reads transcripts may have another root folder. Made by `transcripts/service.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from ...core.events import Event, EventBus, Scope
from ...core.people import Principal
from ...execution.output import OutputRecord
from ...runs.model import Run, RunDeleted, RunFinished
from ...runs.rules.lifecycle import is_final
from ...runs.service import Runs
from ...sessions.model import Session
from ...sessions.service import Sessions
from ...storage.filesystem import files
from ...storage.filesystem.private_folders import private_folder
from ..model import session_key
from .lines import written

log = logging.getLogger(__name__)
AT_ONCE = 200  # sessions in one query
EVERYONE = Principal(username="", display_name="", administrator=True)


class SessionRecorder:
    """The background task of one server. `folder`: of all recorded sessions; `keeps_none`: the runtimes to record."""

    def __init__(
        self,
        folder: Path,
        *,
        root: Path,
        runs: Runs,
        sessions: Sessions,
        bus: EventBus,
        keeps_none: Callable[[], Collection[str]],
    ) -> None:
        self._folder = folder
        self._own = folder / sha256(str(root).encode(errors="replace")).hexdigest()[:16]
        self._root = root
        self._runs = runs
        self._sessions = sessions
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
        pairs = await self._runs.session_pairs(EVERYONE)
        await self._begin(sorted(id for runtime, id in pairs if runtime in recorded))
        while True:
            id = await self._waiting.get()
            try:
                session = await self._sessions.load(id)
                if session is not None and session.native_id and session.runtime in recorded:
                    await self._record(session, session.native_id)
            except Exception:  # a full disk, a database that is away, a damaged record: the others are still recorded
                log.exception("The session %s cannot be recorded now.", id)

    async def _begin(self, ids: Sequence[str]) -> None:
        """Have those sessions recorded in which a run has ended since."""
        for start in range(0, len(ids), AT_ONCE):
            for id, latest in (await self._runs.latest(ids[start : start + AT_ONCE])).items():
                session, ended = await self._sessions.load(id), latest.run.finished_at
                if session is not None and session.native_id and ended is not None:
                    path = self._path(session.runtime, session.native_id)
                    if await asyncio.to_thread(_is_older, path, ended.timestamp()):
                        self._waiting.put_nowait(id)

    async def _record(self, session: Session, native_id: str) -> None:
        """Write the session again; remove it if no run is left."""
        path = self._path(session.runtime, native_id)
        same = await self._sessions.with_native_id(session.runtime, native_id, EVERYONE)
        found = [run for each in same for run in await self._runs.of_session(each.id) if is_final(run)]
        if not found:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            return
        runs = [(run, await self._records_of(run)) for run in sorted(found, key=lambda run: run.number)]
        cwd = str((self._root / runs[0][0].cwd).resolve())
        await asyncio.to_thread(self._put, path, written(native_id, cwd, runs))

    def _path(self, runtime: str, native_id: str) -> Path:
        return self._own / runtime / f"{session_key(runtime, native_id)}.jsonl"

    async def _records_of(self, run: Run) -> list[OutputRecord]:
        lines = self._runs.files.follow(run.id, 0, EVERYONE)
        return [record async for line in lines if (record := _decoded(line)) is not None]

    def _put(self, path: Path, content: bytes) -> None:
        for folder in (self._folder, self._own, path.parent):
            private_folder(folder)
        files.replace(path, content)


def _is_older(path: Path, seconds: float) -> bool:
    """Return whether a file is missing or was written before this time, in seconds since 1970."""
    try:
        return path.stat().st_mtime < seconds
    except OSError:
        return True


def _decoded(line: bytes) -> OutputRecord | None:
    try:
        return msgspec.json.decode(line, type=OutputRecord)
    except msgspec.MsgspecError:  # a delta, the end, or a line that is damaged
        return None
