"""The recordings of this server: starts, lists, serves and removes them. Called by the terminals and by `web/`.

It checks who may see and remove which; `files.py` reads the files.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ...core.clock import Clock
from ...core.errors import Conflict, NotAllowed, NotFound
from ...core.events import EventBus, Scope
from ...core.people import Principal, Visibility, may_see, owns
from ...sandboxes.port import Size
from ...storage.filesystem.private_folders import private_folder
from ..model import Recording, RecordingClosed
from ..settings import TerminalSettings
from .files import RecordingFiles
from .recorder import Recorder

log = logging.getLogger(__name__)

T = TypeVar("T")

DAY_SECONDS = 86_400
MEGABYTE = 1_000_000


class Recordings:
    """`folder`: where they are kept."""

    def __init__(self, folder: Path, *, settings: TerminalSettings, clock: Clock, bus: EventBus) -> None:
        self._files = RecordingFiles(folder)
        self._settings = settings
        self._clock = clock
        self._bus = bus
        self._live: dict[str, Recorder] = {}
        self._last_number = 0
        # one writer, in order; made by the first recording
        self._work = ThreadPoolExecutor(1, thread_name_prefix="recordings")

    @property
    def place(self) -> Path:
        """Return an existing folder on the same disk."""
        return self._files.folder.parent

    def begin(
        self, id: str, *, name: str, owner: str, visibility: Visibility, size: Size, on_changed: Callable[[], None]
    ) -> Recorder:
        """Return a recorder for a terminal, and create its folder. It records nothing before `resume`.

        Raises `Unavailable` if the folder cannot be created.
        """
        self._last_number += 1
        recording = Recording(
            id=id,
            number=self._last_number,
            name=name,
            owner=owner,
            visibility=visibility,
            started_at=self._clock.now(),
        )
        recorder = Recorder(
            recording,
            private_folder(private_folder(self._files.folder) / id),
            size=size,
            settings=self._settings,
            clock=self._clock,
            work=self._work,
            on_changed=on_changed,
        )
        self._live[id] = recorder
        return recorder

    async def end(self, id: str) -> None:
        """Complete the recording of a terminal that is gone, and emit `RecordingClosed` if there is one. Removes old
        recordings.

        A terminal without a recorder is ignored.
        """
        recorder = self._live.get(id)
        if recorder is None:
            return
        await recorder.close()
        del self._live[id]
        recording = recorder.recording
        if recorder.recorded:
            self._bus.publish(
                RecordingClosed(recording=recording), Scope(owner=recording.owner, visibility=recording.visibility)
            )
        await self._run(self._prune)

    async def start(self) -> None:
        """Continue the numbers of an earlier server; remove recordings that are too old or too many.

        The server starts whatever the folder contains: recordings are not worth stopping it.
        """
        try:
            known = await self._run(lambda: list(self._files.all()))
            self._last_number = max((each.number for each in known), default=0)
            await self._run(self._prune)
        except Exception:
            log.exception("The recordings could not be checked. Old ones are kept.")

    async def stop(self) -> None:
        """Stop, because the server stops. The service has closed every terminal before."""
        for id in list(self._live):
            await self.end(id)
        self._work.shutdown(wait=False)

    async def find(self, principal: Principal) -> list[Recording]:
        """Return those that `principal` may see, newest first; also those that are being recorded."""
        found = [each for each in await self._run(lambda: list(self._files.all())) if each.id not in self._live]
        found += [recorder.recording for recorder in self._live.values() if recorder.recorded]
        seen = [each for each in found if may_see(principal, each.owner, each.visibility)]
        return sorted(seen, key=_order, reverse=True)

    async def get(self, id: str, principal: Principal) -> Recording:
        """Return the recording with this id. Raises `NotFound`, also if `principal` may not see it."""
        recorder = self._live.get(id)
        found = recorder.recording if recorder is not None else await self._run(lambda: self._files.load(id))
        if found is None or not found.parts or not may_see(principal, found.owner, found.visibility):
            raise NotFound("There is no such recording, or you may not see it.")
        return found

    async def cast(self, id: str, number: int | None, principal: Principal) -> bytes:
        """Return one part, by default the oldest that is kept; of a live recording, the content up to now.

        Raises `NotFound`, also for a part that is not kept any more, and if `principal` may not see it.
        """
        if id in self._live:
            await self._live[id].flush()
        recording = await self.get(id, principal)
        wanted = recording.parts[0].number if number is None else number
        if wanted in {part.number for part in recording.parts}:
            with suppress(OSError):  # it was removed in the meantime
                return await self._run(lambda: self._files.part(id, wanted))
        raise NotFound("This part of the recording is not kept any more.")

    async def delete(self, id: str, principal: Principal) -> None:
        """Remove one; also of an open terminal that is not being recorded now. Only for the person who started the
        terminal.

        Raises `NotFound`, `NotAllowed` for others, `Conflict` while it is being recorded, and `OSError`.
        """
        recording = await self.get(id, principal)
        if not owns(principal, recording.owner):
            raise NotAllowed("Only the person who started the terminal may remove its recording.")
        recorder = self._live.get(id)
        if recorder is None:
            await self._run(lambda: self._files.remove(id))
        elif recorder.on:
            raise Conflict("This terminal is being recorded. Stop the recording, or close the terminal first.")
        else:
            await recorder.remove()

    # --- files, in the thread ----------------------------------------------------------------

    async def _run(self, job: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._work, job)

    def _prune(self) -> None:
        kept = 0
        now = self._clock.now()
        for recording in sorted(self._files.all(), key=_order, reverse=True):
            with suppress(OSError):  # another server on this folder may be removing it
                kept += self._files.size(recording.id)
            age = (now - (recording.ended_at or now)).total_seconds()
            too_old = age > self._settings.recordings_days * DAY_SECONDS
            if recording.id not in self._live and (too_old or kept > self._settings.recordings_megabytes * MEGABYTE):
                with suppress(OSError):
                    self._files.remove(recording.id)


def _order(recording: Recording) -> tuple[int, datetime]:
    """Sort by number; two servers on the same folder may have given the same."""
    return recording.number, recording.started_at
