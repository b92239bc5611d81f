"""Caches values made from files until one of these files changes. One cache serves every list of a server.

A value is kept together with the state of every path that was visited to make it, and returned only while all of these
states are the same. It decides nothing about safety: readers check links and permissions (`untrusted_files.py`). If a
path is a link, or is neither a file nor a folder, the value is not kept. It blocks: call it off the loop.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

# A file that was changed so shortly before it was read may change again with the same times: the coarsest file systems
# count in steps of two seconds.
SETTLED_NS = 2_000_000_000
MOST_VALUES = 20_000
MOST_BYTES = 64 << 20  # of the files that the kept values were made from

T = TypeVar("T")
Key = tuple[str, str]  # kind and name


class FileState(NamedTuple):
    """The state that changes with a file's content or permissions; `utime` cannot set `changed_ns`."""

    device: int
    inode: int
    mode: int
    size: int
    modified_ns: int
    changed_ns: int


class FolderState(NamedTuple):
    """A folder, whatever is in it. `accessible`: it can be opened and searched."""

    device: int
    inode: int
    accessible: bool


State = FileState | FolderState | None  # None: it does not exist
Folders = dict[str, FolderState]  # by path


class Visited:
    """The states of the paths on which a value depends, as they were before they were read."""

    def __init__(self) -> None:
        self.at = time.time_ns()
        self.states: dict[str, State] = {}
        self.is_regular = True  # False: one of them is a link or a device, or could not be read

    def visit(self, root: Path, parts: Sequence[str]) -> None:
        """Record the state of a path below `root`, and of each folder on the way, up to the first that is no folder.

        The state of a path that was visited before is kept. An error sets `is_regular` to False and is not raised.
        """
        path = str(root)
        for part in parts:
            path = f"{path}/{part}"
            if path not in self.states:
                try:
                    self.states[path] = _state_of(path)
                except OSError:
                    self.is_regular = False
                    return
            if not isinstance(self.states[path], FolderState):
                return

    @property
    def size(self) -> int:
        """In bytes, of all files."""
        return sum(state.size for state in self.states.values() if isinstance(state, FileState))

    def is_settled(self, settled_ns: int) -> bool:
        """Return whether the next change of each file will show in its state."""
        files = (state for state in self.states.values() if isinstance(state, FileState))
        return all(max(file.changed_ns, file.modified_ns) <= self.at - settled_ns for file in files)

    def is_unchanged(self, folders: Folders) -> bool:
        """Return whether every path is unchanged; False if one cannot be read.

        `folders`: those that were just examined; others are added.
        """
        try:
            for path, state in self.states.items():
                now = folders.get(path) or _state_of(path)
                if now != state:
                    return False
                if isinstance(now, FolderState):
                    folders[path] = now
        except OSError:
            return False
        return True


class FileCache:
    """Values by kind and name. The least recently used are dropped if they are too many, or their files too large.

    Threads may share it. `settled_ns`: how long before it is read a file must have been changed for its value to be
    kept.
    """

    def __init__(
        self, *, most_values: int = MOST_VALUES, most_bytes: int = MOST_BYTES, settled_ns: int = SETTLED_NS
    ) -> None:
        self._most_values = most_values
        self._most_bytes = most_bytes
        self._settled_ns = settled_ns
        self._kept: OrderedDict[Key, tuple[Any, Visited]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """How many values are kept."""
        return len(self._kept)

    def value(self, key: Key, make: Callable[[Visited], T], folders: Folders | None = None) -> T:
        """Return the value of `make`, or its earlier value if the files are unchanged. Callers must not change it.

        `make` visits every path before it reads it. Its errors are raised here, and nothing is kept. `folders`: to
        examine each folder only once, pass the same dictionary, empty at first, to all calls that make one list.
        """
        with self._lock:
            found = self._kept.get(key)
        if found is not None and found[1].is_unchanged({} if folders is None else folders):
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
            value: T = found[0]
            return value
        self._drop(key)
        visited = Visited()
        made = make(visited)
        if visited.is_regular and visited.is_settled(self._settled_ns) and visited.is_unchanged({}):
            self._keep(key, made, visited)
        return made

    def keep_only(self, kinds: Collection[str], names: Collection[str]) -> None:
        """Forget the values of these kinds with other names: their files are gone."""
        with self._lock:
            gone = [key for key in self._kept if key[0] in kinds and key[1] not in names]
        for key in gone:
            self._drop(key)

    def _keep(self, key: Key, value: object, visited: Visited) -> None:
        with self._lock:
            if key not in self._kept:  # another thread may have made it too
                self._kept[key] = (value, visited)
                self._bytes += visited.size
            while self._kept and (len(self._kept) > self._most_values or self._bytes > self._most_bytes):
                _key, (_value, dropped) = self._kept.popitem(last=False)
                self._bytes -= dropped.size

    def _drop(self, key: Key) -> None:
        with self._lock:
            found = self._kept.pop(key, None)
            if found is not None:
                self._bytes -= found[1].size


def _state_of(path: str) -> State:
    """Raises `OSError` for anything but a file or a folder."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(about.st_mode):
        return FileState(about.st_dev, about.st_ino, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    if stat.S_ISDIR(about.st_mode):
        return FolderState(about.st_dev, about.st_ino, os.access(path, os.R_OK | os.X_OK))
    raise OSError(f"{path} is neither a file nor a folder.")
