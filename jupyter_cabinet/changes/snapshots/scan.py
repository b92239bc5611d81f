"""Scans a folder: files, links, and what is left out. It reads only files that changed since the last scan.

All files there are untrusted: no link is followed, only regular files are opened, and nothing is executed. It blocks:
call it off the loop.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from ...core.paths import open_regular
from ...sandboxes.view import PLACE_BYTES, PLACE_NAMES
from ..model import EMPTY_FOLDER, FILE_MODE, LARGEST_FILE, LINK_MODE, PROGRAM_MODE, FileState, LeftOut, folders_of
from . import ignored
from .exclusions import FolderExclusions
from .ignored import IgnoreFile
from .objects import Objects, Stopped
from .stat_cache import CachedFile, Remembered

MOST_LEFT_OUT = 500  # that are listed
IGNORE_FILE_BYTES = 1 << 20
DEEPEST = 60  # nested folders
SETTLED_NS = 100_000_000  # a file that changed so shortly before it was read may have changed again with the same time

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


class Bounds(NamedTuple):
    """Of one folder that is compared."""

    files: int = 50_000
    bytes: int = 2_000_000_000


BOUNDS = Bounds()


class TooLarge(Exception):
    """The folder has more files, or more bytes, than are compared."""


class FolderListing(NamedTuple):
    """A folder's files by path, relative to the server's root.

    `whole`: all of them; else see `partial_snapshot.py`. `left_out`: some of the files that are not compared;
    `left_out_counts`: their number, by reason.
    """

    files: dict[str, FileState]
    left_out: list[LeftOut]
    whole: bool = True
    left_out_counts: Mapping[str, int] = {}


def _entries(place: int) -> dict[str, os.DirEntry[str]]:
    with os.scandir(place) as entries:
        found = {entry.name: entry for entry in entries}
    for name in PLACE_NAMES & found.keys():
        if _is_place(place, found[name]):
            del found[name]
    return found


def _is_place(place: int, entry: os.DirEntry[str]) -> bool:
    """Return whether something exists only because an isolated run works."""
    try:
        if not entry.is_dir(follow_symlinks=False):
            about = entry.stat(follow_symlinks=False)
            return stat.S_ISREG(about.st_mode) and about.st_size <= PLACE_BYTES
        inner = os.open(entry.name, _FOLDER, dir_fd=place)
        try:
            return not os.listdir(inner)  # noqa: PTH208 - a descriptor
        finally:
            os.close(inner)
    except OSError:
        return False


class Look:
    """One scan, or a part of one. `last`: the known state from the scan before."""

    def __init__(
        self,
        objects: Objects,
        last: Remembered,
        tracked: Collection[str],
        stop: threading.Event,
        bounds: Bounds,
        excluded: FolderExclusions,
    ) -> None:
        self.files: dict[str, FileState] = {}
        self.left_out: list[LeftOut] = []
        self.left_out_counts: Counter[str] = Counter()
        self.seen = Remembered(files={}, rules={}, unruled=set())
        self.read = 0  # files
        self._stop = stop
        self._objects = objects
        self._last = last
        self._tracked = tracked if isinstance(tracked, (set, frozenset, dict)) else set(tracked)
        self._bounds = bounds
        self._excluded = excluded
        self._bytes = 0

    def folder(
        self, place: int, prefix: str, files: tuple[IgnoreFile, ...], depth: int, *, same_rules: bool = True
    ) -> None:
        """Scan a folder and those below it, and store the results in `self.files`, `seen` and `left_out`.

        `place`: its descriptor. `prefix`: its path with a slash, "" for the root. `files`: the ignore files that apply.
        `depth`: 0 for the root. `same_rules`: the ignore rules of the folders above are unchanged since the last scan.
        Raises `Stopped`, `TooLarge`, and `OSError` if the folder itself cannot be read.
        """
        if self._stop.is_set():
            raise Stopped
        found = _entries(place)
        if not found and depth:
            self.put(prefix[:-1], EMPTY_FOLDER)
        if ignored.IGNORE_FILE in found:
            files = (*files, *self._ignore_file(place, prefix))
        same_rules = same_rules and self.seen.rules.get(prefix) == self._last.rules.get(prefix)
        for name in sorted(found):
            entry, path = found[name], prefix + name
            if same_rules and self._is_as_it_was(entry, path):
                continue
            if self._stop.is_set():
                raise Stopped
            if ignored.is_hidden(path) or self._may_not_be_compared(entry, path):
                continue
            try:
                self._entry(place, entry, path, files, depth, same_rules=same_rules)
            except OSError:  # gone meanwhile, or not readable
                if os.access(entry.name, os.F_OK, dir_fd=place, follow_symlinks=False):
                    self.leave_out(LeftOut(path=path, reason="unreadable"))
        self._check_size()

    def _may_not_be_compared(self, entry: os.DirEntry[str], path: str) -> bool:
        """Return whether it is left out, whatever any ignore file says."""
        is_folder = entry.is_dir(follow_symlinks=False)
        end = "/" if is_folder else ""
        if not _is_text(path):
            self.leave_out(LeftOut(path=f"{_with_bytes(path)}{end}", reason="name"))
        elif why := self._excluded.why(path, is_folder=is_folder):
            self.leave_out(LeftOut(path=f"{path}{end}", reason="excluded", why=why))
        else:
            return False
        return True

    def _is_as_it_was(self, entry: os.DirEntry[str], path: str) -> bool:
        """The fast path for nearly all files of a known folder, except those that no ignore file was applied to.

        These were compared before.
        """
        known = self._last.files.get(path)
        if known is None or (path in self._last.unruled and path not in self._tracked):
            return False
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:
            return False
        if known.numbers != _numbers(about) or known.read_at - about.st_ctime_ns < SETTLED_NS:
            return False
        if path in self._last.unruled:
            self.seen.unruled.add(path)
        self.seen.files[path] = known
        self.files[path] = known.state
        self._bytes += about.st_size
        return True

    def _entry(
        self,
        place: int,
        entry: os.DirEntry[str],
        path: str,
        files: tuple[IgnoreFile, ...],
        depth: int,
        *,
        same_rules: bool,
    ) -> None:
        if entry.is_dir(follow_symlinks=False):
            left_out = ignored.is_ignored(path, files, is_folder=True) and path not in self._tracked_folders
            if left_out or depth >= DEEPEST:
                self.leave_out(LeftOut(path=f"{path}/", reason="ignored" if left_out else "deep"))
                return
            inner = os.open(entry.name, _FOLDER, dir_fd=place)
            try:
                self.folder(inner, f"{path}/", files, depth + 1, same_rules=same_rules)
            finally:
                os.close(inner)
            return
        if ignored.is_ignored(path, files, is_folder=False):
            if path not in self._tracked:
                self.leave_out(LeftOut(path=path, reason="ignored"))
                return
            self.seen.unruled.add(path)
        self.leaf(place, entry.name, path, entry.stat(follow_symlinks=False))

    def leaf(self, place: int, name: str, path: str, about: os.stat_result) -> None:
        """Scan anything but a folder: put it, or leave it out.

        Raises `OSError` if it cannot be read, and `TooLarge`.
        """
        if stat.S_ISLNK(about.st_mode):
            target = os.readlink(name, dir_fd=place)
            blob = self._objects.put_content(os.fsencode(target))
            self.put(path, FileState(mode=LINK_MODE, blob=blob))
        elif not stat.S_ISREG(about.st_mode):
            self.leave_out(LeftOut(path=path, reason="special"))
        elif about.st_size > LARGEST_FILE:
            self.leave_out(LeftOut(path=path, reason="large", size=about.st_size))
        else:
            self._file(place, name, path, about)

    @cached_property
    def _tracked_folders(self) -> set[str]:
        return folders_of(self._tracked)

    def _file(self, place: int, name: str, path: str, about: os.stat_result) -> None:
        known = self._last.files.get(path)
        if known is None or known.numbers != _numbers(about) or known.read_at - about.st_ctime_ns < SETTLED_NS:
            known = self._read(place, name)
            self.read += 1
        self.seen.files[path] = known
        self._bytes += known.numbers[0]
        self.put(path, known.state)

    def _read(self, place: int, name: str) -> CachedFile:
        at = time.time_ns()
        with os.fdopen(open_regular(name, dir_fd=place), "rb") as file:
            about = os.fstat(file.fileno())
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise OSError("It grew while it was read")
        mode = PROGRAM_MODE if about.st_mode & stat.S_IXUSR else FILE_MODE
        return CachedFile(_numbers(about), at, FileState(mode=mode, blob=self._objects.put_content(content)))

    def put(self, path: str, state: FileState) -> None:
        """Count a file. Raises `TooLarge` if the folder has more than its bounds."""
        self.files[path] = state
        self._check_size()

    def _check_size(self) -> None:
        if len(self.files) > self._bounds.files or self._bytes > self._bounds.bytes:
            raise TooLarge

    def leave_out(self, what: LeftOut) -> None:
        """Count a path that was not compared, and list it if fewer than `MOST_LEFT_OUT` are listed."""
        self.left_out_counts[what.reason] += 1
        if len(self.left_out) < MOST_LEFT_OUT:
            self.left_out.append(what)

    def _ignore_file(self, place: int, prefix: str) -> tuple[IgnoreFile, ...]:
        try:
            with os.fdopen(open_regular(ignored.IGNORE_FILE, dir_fd=place), "rb") as file:
                text = self.seen.rules[prefix] = file.read(IGNORE_FILE_BYTES)
        except OSError:
            return ()
        return (ignored.read(prefix, text),)


class Count(Look):
    """Read nothing: only check whether the folder is too large."""

    def _file(self, place: int, name: str, path: str, about: os.stat_result) -> None:
        self._bytes += about.st_size
        self.put(path, EMPTY_FOLDER)


def _numbers(about: os.stat_result) -> tuple[int, ...]:
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino, about.st_mode


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:  # not UTF-8: no answer could name it
        return False
    return True


def _with_bytes(path: str) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")
