"""Determines whether a path leads into `.cabinet/`: by its name, over links, or as another name of a file there.

The target decides, not the spelling. It reads only names and numbers, never a content. Called by
`web/jupyter/guard.py`.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from ...core.paths import HIDDEN_STATE

MAX_ENTRIES = 200_000  # entries read for one answer; a larger folder counts as leading there


class HiddenState:
    """The `.cabinet/` of one root directory. Those of nested roots count too, if their name shows it."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._folder = self.root / HIDDEN_STATE
        self._inside = os.path.join(self.root, "")  # noqa: PTH118 - what every path below the root begins with

    def leads_in(self, path: str) -> bool:
        """Return whether the path leads into `.cabinet/`, by name or over symbolic links, whether or not it exists.

        Hard links do not count: see `holds`. It reads only names, in some microseconds: a listing asks several times
        for each file, on the loop.
        """
        if "\0" in path:
            return False
        real = _real_place(path)
        below = real.startswith(self._inside)
        parts = (real.removeprefix(self._inside) if below else real).split("/")
        if HIDDEN_STATE in parts or any(part.casefold() == HIDDEN_STATE for part in parts):
            return True
        # a file system may accept other spellings of the same name
        return below and _same(self._inside + parts[0], self._folder)

    def holds(self, path: str) -> bool:
        """Return what `leads_in` returns, or whether the file has another name in there (a hard link). Call it off the
        loop.

        For a file with several names, also True if `.cabinet/` has more than 200,000 entries.
        """
        return self.leads_in(path) or self._has_one_of({_number_of_many(path)})

    def reached_below(self, folder: str) -> bool:
        """Return whether copying this folder, links followed, would copy anything from there. Call it off the loop.

        Also True if the folder has more than 200,000 entries.
        """
        numbers: set[tuple[int, int] | None] = set()
        for count, path in enumerate(_everything_below(folder)):
            if count >= MAX_ENTRIES or self.leads_in(path):
                return True
            numbers.add(_number_of_many(path))
        return self.leads_in(folder) or self._has_one_of(numbers)

    def _has_one_of(self, numbers: set[tuple[int, int] | None]) -> bool:
        try:
            device = self._folder.stat().st_dev
        except OSError:
            return False
        wanted = {each[1] for each in numbers if each is not None and each[0] == device}
        return bool(wanted) and any(
            count >= MAX_ENTRIES or number in wanted for count, number in enumerate(_numbers_below(self._folder))
        )


def _real_place(path: str) -> str:
    """Like `os.path.realpath`, but the kernel does it, if it can: in a quarter of the time."""
    if not sys.platform.startswith("linux"):
        return os.path.realpath(path)
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)  # opens nothing: it only names a file
    except OSError:
        return os.path.realpath(path)
    try:
        return os.readlink(f"/proc/self/fd/{place}")  # noqa: PTH115 - pathlib would make a path of the text
    except OSError:
        return os.path.realpath(path)
    finally:
        os.close(place)


def _same(one: str, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - paths are many here
    except OSError:
        return False


def _number_of_many(path: str) -> tuple[int, int] | None:
    """Return device and inode of a regular file that has several names."""
    try:
        found = os.stat(path)  # noqa: PTH116 - paths are many here
    except (OSError, ValueError):
        return None
    many = stat.S_ISREG(found.st_mode) and found.st_nlink > 1
    return (found.st_dev, found.st_ino) if many else None


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _everything_below(folder: str) -> Iterator[str]:
    """Walk like `shutil.copytree`: links are followed, but each folder is visited once."""
    folders, seen = [folder], set()
    while folders:
        place = os.path.realpath(folders.pop())
        if place in seen:
            continue
        seen.add(place)
        for entry in _entries(place):
            yield entry.path
            if entry.is_dir():
                folders.append(entry.path)


def _numbers_below(folder: Path) -> Iterator[int]:
    folders = [str(folder)]
    while folders:
        for entry in _entries(folders.pop()):
            yield entry.inode()
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
