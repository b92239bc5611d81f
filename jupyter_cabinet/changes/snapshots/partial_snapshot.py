"""A snapshot of the named files of a folder that is too large for a complete one.

Called by `folder_snapshots.py`. It follows the rules of `scan.py`, except that no ignore file applies. It blocks: call
it off the loop.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from ...core.errors import CabinetError
from ...core.paths import check
from ...storage.filesystem import untrusted_files
from ..decisions.restore import enter
from ..model import EMPTY_FOLDER, FileState, LeftOut
from . import git_index, ignored
from .exclusions import FolderExclusions
from .objects import Objects, Stopped
from .scan import Bounds, FolderListing, Look
from .stat_cache import Remembered

LARGEST_INDEX = 64 << 20  # bytes
Named = Mapping[str, FileState | None]  # paths, relative to the server's root; with their earlier states, if known


def tracked_by_git(root: Path, folder: str) -> list[str]:
    """Return the tracked paths of the innermost repository that contains a folder; empty if there is none.

    Only paths below the folder, relative to the server's root. An index of more than 64 MiB counts as none. It raises
    nothing.
    """
    parts = folder.split("/") if folder else []
    for length in range(len(parts), -1, -1):
        try:
            index = root.joinpath(*parts[:length], ".git", "index")
            data = untrusted_files.read(index, limit=LARGEST_INDEX, beneath=root)
        except OSError:
            continue
        paths = ("/".join((*parts[:length], name)) for name in git_index.tracked(data))
        return [path for path in paths if is_below(path, folder) and may_be_named(path)]
    return []


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is in a folder, which is "" for the root. A folder is not below itself."""
    return not folder or path.startswith(f"{folder}/")


def may_be_named(path: str) -> bool:
    """Return whether it is a path below the root, is text, and does not belong to version control or to us."""
    try:
        path.encode()
        return "/".join(check(path)) == path and not ignored.is_in_hidden(path)
    except (CabinetError, UnicodeEncodeError):
        return False


class SomeFiles:
    """Takes snapshots of one folder repeatedly."""

    def __init__(self, root: Path, objects: Objects, bounds: Bounds, excluded: FolderExclusions) -> None:
        self._excluded = excluded
        self._root = root
        self._objects = objects
        self._bounds = bounds
        self._last = Remembered()

    @property
    def known(self) -> list[FileState]:
        """Return files that are not read again unless they change: their contents must stay."""
        return [known.state for known in self._last.files.values()]

    def look(self, named: Named, stop: threading.Event) -> FolderListing:
        """Take a snapshot of the files in `named`. Those that do not exist are missing in it, also in its `left_out`.

        Raises `TooLarge` if the files are too many or too large together, and `Stopped` at the next file once `stop` is
        set.
        """
        one = Look(self._objects, self._last, named, stop, self._bounds, self._excluded)
        named = {path: state for path, state in named.items() if not self._excluded.why_at_or_above(path)}
        for folder, paths in groupby(sorted(named, key=_parent), _parent):
            try:
                place = enter(self._root, check(folder) if folder else ())
            except OSError:  # gone, or a link by now
                continue
            try:
                self._files(one, place, paths, named, stop)
            finally:
                os.close(place)
        self._last = one.seen
        return FolderListing(one.files, one.left_out, False, one.left_out_counts)

    def _files(self, one: Look, place: int, paths: Iterable[str], named: Named, stop: threading.Event) -> None:
        for path in paths:
            if stop.is_set():
                raise Stopped
            name = path.rpartition("/")[2]
            try:
                about = os.stat(name, dir_fd=place, follow_symlinks=False)
                if stat.S_ISDIR(about.st_mode):
                    if named[path] == EMPTY_FOLDER or _is_empty(place, name):
                        one.put(path, EMPTY_FOLDER)
                else:
                    one.leaf(place, name, path, about)
            except FileNotFoundError:
                continue
            except OSError:
                one.leave_out(LeftOut(path=path, reason="unreadable"))


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _is_empty(place: int, name: str) -> bool:
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=place)
    try:
        with os.scandir(inner) as entries:
            return not any(True for _ in entries)
    finally:
        os.close(inner)
