"""Lists, reads and searches the memory of agents. Blocks: call it off the loop.

The memory are the Markdown files in `memory/` and the archived entries. Each agent has its own index outside the root
(`memory_index.py`), so a search cannot find another agent's files. Called by `search_queue.py` and `memory_tools.py`.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ...core.errors import CabinetError
from ...storage.filesystem.file_cache import SETTLED_NS
from ...storage.filesystem.private_folders import private_folder
from ..files.agent_folders import AgentFolders
from ..files.safe_files import MAX_FILE_BYTES, FileInfo
from ..model import MemoryMatch
from .memory_index import SUFFIXES, IndexedFile, MemoryIndex, StoredPassage
from .word_matching import excerpt, words_of

MOST_FILES = 20_000  # of one agent; the newest ones are searched
MOST_BYTES = 16 << 20  # the index takes up to eight times as much
MEMORY_FILE = re.compile(r"memory/(?:[^/]+|archive/(?:context|decisions|learnings)[^/]*)\.md")


class FoundPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A match with the whole text of its passage."""

    match: MemoryMatch
    text: str


class MemoryFindings(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a search, best first.

    `left_out`: files that are too large, too many, hard links, or cannot be read. `unfinished`: files that are still
    to be indexed.
    """

    items: tuple[FoundPassage, ...] = ()
    left_out: int = 0
    unfinished: int = 0


class MemorySearch:
    """The memory of all agents of a root. `data`: the folder for what is outside the root; made when it is needed."""

    def __init__(self, folders: AgentFolders, *, root: Path, data: Path) -> None:
        self._folders = folders
        self._folder = data / "memory" / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        self._indexes: dict[str, MemoryIndex] = {}

    def files(self, slug: str) -> list[FileInfo]:
        """Return the files of an agent's memory without hard links, by path. Raises `NotFound`."""
        return [
            FileInfo(path=path, size=state.st_size, modified=state.st_mtime)
            for path, state in sorted(self._listed(slug).items())
            if state.st_nlink == 1
        ]

    def search(self, slug: str, query: str, *, limit: int, with_tainted: bool = True) -> MemoryFindings:
        """Return the passages of an agent's memory that have all words of the query, best first.

        An empty query finds nothing. Each place is found once, even if two passages contain it. Changed files are
        indexed first, for about 5 seconds; `unfinished` counts those that are left. Raises `NotFound`, and
        `Unavailable` if the index cannot be used.
        """
        words = words_of(query)
        listed = self._listed(slug)
        if not words:
            return MemoryFindings()
        files = _chosen(listed, time.time_ns())
        unreadable: set[str] = set()
        path = self._path(slug)
        index = self._indexes.setdefault(slug, MemoryIndex(path))  # kept, because it is checked once
        found = index.search(
            files,
            self._reader(slug, unreadable),
            words,
            limit=2 * limit,  # at most two passages have the same place
            with_tainted=with_tainted,
        )
        return MemoryFindings(
            items=_distinct(found.passages, words)[:limit],
            left_out=len(listed) - len(files) + len(unreadable),
            unfinished=found.unfinished,
        )

    def remove(self, slug: str) -> None:
        """Remove the index of an agent, with the texts in it, if possible.

        The next search builds it again. Never raises.
        """
        self._indexes.pop(slug, None)
        MemoryIndex(self._folder / f"{slug}.db").remove()

    def remove_others(self) -> None:
        """Remove the indexes of agents that do not exist any more."""
        known = {f"{slug}.db{suffix}" for slug in self._folders.slugs() for suffix in SUFFIXES}
        with suppress(OSError):  # nobody has searched yet, or another server removes them too
            for path in self._folder.iterdir():
                if path.name not in known:
                    path.unlink()

    def _listed(self, slug: str) -> dict[str, os.stat_result]:
        found = self._folders.list_memory(slug)
        return {path: state for path, state in found.items() if MEMORY_FILE.fullmatch(path) and _is_text(path)}

    def _path(self, slug: str) -> Path:
        private_folder(self._folder.parent)
        return private_folder(self._folder) / f"{slug}.db"

    def _reader(self, slug: str, unreadable: set[str]) -> Callable[[str], bytes | None]:
        def read(path: str) -> bytes | None:
            try:
                return self._folders.read_file(slug, path).content
            except CabinetError:  # one unusable file must not prevent a search of the others
                unreadable.add(path)
                return None

        return read


def _is_text(name: str) -> bool:
    """Return whether a name is UTF-8. Others can be neither shown nor stored."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _chosen(listed: dict[str, os.stat_result], now_ns: int) -> list[IndexedFile]:
    """Return the files that are searched: the newest ones within the limits."""
    files: list[IndexedFile] = []
    taken = 0
    for path, state in sorted(listed.items(), key=lambda one: -one[1].st_mtime_ns):
        if state.st_size > MAX_FILE_BYTES or state.st_nlink > 1:  # a hard link may lead to a file of something else
            continue
        taken += state.st_size
        if taken > MOST_BYTES or len(files) == MOST_FILES:
            break
        files.append(IndexedFile(path=path, state=_state(state, now_ns), modified=state.st_mtime))
    return files


def _state(found: os.stat_result, now_ns: int) -> str:
    """Return a text that differs after each change; empty if the file was changed a moment ago, and may be again."""
    if now_ns - max(found.st_mtime_ns, found.st_ctime_ns) < SETTLED_NS:
        return ""
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _distinct(found: Sequence[StoredPassage], words: Sequence[str]) -> tuple[FoundPassage, ...]:
    """Return the passages as matches, without those that show the same place as an earlier one."""
    places: set[tuple[str, int]] = set()
    items = []
    for each in found:
        shown = excerpt(each.text, words)
        place = (each.path, each.start + shown.at)
        if place in places:
            continue
        places.add(place)
        match = MemoryMatch(
            path=each.path,
            line=each.first_line + each.text.count("\n", 0, shown.at),
            first_line=each.first_line,
            last_line=each.last_line,
            excerpt=shown.text,
            marks=shown.marks,
            modified=each.modified,
            tainted=each.tainted,
        )
        items.append(FoundPassage(match=match, text=each.text))
    return tuple(items)
