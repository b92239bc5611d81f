"""The files of recordings: one folder each below `.cabinet/recordings/`, with `recording.json` and the parts.

The description in a folder is believed only if it matches its path: agents work as the server's user, and archives may
contain such folders. Does not write (`recorder.py` does). Called by `recordings.py`, in its thread.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...core.ids import is_id
from ...storage.filesystem import untrusted_files
from ..model import Recording, RecordingPart
from . import cast

META = "recording.json"
META_BYTES = 256 << 10
PART_BYTES = 64 << 20  # shown of a part; the recorder starts another one long before
TAIL_BYTES = 64 << 10  # that contain the last event's time


class RecordingFiles:
    """`folder`: where they are kept, directly below `.cabinet/`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> Iterator[Recording]:
        """Yield every recording that can be played, in no order.

        Others, and what does not fit its path, are left out.
        """
        if self.folder.is_symlink() or not self.folder.is_dir():
            return
        for place in self.folder.iterdir():
            found = self.load(place.name)
            if found is not None and found.parts:
                yield found

    def load(self, id: str) -> Recording | None:
        """Return a recording as its files are: after a crash they contain more than was noted.

        None if there is none, or if its description is damaged or of another recording.
        """
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
        """Return the content of one part, at most 64 MiB. Raises `OSError` if it is gone."""
        return untrusted_files.read_start(
            part_path(self.folder / id, number), limit=PART_BYTES, beneath=self.folder.parent
        )

    def size(self, id: str) -> int:
        """Return the real sizes of its parts, in bytes, not the noted ones.

        Raises `OSError` if one is gone meanwhile.
        """
        return sum(min(path.lstat().st_size, PART_BYTES) for path in self._part_paths(id))

    def remove(self, id: str) -> None:
        """Remove a recording with its folder.

        Raises `OSError`, also for a link in its place: the link's target stays.
        """
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
    """Return the path of one part."""
    return folder / f"{number:04}.cast"


def _moment(seconds: float) -> datetime | None:
    """Return a file's time. Anybody can set it to a year that no calendar here has: then it is ignored."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _fits(noted: Recording, id: str) -> bool:
    times = (noted.started_at, noted.ended_at or noted.started_at)
    return noted.id == id and all(time.tzinfo is not None for time in times)
