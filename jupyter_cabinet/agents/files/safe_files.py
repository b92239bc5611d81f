"""Reads and writes the files of agents safely: no links, limited sizes, errors in words for people.

It knows the path of each file in the current layout and in those of existing installations. It takes no lock. Called by
`agent_folders.py`.
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
from ...storage.filesystem import files, untrusted_files
from ...storage.filesystem.file_cache import Visited

AGENTS = ".agents"
PERSONA = "persona.md"
GOALS_FILE = "memory/goals.json"
FACTS = "MEMORY.md"  # in the agent's memory; in its folder in other installations
FILE_MODE = 0o644  # readable, because people put these files under version control
FOLDER_MODE = 0o755
MAX_FILE_BYTES = 4 * 2**20
MAX_MEMORY_BYTES = 64 * 2**20  # limit for a file of memory; the next entry trims the file
MAX_LISTED = 5000
JOURNAL_LOOKED_THROUGH_BYTES = 8 << 20  # enough to find a line that was written before a crash

LINK = "it is a link or lies behind one, which is not followed"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


class AgentFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file. `path`: relative to the agent's folder. `etag`: the SHA-256 of its content."""

    path: str
    content: bytes
    etag: str


class FileInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One file in a list. `modified`: seconds since 1970."""

    path: str
    size: int
    modified: float


def etag_of(content: bytes) -> str:
    """Return the etag of a version of a file: the SHA-256 of its content, as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def places_of(slug: str) -> dict[str, str]:
    """Return the paths of all that belongs to an agent, relative to the folder of all agents, by purpose."""
    return {
        "folder": slug,
        "legacy persona": f"{slug}.md",
        "legacy memory": f".memory/{slug}",
        "inbox": f".messages/{slug}",
        "history": f".history/{slug}.jsonl",
        "versions": versions_of(slug),
    }


def versions_of(name: str) -> str:
    """Return the folder of earlier versions, relative to the folder of all agents. `name`: a slug or a shared file."""
    return f".versions/{name}"


def candidates(slug: str, path: str) -> tuple[str, ...]:
    """Return the possible paths of an agent's file, relative to the folder of all agents, in order of precedence."""
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
    """Turn disk errors into `NoRoom` and `Unavailable`, in words for people.

    `what`: the file or agent that is written.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise NoRoom(f"There is no room on the disk to write {what}. Free some, then try again.") from error
        reason = error.strerror or "the disk reports an error"
        raise Unavailable(f"{what} cannot be written: {reason}. Make it writable, then try again.") from error


class SafeFolder:
    """The folder of all agents, or of plays, below a root. It does not follow links.

    `visited`: receives the state of each path that `read` and `exists` visit, for a value that a cache keeps.
    """

    def __init__(self, root: Path, name: str = AGENTS, visited: Visited | None = None) -> None:
        self.root = root
        self.name = name
        self.path = root / name
        self._visited = visited

    def visiting(self, visited: Visited) -> SafeFolder:
        """Return the same folder, which notes in `visited` the paths that it visits."""
        return SafeFolder(self.root, self.name, visited)

    def read(self, place: str, *, limit: int = MAX_FILE_BYTES) -> bytes | None:
        """Return the content of a file, or None if it does not exist.

        Raises `Malformed` for a link, a folder, a file larger than `limit` bytes, and one that cannot be read.
        """
        self._visit(place)
        try:
            return untrusted_files.read(self.path / place, limit=limit, beneath=self.root)
        except OSError as error:
            if error.errno in _ABSENT and not self._is_link(place):
                return None
            if self._visited is not None:
                self._visited.is_regular = False  # the error may be temporary, so the value must not be cached
            why = LINK if self._is_link(place) else _why(error, limit)
            raise Malformed(f"{self.name}/{place}: {why}.", file=f"{self.name}/{place}") from error

    def exists(self, place: str) -> bool:
        """Return whether anything exists at a path, including a broken link."""
        self._visit(place)
        return os.path.lexists(f"{self.path}/{place}")

    def size(self, place: str) -> int:
        """Return the size of a regular file in bytes; 0 for anything else."""
        try:
            found = os.lstat(self.path / place)
        except OSError:
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def modified(self, place: str) -> float:
        """Return when a file was last written, in seconds since 1970. Raises `OSError`."""
        return os.lstat(self.path / place).st_mtime

    def names(self, place: str = "") -> list[os.DirEntry[str]]:
        """Return the entries of a folder, sorted by name.

        Empty if it does not exist, cannot be read, is a link or lies behind one.
        """
        folder = self.path / place if place else self.path
        if folder.is_symlink() or self._is_link(place):
            return []
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return []

    def make_folder(self, place: str) -> Path:
        """Create a folder and its parents, and return it. Raises `OutsideRoot` for a link in the path, `OSError`."""
        self.refuse_links(place)
        folder = self.path / place
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        return folder

    def remove_empty(self, place: str) -> None:
        """Remove a folder and its subfolders if they are empty. Folders that are not empty are kept."""
        for entry in self.names(place):
            if entry.is_dir(follow_symlinks=False):
                self.remove_empty(f"{place}/{entry.name}")
        with suppress(OSError):
            (self.path / place).rmdir()

    def remove(self, place: str) -> None:
        """Remove a file if it exists. Raises `OutsideRoot` for a link in the path, `OSError`."""
        self.refuse_links(place)
        (self.path / place).unlink(missing_ok=True)

    def write(self, place: str, content: bytes, *, mode: int = FILE_MODE) -> None:
        """Create or replace a file, with its folders, and wait for the disk. Raises as `make_folder`.

        The file has the old or the new content, also after a crash.
        """
        self.make_folder(str(Path(place).parent))
        self.refuse_links(place)
        files.replace(self.path / place, content, mode=mode)

    def append_once(self, place: str, line: msgspec.Struct, *, key: str, value: str) -> None:
        """Add a line to a journal, unless a line whose field `key` is `value` exists in its last 8 MiB.

        The journal is created if necessary. Raises as `make_folder`, and `OutsideRoot` for a hard link.
        """
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
        """Raise `OutsideRoot` if a path, or a folder between the root and it, is a link."""
        if self._is_link(place):
            raise OutsideRoot(f"{self.name}/{place}: {LINK}.")

    def _is_link(self, place: str) -> bool:
        parts = Path(self.name, place).parts
        return any((self.root / Path(*parts[:count])).is_symlink() for count in range(1, len(parts) + 1))

    def _visit(self, place: str) -> None:
        if self._visited is not None:
            self._visited.visit(self.root, (self.name, *place.split("/")))

    def everything_below(self, place: str) -> Iterator[FileInfo]:
        """Yield every regular file in or below a folder, with its path relative to the folder.

        Links are skipped. Nothing is yielded, and nothing raised, for a folder that does not exist, cannot be read, is
        a link or lies behind one.
        """
        for path, found in self.states_below(place):
            yield FileInfo(path=path, size=found.st_size, modified=found.st_mtime)

    def states_below(self, place: str) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the path of each file of `everything_below`, with all that the file system says about it."""
        folders = [""]
        while folders:
            inner = folders.pop(0)
            for entry in self.names(f"{place}/{inner}".rstrip("/")):
                path = f"{inner}/{entry.name}".lstrip("/")
                try:
                    found = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # it was removed meanwhile
                if stat.S_ISDIR(found.st_mode):
                    folders.append(path)
                elif stat.S_ISREG(found.st_mode):
                    yield path, found

    def memory_of(self, slug: str) -> Iterator[tuple[str, os.stat_result]]:
        """Yield every regular file of an agent's memory, as `everything_of` does, also of older installations."""
        for place in (f"{slug}/memory", f".memory/{slug}"):
            yield from ((f"memory/{path}", found) for path, found in self.states_below(place))
        with suppress(OSError):
            facts = os.lstat(self.path / slug / FACTS)
            if stat.S_ISREG(facts.st_mode):
                yield f"memory/{FACTS}", facts

    def everything_of(self, slug: str) -> Iterator[FileInfo]:
        """Yield every regular file of an agent, with its path in the current layout.

        If a path occurs twice, the first file is the one in use, as in `candidates`. Its inbox, its history and earlier
        versions are not included.
        """
        yield from self.everything_below(slug)
        for info in self.everything_below(f".memory/{slug}"):
            yield msgspec.structs.replace(info, path=f"memory/{info.path}")
        with suppress(OSError):
            legacy = os.lstat(self.path / f"{slug}.md")
            if stat.S_ISREG(legacy.st_mode):
                yield FileInfo(path=PERSONA, size=legacy.st_size, modified=legacy.st_mtime)


def check_etag(current: bytes | None, etag: str | None, what: str) -> None:
    """Raise `Conflict`, with the current etag, if the file is not the version that the caller has seen.

    `current`: the content; None: the file does not exist. `etag`: None: the caller expects no file.
    """
    found = None if current is None else etag_of(current)
    if found != etag:
        message = f"{what} already exists." if etag is None else f"{what} was changed in the meantime."
        raise Conflict(f"{message} Look at it as it is now, then save again.", etag=found)


def _why(error: OSError, limit: int) -> str:
    if error.errno == errno.EFBIG:
        return f"it is larger than {limit // 1024} KiB"
    if error.errno == errno.ENOTSUP:
        return "it is not a regular file"
    return f"it cannot be read ({error.strerror})"
