"""Reads and writes the files of one agent in a safe way: no links, capped, errors for people.

Called by `agent_folders.py`.

It knows where each file lies in the layout of today and in those of existing installations; it takes no lock.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from ...core.errors import Conflict, Malformed, NoRoom, OutsideRoot, Unavailable
from ...storage import files, untrusted_files
from ...storage.file_cache import Visited

AGENTS = ".agents"
PERSONA = "persona.md"
GOALS_FILE = "memory/goals.json"
FACTS = "MEMORY.md"  # of an agent: in its memory, or in its folder in other installations
FILE_MODE = 0o644  # people put these files under version control
FOLDER_MODE = 0o755
MAX_FILE_BYTES = 4 * 2**20
MAX_MEMORY_BYTES = 64 * 2**20  # of a file of memory: its next entry brings it back to its bounds
MAX_LISTED = 5000
JOURNAL_LOOKED_THROUGH_BYTES = 8 << 20  # for a line that was written before a crash: many times what came since

LINK = "it is a link or lies behind one, which is not followed"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


class AgentFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `path` is relative to the agent's folder; `etag` is the SHA-256 of its content."""

    path: str
    content: bytes
    etag: str


class FileInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One file in a list. `modified`: seconds since 1970."""

    path: str
    size: int
    modified: float


def etag_of(content: bytes) -> str:
    """What names a version of a file: the SHA-256 of its content, as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def places_of(slug: str) -> dict[str, str]:
    """All that belongs to an agent, below the folder of all agents: what it is -> its path."""
    return {
        "folder": slug,
        "legacy persona": f"{slug}.md",
        "legacy memory": f".memory/{slug}",
        "inbox": f".messages/{slug}",
        "history": f".history/{slug}.jsonl",
        "versions": versions_of(slug),
    }


def versions_of(name: str) -> str:
    """Where earlier versions of an agent's files lie, or of a file that all agents share, below the folder of all."""
    return f".versions/{name}"


def candidates(slug: str, path: str) -> tuple[str, ...]:
    """Where a file of an agent may lie, below the folder of all agents, in the order in which it is looked for."""
    known = [f"{slug}/{path}"]
    if path == PERSONA:
        known.append(f"{slug}.md")
    folder, _, name = path.partition("/")
    if folder == "memory" and name:
        known.append(f".memory/{slug}/{name}")
    if path == f"memory/{FACTS}":
        known.append(f"{slug}/{FACTS}")
    if path == GOALS_FILE:
        known += [f"{slug}/memory/state.json", f".memory/{slug}/state.json"]
    return tuple(known)


@contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Tell what the disk says in words for a person. `what`: the file or agent that is written."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise NoRoom(f"There is no room on the disk to write {what}. Free some, then try again.") from error
        reason = error.strerror or "the disk reports an error"
        raise Unavailable(f"{what} cannot be written: {reason}. Make it writable, then try again.") from error


class SafeFolder:
    """The folder of all agents below a root, or that of plays, entered without following links.

    `visited`: receives the state of each path that `read` and `exists` visit, for a value that a cache keeps.
    """

    def __init__(self, root: Path, name: str = AGENTS, visited: Visited | None = None) -> None:
        self.root = root
        self.name = name
        self.path = root / name
        self._visited = visited

    def visiting(self, visited: Visited) -> SafeFolder:
        """The same folder; what is read through it is noted."""
        return SafeFolder(self.root, self.name, visited)

    def read(self, place: str, *, limit: int = MAX_FILE_BYTES) -> bytes | None:
        """A file's content; None where it is not there. Raises `Malformed` for what is no file of this size or less."""
        self._visit(place)
        try:
            return untrusted_files.read(self.path / place, limit=limit, beneath=self.root)
        except OSError as error:
            if error.errno in _ABSENT and not self._is_link(place):
                return None
            if self._visited is not None:
                self._visited.is_regular = False  # it may be readable in a moment
            why = LINK if self._is_link(place) else _why(error, limit)
            raise Malformed(f"{self.name}/{place}: {why}.", file=f"{self.name}/{place}") from error

    def exists(self, place: str) -> bool:
        """Whether anything is there, a link that leads nowhere too."""
        self._visit(place)
        return os.path.lexists(f"{self.path}/{place}")

    def size(self, place: str) -> int:
        """How many bytes a regular file has; 0 for what is none."""
        try:
            found = os.lstat(self.path / place)
        except OSError:
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def modified(self, place: str) -> float:
        """When a file was written last, in seconds since 1970. Raises `OSError`."""
        return os.lstat(self.path / place).st_mtime

    def names(self, place: str = "") -> list[os.DirEntry[str]]:
        """The entries of a folder, sorted by name; nothing if it does not exist or is a link."""
        folder = self.path / place if place else self.path
        if folder.is_symlink() or self._is_link(place):
            return []
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return []

    def make_folder(self, place: str) -> Path:
        """Make a folder, and those above it, and return it. Raises `OutsideRoot` for a link on the way, `OSError`."""
        self.refuse_links(place)
        folder = self.path / place
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return folder

    def remove_empty(self, place: str) -> None:
        """Remove a folder, and the folders in it, where nothing is in them. What is not empty stays."""
        for entry in self.names(place):
            if entry.is_dir(follow_symlinks=False):
                self.remove_empty(f"{place}/{entry.name}")
        with suppress(OSError):
            (self.path / place).rmdir()

    def remove(self, place: str) -> None:
        """Remove a file that may be there. Raises `OutsideRoot` for a link on the way, `OSError`."""
        self.refuse_links(place)
        (self.path / place).unlink(missing_ok=True)

    def write(self, place: str, content: bytes, *, mode: int = FILE_MODE) -> None:
        """Replace a file, or make it. Raises as `make_folder`."""
        self.make_folder(str(Path(place).parent))
        self.refuse_links(place)
        files.replace(self.path / place, content, mode=mode)

    def append_once(self, place: str, line: msgspec.Struct, *, key: str, value: str) -> None:
        """Add a line to a journal, but for one whose field `key` is `value` already. Raises as `make_folder`,
        and `OutsideRoot` for a hard link."""
        folder = self.make_folder(str(Path(place).parent))
        self.refuse_links(place)
        new = not self.exists(place)
        if not new and self._has_line(place, key, value):
            return
        try:
            files.append_line(self.path / place, msgspec.json.encode(line), mode=FILE_MODE)
        except OutsideRoot:
            raise OutsideRoot(f"{self.name}/{place}: {files.HARD_LINK}.") from None
        if new:
            files.sync_folder(folder)

    def _has_line(self, place: str, key: str, value: str) -> bool:
        values = untrusted_files.last_values(self.path / place, limit=JOURNAL_LOOKED_THROUGH_BYTES, beneath=self.root)
        return any(isinstance(each, dict) and each.get(key) == value for each in values)

    def refuse_links(self, place: str) -> None:
        """Raise `OutsideRoot` where a part of a path, from the root on, is a link."""
        if self._is_link(place):
            raise OutsideRoot(f"{self.name}/{place}: {LINK}.")

    def _is_link(self, place: str) -> bool:
        parts = Path(self.name, place).parts
        return any((self.root / Path(*parts[:count])).is_symlink() for count in range(1, len(parts) + 1))

    def _visit(self, place: str) -> None:
        if self._visited is not None:
            self._visited.visit(self.root, (self.name, *place.split("/")))

    def everything_below(self, place: str) -> Iterator[FileInfo]:
        """Every regular file in or below a folder, by its path from there. Links are passed over."""
        folders = [""]
        while folders:
            inner = folders.pop(0)
            for entry in self.names(f"{place}/{inner}".rstrip("/")):
                path = f"{inner}/{entry.name}".lstrip("/")
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    folders.append(path)
                elif stat.S_ISREG(found.st_mode):
                    yield FileInfo(path=path, size=found.st_size, modified=found.st_mtime)

    def everything_of(self, slug: str) -> Iterator[FileInfo]:
        """Every regular file of an agent, by its path in the layout of today. The first of a path counts, as it does in
        `candidates`."""
        yield from self.everything_below(slug)
        for info in self.everything_below(f".memory/{slug}"):
            yield msgspec.structs.replace(info, path=f"memory/{info.path}")
        with suppress(OSError):
            legacy = os.lstat(self.path / f"{slug}.md")
            if stat.S_ISREG(legacy.st_mode):
                yield FileInfo(path=PERSONA, size=legacy.st_size, modified=legacy.st_mtime)


def check_etag(current: bytes | None, etag: str | None, what: str) -> None:
    """Raise `Conflict`, with the `etag` of what is there now, unless that is the version that the caller has seen.

    `etag` None: the caller expects that there is nothing.
    """
    found = None if current is None else etag_of(current)
    if found != etag:
        message = f"{what} is there already." if etag is None else f"{what} was changed in the meantime."
        raise Conflict(f"{message} Look at it as it is now, then save again.", etag=found)


def _why(error: OSError, limit: int) -> str:
    if error.errno == errno.EFBIG:
        return f"it is larger than {limit // 1024} KiB"
    if error.errno == errno.ENOTSUP:
        return "it is not a regular file"
    return f"it cannot be read ({error.strerror})"
