"""Completion of `@`: an index of the files below the root, a few seconds old and limited in files and time."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from ..storage.filesystem import untrusted_files
from .model import Mention
from .pages import SNIFFED_BYTES, page_title, why_only_named

MAX_FILES = 20_000
MAX_SECONDS = 1.0
FRESH_SECONDS = 5.0
FOLDER_PAGE = "/index.md"
LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


class FileIndex:
    """The names of the files below the root, without hidden folders and dependencies. Call it off the event loop."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []
        self._read_at = -FRESH_SECONDS
        # by path of a folder page, whose name `index.md` is not informative: its modification time and its title
        self._titles: dict[str, tuple[int, str]] = {}

    def search(self, query: str, limit: int) -> list[Mention]:
        """Return at most `limit` files whose path contains the query, best first: the name starts with it, contains it,
        the path does.

        For a folder page, its title and the name of its folder count as names. Case is ignored, and an empty query
        finds all. The names are up to 5 seconds old; only the first 20,000 files, and what is found in a second, are
        known. Links and hidden files are left out. It raises nothing.
        """
        self._refresh()
        needle = query.casefold()
        ranked = sorted(
            (rank, len(path), path) for path in self._paths if (rank := self._rank(path, needle)) is not None
        )
        return [mention for _, _, path in ranked[:limit] if (mention := self._describe(path)) is not None]

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._read_at >= FRESH_SECONDS:
            until = now + MAX_SECONDS
            self._paths = _walk(self._root, until)
            self._titles = dict(self._read_titles(until))
            self._read_at = time.monotonic()

    def _read_titles(self, until: float) -> Iterator[tuple[str, tuple[int, str]]]:
        """Yield the titles of folder pages. Only files that have changed are read."""
        for path in self._paths:
            if path.endswith(FOLDER_PAGE) and time.monotonic() < until:
                try:
                    with untrusted_files.open_file(self._root / path, beneath=self._root) as file:
                        changed = os.fstat(file.fileno()).st_mtime_ns
                        known = self._titles.get(path)
                        if known is None or known[0] != changed:
                            known = changed, page_title(path, file.read(SNIFFED_BYTES).decode(errors="replace"))
                except OSError:
                    continue
                yield path, known

    def _rank(self, path: str, needle: str) -> int | None:
        names = [path.rsplit("/", 1)[-1]]
        if path in self._titles:
            names = [self._titles[path][1], path.rsplit("/", 2)[-2]]
        folded = [name.casefold() for name in names]
        if any(name.startswith(needle) for name in folded):
            return 0
        if any(needle in name for name in folded):
            return 1
        return 2 if needle in path.casefold() else None

    def _describe(self, path: str) -> Mention | None:
        try:
            with untrusted_files.open_file(self._root / path, beneath=self._root) as file:
                size, start = untrusted_files.size_of(file), file.read(SNIFFED_BYTES)
        except OSError:
            return None
        return Mention(
            kind="file",
            path=path,
            title=self._titles[path][1] if path in self._titles else path.rsplit("/", 1)[-1],
            size=size,
            note=why_only_named(path, size, start),
        )


def _is_text(name: str) -> bool:
    """Return whether the name is valid UTF-8. Other names can be neither sent nor mentioned."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _walk(root: Path, until: float) -> list[str]:
    """Return the relative paths of regular files, the least nested first. Links are not followed."""
    found: list[str] = []
    folders = deque([""])
    while folders and len(found) < MAX_FILES and time.monotonic() < until:
        folder = folders.popleft()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in LEFT_OUT or not _is_text(entry.name):
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                found.append(path)
    return found[:MAX_FILES]
