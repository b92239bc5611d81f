"""The known state of a folder's files on the disk, so that the first scan after a restart is cheap.

A damaged one is discarded. `scan.py` decides whether an entry is still valid. It blocks: call it off the loop.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from ...storage.filesystem import files
from ...storage.filesystem.private_folders import private_folder
from ..model import FileState

log = logging.getLogger(__name__)

_DIGEST_BYTES = 32  # of SHA-256, before the content it is the sum of


class CachedFile(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The state of a file when it was read."""

    numbers: tuple[int, ...]  # size, times, inode
    read_at: int  # ns since 1970
    state: FileState


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a folder at a scan.

    `files` by path, relative to the server's root; `rules`: content of the ignore file of each folder, by the folder's
    path with a slash; `unruled`: files that these ignore, and that are compared.
    """

    files: dict[str, CachedFile] = {}
    rules: dict[str, bytes] = {}
    unruled: set[str] = set()


class StatCache:
    """`place`: a folder for all of them."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def load(self, folder: str) -> Remembered:
        """Return the state of one scanned folder; an empty one if none is saved. A damaged one is deleted."""
        return self._read(self._path(folder))

    def all(self, oldest: datetime) -> list[FileState]:
        """Return the files of all of them, whose contents must stay. One last written before `oldest` is removed."""
        found: list[FileState] = []
        for path in self._paths():
            with suppress(OSError):
                if path.lstat().st_mtime < oldest.timestamp():
                    path.unlink()
                else:
                    found += [known.state for known in self._read(path).files.values()]
        return found

    def save(self, folder: str, found: Remembered) -> None:
        """Save the state of one folder. Raises `OSError`, and `Unavailable` if the place cannot be used."""
        private_folder(self._place)
        body = msgspec.msgpack.encode(found)
        files.replace(self._path(folder), hashlib.sha256(body).digest() + body)

    def forget(self) -> None:
        """Delete the stored caches, because their contents are untrusted. Raises `OSError`."""
        for path in self._paths():
            path.unlink(missing_ok=True)

    def _path(self, folder: str) -> Path:
        return self._place / hashlib.sha256(folder.encode()).hexdigest()

    def _paths(self) -> list[Path]:
        return list(self._place.iterdir()) if self._place.is_dir() else []

    def _read(self, path: Path) -> Remembered:
        try:
            data = path.read_bytes()
            digest, body = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
            if hashlib.sha256(body).digest() == digest:
                return msgspec.msgpack.decode(body, type=Remembered)
        except FileNotFoundError:
            return Remembered()
        except (OSError, msgspec.DecodeError) as error:
            log.debug("%s cannot be read: %s", path.name, error)
        with suppress(OSError):
            path.unlink()
        return Remembered()
