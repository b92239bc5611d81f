"""Writes a terminal's screen into its recording: never the typed input, and unredacted.

Made by `recordings.Recordings`, controlled by `switch.py`. It is one more viewer: output that comes too fast to be
worth recording is left out, and the screen is drawn again after it, with a marker that says so.
"""

from __future__ import annotations

import asyncio
import codecs
import logging
import os
import shutil
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

import msgspec

from ...core.clock import Clock, Timer
from ...core.people import Visibility
from ...sandboxes.port import Size
from ...storage.filesystem import files
from ...storage.filesystem.private_folders import private_folder
from ..model import Recording, RecordingPart
from ..screens.screen import Screen
from ..settings import TerminalSettings
from ..vt.blanks import blanked
from . import cast
from .files import META, part_path

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.25
FLUSH_BYTES = 512 << 10  # between two flushes; more is a flood that nobody could follow
MERGE_SECONDS = 0.01  # output this close together is one event
PICTURE_BYTES = 64 << 10  # from which the screen is drawn again
PICTURE_PARTS = 8  # of a file: most of it must be new
LEFT_OUT = "Output was left out here: it came too fast"


class Recorder:
    """The recording of one terminal. `resume` starts it, and starts it again after a `pause`."""

    def __init__(
        self,
        recording: Recording,
        folder: Path,
        *,
        size: Size,
        settings: TerminalSettings,
        clock: Clock,
        work: Executor,
        on_changed: Callable[[], None],
    ) -> None:
        self.on = False
        self.problem = ""  # why it stopped by itself
        self._recording = recording
        self._folder = folder
        self._size = size
        self._settings = settings
        self._clock = clock
        self._work = work
        self._on_changed = on_changed
        self._parts: list[RecordingPart] = []
        self._screen: Screen | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._decoder = _decoder()
        self._began = 0.0  # of the current part, monotonic
        self._pending: list[tuple[float, cast.Code, str]] = []
        self._pending_bytes = 0
        self._flooded = False
        self._timer: Timer | None = None
        self._writing: asyncio.Future[object] | None = None

    @property
    def recording(self) -> Recording:
        """Return its description as it is now."""
        return msgspec.structs.replace(self._recording, parts=tuple(self._parts))

    @property
    def recorded(self) -> bool:
        """Return whether there is anything to play."""
        return bool(self._parts)

    def set_visibility(self, visibility: Visibility) -> None:
        """Change who may see the recording, also what was recorded until now."""
        self._recording = msgspec.structs.replace(self._recording, visibility=visibility)
        if self._parts:
            self._write_meta()

    def resume(self, screen: Screen | None) -> None:
        """Start recording into a new part. Does nothing if it records already. Files are written in a thread.

        `screen`: the one that is shown now; its picture begins the part. None: no output is recorded until `show` names
        one. If a file cannot be written, the recording stops, and `problem` says so.
        """
        if self.on:
            return
        self.on, self.problem = True, ""
        self._recording = msgspec.structs.replace(self._recording, ended_at=None)
        self._begin_part()
        self.show(screen)
        self._on_changed()

    def pause(self) -> None:
        """Record nothing more until `resume`; the existing recording can be played completely."""
        if not self.on:
            return
        self._flush()
        self._end()
        self._write_meta()
        self._on_changed()

    def show(self, screen: Screen | None) -> None:
        """Record another PTY from now on, which is shown; None: one that is not to be recorded.

        No effect while it is paused.
        """
        if not self.on:
            return
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self._screen = screen
        if screen is not None:
            self._unsubscribe = screen.subscribe(self._take)
            self._draw_anew()

    def resized(self, size: Size) -> None:
        """Record that the size of the terminal has changed."""
        self._size = size
        self._put("r", cast.resized(size))

    def mark(self, label: str) -> None:
        """Add a marker to jump to. No effect while it is paused."""
        self._put("m", label)

    async def flush(self) -> None:
        """Return when everything until now is in the file, or could not be written."""
        self._flush()
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def remove(self) -> None:
        """Remove what was recorded until now. Only while it is paused; `resume` starts a new recording.

        Raises `OSError`.
        """
        self._parts = []
        self._recording = msgspec.structs.replace(self._recording, dropped_parts=0)
        removed = self._submit(lambda: shutil.rmtree(self._folder))
        self._on_changed()
        await removed

    async def close(self) -> None:
        """Complete the recording, because the terminal is gone, and return when it is in the file."""
        self.pause()
        if self.recorded:
            self._write_meta()  # also after a failure, so that it stays as private as the terminal was
        await self.flush()

    # --- events ----------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        self._pending_bytes += len(data)
        if self._pending_bytes > FLUSH_BYTES:
            self._flooded = True
            self._flush_soon()
            return
        self._put("o", self._decoder.decode(blanked(data)[0]))

    def _draw_anew(self) -> None:
        if self._screen is not None:
            self._decoder = _decoder()
            size = min(PICTURE_BYTES, self._settings.recording_part_bytes // PICTURE_PARTS)
            picture = self._screen.picture(size).decode(errors="replace")
            self._put("o", cast.RESET + picture)

    def _put(self, code: cast.Code, data: str) -> None:
        if not self.on or not data:
            return
        now = self._clock.monotonic() - self._began
        if code == "o" and self._pending and self._pending[-1][1] == "o" and now - self._pending[-1][0] < MERGE_SECONDS:
            at, _, before = self._pending.pop()
            self._pending.append((at, "o", before + data))
        else:
            self._pending.append((now, code, data))
        self._flush_soon()

    def _flush_soon(self) -> None:
        if self._timer is None:
            self._timer = self._clock.call_at(self._clock.monotonic() + FLUSH_SECONDS, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._flooded:
            self._flooded = False
            self._put("m", LEFT_OUT)
            self._draw_anew()
        pending, self._pending, self._pending_bytes = self._pending, [], 0
        if pending:
            self._write(b"".join(cast.event(*each) for each in pending))
            if self._parts[-1].bytes >= self._settings.recording_part_bytes and self.on:
                self._begin_part()
                self._draw_anew()

    # --- files -----------------------------------------------------------------------------

    def _begin_part(self) -> None:
        """Start a new file, playable by itself. The oldest goes when there are too many."""
        number = self._parts[-1].number + 1 if self._parts else 0
        if not self._parts:
            self._recording = msgspec.structs.replace(self._recording, started_at=self._clock.now())
            self._submit(lambda: private_folder(self._folder))  # an earlier recording may have been removed
        self._began = self._clock.monotonic()
        self._parts.append(RecordingPart(number=number, seconds=0.0, bytes=0))
        if len(self._parts) > self._settings.recording_parts:
            gone = self._parts.pop(0)
            dropped = self._recording.dropped_parts + 1
            self._recording = msgspec.structs.replace(self._recording, dropped_parts=dropped)
            self._submit(lambda: part_path(self._folder, gone.number).unlink(missing_ok=True))
        self._write(cast.header(self._size, self._clock.now(), self._recording.name))
        self._write_meta()

    def _write(self, data: bytes) -> None:
        part = self._parts[-1]
        seconds = round(self._clock.monotonic() - self._began, 3)
        self._parts[-1] = msgspec.structs.replace(part, seconds=seconds, bytes=part.bytes + len(data))
        path = part_path(self._folder, part.number)
        self._submit(lambda: _append(path, data))

    def _write_meta(self) -> None:
        path, content = self._folder / META, msgspec.json.encode(self.recording)
        self._submit(lambda: files.replace(path, content))

    def _end(self) -> None:
        self.on = False
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self._recording = msgspec.structs.replace(self._recording, ended_at=self._clock.now())

    def _submit(self, job: Callable[[], object]) -> asyncio.Future[object]:
        writing = self._writing = asyncio.get_running_loop().run_in_executor(self._work, job)
        writing.add_done_callback(self._written)
        return writing

    def _written(self, writing: asyncio.Future[object]) -> None:
        error = writing.exception()
        if error is not None and self.on:  # a full disk costs the recording, never the terminal
            log.error("The recording of a terminal has stopped: %s", error)
            self.problem = (
                "The recording of this terminal has stopped: its file cannot be written. Free disk space, then "
                "record again."
            )
            self._end()
            self._on_changed()


def _append(path: Path, data: bytes) -> None:
    with os.fdopen(files.open_to_append(path), "ab", buffering=0) as file:
        rest = memoryview(data)
        while rest:  # a disk that is nearly full accepts a part of the data, and reports the error with the next write
            rest = rest[file.write(rest) :]


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")(errors="replace")
