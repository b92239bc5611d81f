"""Contents and listings of files by their ids, in git's own format, below `.cabinet/changes/`.

The only file that knows dulwich. Nothing of the workspace's git is read or written: no configuration, filter or hook
takes part. Each function blocks: call it off the loop.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
import zlib
from binascii import unhexlify
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dulwich.errors import ChecksumMismatch, FileFormatException
from dulwich.file import FileLocked
from dulwich.object_store import DiskObjectStore
from dulwich.objects import Blob, ObjectID, ShaFile, Tree

from ...storage.filesystem.private_folders import private_folder
from ..comparison.listing_differences import Difference, different
from ..model import EMPTY_FOLDER, FOLDER_MODE, FileState, folders_of

log = logging.getLogger(__name__)

COMPRESSION = 1  # of zlib's nine: the first snapshot of a folder waits for it
FRESH_SECONDS = 3600.0  # newly stored contents are not removed for so long: their owner has recorded them by then
LEFT_SECONDS = 60.0  # a lock that is older was left by a server that has ended
LOCK_LOOKS, LOCK_LOOK_SECONDS = 100, 0.03

_EMPTY = ObjectID(EMPTY_FOLDER.blob.encode())


class _Folder(NamedTuple):
    """One folder of the last listing: files and folders by path."""

    entries: Mapping[str, FileState]
    tree: str


class Stopped(Exception):
    """The caller no longer needs the result."""


class Lost(KeyError):
    """A content or a listing is damaged or gone: somebody has changed our files, or the disk has lost them."""


class Left(NamedTuple):
    """The readable part of a listing: files by path, and the folders whose listings are lost, "" for all."""

    files: Mapping[str, FileState]
    lost: frozenset[str] = frozenset()

    def at(self, path: str) -> FileState | None:
        """Return the state of a path; None if nothing was there. Raises `Lost` if it is not known any more."""
        found = self.files.get(path)
        if found is None and any(not folder or f"{path}/".startswith(f"{folder}/") for folder in self.lost):
            raise Lost(path)
        return found


def _wait_for(lock: Path, *, is_last: bool) -> None:
    """Another server writes the same object, which takes milliseconds, or was killed and has left its lock."""
    with suppress(OSError):
        if is_last or time.time() - lock.stat().st_mtime > LEFT_SECONDS:
            log.warning("%s was left by a server that has ended, and was removed", lock)
            lock.unlink()
            return
    time.sleep(LOCK_LOOK_SECONDS)


def never() -> bool:
    """Return False: the default for `stopped`, with which nothing is interrupted."""
    return False


def fresh_since() -> float:
    """Return the time since which stored contents are not removed, in seconds since 1970."""
    return time.time() - FRESH_SECONDS


class Objects:
    """The store. Each content is kept once, whoever uses it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: DiskObjectStore | None = None
        self._trees: dict[str, _Folder] = {}  # of the last stored listing: most folders are unchanged
        self._last: tuple[str, Mapping[str, FileState]] = ("", {})
        self.lost: set[str] = set()  # ids that could not be read, and were not stored again since
        self._putting = threading.Lock()  # a content is not removed between finding it and renewing its time

    @property
    def _store(self) -> DiskObjectStore:
        if self._opened is None:
            place = private_folder(self._folder)
            has_one = (place / "info").is_dir() and (place / "pack").is_dir()
            if not has_one:
                DiskObjectStore.init(place).close()
            self._opened = DiskObjectStore(place, loose_compression_level=COMPRESSION)
        return self._opened

    def is_gone(self) -> bool:
        """Return whether somebody has removed the folder while it was open. It is then created again, empty."""
        if self._opened is None or self._folder.is_dir():
            return False
        self.close()
        self._trees, self._last = {}, ("", {})
        return self._store is not None

    def close(self) -> None:
        """Close the files."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def put_content(self, content: bytes) -> str:
        """Store a content; return its id. Raises `Unavailable` if the folder cannot be used, and `OSError`.

        If another server writes the same content, it waits, at most about 3 seconds.
        """
        blob = Blob.from_string(content)
        self._put(blob)
        self.lost.discard(blob.id.decode())
        return blob.id.decode()

    def _put(self, one: Blob | Tree) -> None:
        with self._putting:
            for left in reversed(range(LOCK_LOOKS)):
                try:
                    self._store.add_object(one)  # an existing one gets a new time
                    return
                except FileLocked as locked:
                    if left == 0:
                        raise
                    _wait_for(Path(os.fsdecode(locked.lockfilename)), is_last=left == 1)

    def content(self, blob: str) -> bytes:
        """Return the bytes of a stored blob; empty for the blob of an empty folder.

        Raises `Lost` if it is damaged or gone. A damaged one is deleted.
        """
        return b"" if blob == EMPTY_FOLDER.blob else bytes(self._read(ObjectID(blob.encode())).as_raw_string())

    def _read(self, id: ObjectID) -> ShaFile:
        """Return the bytes of a stored blob. Raises `Lost`.

        A damaged one is removed: its file would prevent storing the content again.
        """
        try:
            found = self._store[id]
            found.check()
            if found.id == id:
                return found
        except KeyError:
            pass
        except (FileFormatException, ChecksumMismatch, zlib.error, ValueError, OSError) as error:
            log.warning("%s in %s is damaged and was removed: %s", id.decode(), self._folder, error)
        with self._putting:
            name = id.decode()
            self.lost.add(name)
            with suppress(OSError):  # no file
                (self._folder / name[:2] / name[2:]).unlink()
        raise Lost(name)

    def put_listing(self, files: Mapping[str, FileState]) -> str:
        """Store the state of each path; return the listing's id. Their contents are not stored by this.

        The caller may then call `listing`, and must not change `files` afterwards.
        """
        folders: dict[str, dict[str, FileState]] = {folder: {} for folder in folders_of(files)}
        folders[""] = {}
        for path, state in files.items():
            folders[path.rpartition("/")[0]][path] = state
        trees: dict[str, _Folder] = {}
        for folder in sorted(folders, key=len, reverse=True):
            entries = folders[folder]
            last = self._trees.get(folder)
            if last is None or last.entries != entries or not self._put_again(last.tree):
                last = _Folder(entries, self._put_tree(entries))
            trees[folder] = last
            if folder:
                folders[folder.rpartition("/")[0]][folder] = FileState(mode=FOLDER_MODE, blob=last.tree)
        self._trees = trees
        tree = trees[""].tree
        self._last = (tree, files)
        return tree

    def _put_tree(self, entries: Mapping[str, FileState]) -> str:
        """Most already exist: building the bytes here takes a quarter of dulwich's time."""
        named = []
        for path, state in entries.items():
            name = os.fsencode(path.rpartition("/")[2])
            order = name + b"/" if state.mode == FOLDER_MODE else name  # git's
            named.append((order, b"%o %s\0%s" % (state.mode, name, unhexlify(state.blob))))
        raw = b"".join(entry for _, entry in sorted(named))
        tree = hashlib.sha1(b"tree %d\0%s" % (len(raw), raw), usedforsecurity=False).hexdigest()
        if not self._put_again(tree):
            self._put(Tree.from_string(raw))
        return tree

    def _put_again(self, tree: str) -> bool:
        """Return whether it exists; it then has a new time."""
        with self._putting:
            try:
                os.utime(self._folder / tree[:2] / tree[2:])
            except FileNotFoundError:
                return False
        return True

    def listing(self, tree: str) -> Mapping[str, FileState]:
        """Return the state of each path. Raises `Lost` if a part of it is damaged or gone."""
        known, files = self._last
        return files if known == tree else dict(self.walk(tree))

    def left_of(self, tree: str) -> Left:
        """Return the readable part of a listing, which may be empty. It does not raise `Lost`."""
        known, files = self._last
        if known == tree:
            return Left(files)
        lost: set[str] = set()
        return Left(dict(self.walk(tree, lost=lost)), frozenset(lost))

    def walk(
        self, tree: str, stopped: Callable[[], bool] = never, folder: str = "", lost: set[str] | None = None
    ) -> Iterator[tuple[str, FileState]]:
        """Yield path by path. Raises `Stopped`, and `Lost` unless `lost` is given, which collects the lost folders."""
        _go_on(stopped)
        try:
            entries = self._entries(ObjectID(tree.encode()))
        except Lost:
            if lost is None:
                raise
            lost.add(folder.removesuffix("/"))
            return
        for name, mode, id in entries:
            path = f"{folder}{name}"
            if mode == FOLDER_MODE and id != _EMPTY:
                yield from self.walk(id.decode(), stopped, f"{path}/", lost)
            else:
                yield path, FileState(mode=mode, blob=id.decode())

    def _entries(self, tree: ObjectID) -> list[tuple[str, int, ObjectID]]:
        if tree == _EMPTY:  # it is not stored: its content is known
            return []
        found = self._read(tree)
        if not isinstance(found, Tree):
            raise Lost(tree.decode())
        return [(os.fsdecode(name), mode, id) for name, mode, id in found.iteritems()]

    # --- kept contents --------------------------------------------------------------------------

    def folders(self, tree: str, but: Collection[str] = (), stopped: Callable[[], bool] = never) -> set[str]:
        """Return the ids of a listing and of all folders in it, except those in `but` and their contents.

        Raises `Lost` if one of them cannot be read, and `Stopped`.
        """
        found: set[str] = set()
        waiting = [tree]
        while waiting:
            _go_on(stopped)
            one = waiting.pop()
            if one not in found and one not in but:
                found.add(one)
                waiting += [id.decode() for _, mode, id in self._entries(ObjectID(one.encode())) if mode == FOLDER_MODE]
        return found

    def sizes(self, stopped: Callable[[], bool] = never) -> dict[str, int]:
        """Return the bytes on the disk of each content and listing, by its id. Raises `Stopped`."""
        return {path.parent.name + path.name: size for path, size, _ in self._files(stopped) if not path.suffix}

    def ids(self, stopped: Callable[[], bool] = never) -> set[str]:
        """Return the ids of all stored contents and listings. Raises `Stopped`."""
        found: set[str] = set()
        for folder in self._folder.iterdir() if self._folder.is_dir() else ():
            _go_on(stopped)
            if len(folder.name) == 2:
                with os.scandir(folder) as entries:
                    found |= {folder.name + entry.name for entry in entries}
        return found

    def remove_but(self, marked: Collection[str], oldest: float, stopped: Callable[[], bool] = never) -> int:
        """Remove what is not `marked` and was not stored since `oldest`, and leftovers of a killed writer.

        Returns how many bytes. Raises `Stopped` before the next file.
        """
        removed = 0
        for path, size, changed in self._files(stopped):
            if changed < oldest and (path.suffix or path.parent.name + path.name not in marked):
                removed += size * self._remove(path, oldest)
        return removed

    def _remove(self, path: Path, oldest: float) -> bool:
        with self._putting:
            try:
                if path.lstat().st_mtime >= oldest:  # somebody has stored it again meanwhile
                    return False
                path.unlink()
            except FileNotFoundError:
                return False
        return True

    def _files(self, stopped: Callable[[], bool]) -> Iterator[tuple[Path, int, float]]:
        """Yield each with its size and its time; one with a suffix was being written."""
        if not self._folder.is_dir():
            return
        for folder in [each for each in self._folder.iterdir() if len(each.name) == 2 and each.is_dir()]:
            with os.scandir(folder) as entries:
                for entry in entries:
                    _go_on(stopped)
                    try:
                        about = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    yield Path(entry.path), about.st_size, about.st_mtime

    # --- comparing ---------------------------------------------------------------------------

    def differences(self, old: str, new: str, stopped: Callable[[], bool] = never) -> list[Difference]:
        """Return the paths at which two listings differ, in order. Equal folders are skipped.

        Raises `Stopped`, and `Lost` if a listing cannot be read.
        """
        found = []
        for difference in different(self._entries, "", ObjectID(old.encode()), ObjectID(new.encode())):
            _go_on(stopped)
            found.append(difference)
        return sorted(found, key=lambda difference: difference.path)


def _go_on(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise Stopped
