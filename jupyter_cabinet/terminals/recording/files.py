"""The files of recordings: one folder each below `.cabinet/recordings/`, with `recording.json` and the parts.

Whatever a folder says of itself is believed only where it fits its place: agents work as the server's user, and
archives bring folders along. Not the writer (`recorder.py`). Called by `recordings.py`, in its thread.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...core.ids import is_id
from ...storage import untrusted_files
from ..model import Recording, RecordingPart
from . import cast

META = "recording.json"
META_BYTES = 256 << 10
PART_BYTES = 64 << 20  # shown of a part; the recorder begins another one long before
TAIL_BYTES = 64 << 10  # in which the last event's time stands


class RecordingFiles:
    """`folder`: where they are kept, directly below `.cabinet/`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> Iterator[Recording]:
        """Every recording that has something to play."""
        if self.folder.is_symlink() or not self.folder.is_dir():
            return
        for place in self.folder.iterdir():
            found = self.load(place.name)
            if found is not None and found.parts:
                yield found

    def load(self, id: str) -> Recording | None:
        """A recording as its files are: after a crash they have more than was noted."""
        if not is_id(id):
            return None
        try:
            content = untrusted_files.read(self.folder / id / META, limit=META_BYTES, beneath=self.folder.parent)
            noted = msgspec.json.decode(content, type=Recording)
            if not _fits(noted, id):
                return None
            return noted if noted.ended_at is not None else self._left(noted)
        except (OSError, ValueError, OverflowError, msgspec.MsgspecError, RecursionError):
            return None

    def part(self, id: str, number: int) -> bytes:
        """Raises `OSError` where it is gone."""
        return untrusted_files.read_start(
            part_path(self.folder / id, number), limit=PART_BYTES, beneath=self.folder.parent
        )

    def size(self, id: str) -> int:
        """Of its parts, in bytes: as they are, not as they are said to be."""
        return sum(min(path.lstat().st_size, PART_BYTES) for path in self._part_paths(id))

    def remove(self, id: str) -> None:
        """Raises `OSError`, also for a link in its place: what it leads to stays."""
        shutil.rmtree(self.folder / id)

    def _left(self, noted: Recording) -> Recording:
        paths = self._part_paths(noted.id)
        written = max((path.lstat().st_mtime for path in paths), default=0.0)
        parts = tuple(map(self._described, paths))
        return msgspec.structs.replace(noted, parts=parts, ended_at=_moment(written) or noted.started_at)

    def _part_paths(self, id: str) -> list[Path]:
        return sorted(path for path in (self.folder / id).glob("*.cast") if path.stem.isdecimal())

    def _described(self, path: Path) -> RecordingPart:
        tail = untrusted_files.read_end(path, limit=TAIL_BYTES, beneath=self.folder.parent)
        return RecordingPart(number=int(path.stem), seconds=cast.last_seconds(tail), bytes=path.lstat().st_size)


def part_path(folder: Path, number: int) -> Path:
    """The file of one part."""
    return folder / f"{number:04}.cast"


def _moment(seconds: float) -> datetime | None:
    """A file's time. Anybody can set it to a year that no calendar here has: then it tells nothing."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _fits(noted: Recording, id: str) -> bool:
    times = (noted.started_at, noted.ended_at or noted.started_at)
    return noted.id == id and all(time.tzinfo is not None for time in times)
