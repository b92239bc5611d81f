"""What `@` can complete: the files below the root, as they were a few seconds ago. Bounded in files and time."""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path

from ..storage import foreign
from .model import Mention
from .pages import SNIFFED_BYTES, why_only_named

MAX_FILES = 20_000
MAX_SECONDS = 1.0
FRESH_SECONDS = 5.0
LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


class FileIndex:
    """The names of the files below the root; hidden folders and dependencies are left out. Call it off the loop."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []
        self._read_at = -FRESH_SECONDS

    def search(self, query: str, limit: int) -> list[Mention]:
        """Files whose path holds the query, best first: name begins with it, name holds it, path holds it."""
        self._refresh()
        needle = query.casefold()
        ranked = sorted((rank, len(path), path) for path in self._paths if (rank := _rank(path, needle)) is not None)
        return [mention for _, _, path in ranked[:limit] if (mention := self._describe(path)) is not None]

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._read_at >= FRESH_SECONDS:
            self._paths = _walk(self._root, now + MAX_SECONDS)
            self._read_at = time.monotonic()

    def _describe(self, path: str) -> Mention | None:
        try:
            with foreign.open_file(self._root / path, beneath=self._root) as file:
                size, start = foreign.size_of(file), file.read(SNIFFED_BYTES)
        except OSError:
            return None
        return Mention(
            kind="file",
            path=path,
            title=path.rsplit("/", 1)[-1],
            size=size,
            note=why_only_named(path, size, start),
        )


def _rank(path: str, needle: str) -> int | None:
    folded = path.casefold()
    name = folded.rsplit("/", 1)[-1]
    if name.startswith(needle):
        return 0
    if needle in name:
        return 1
    return 2 if needle in folded else None


def _is_text(name: str) -> bool:
    """A name that is not UTF-8 can neither be sent nor be mentioned."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _walk(root: Path, until: float) -> list[str]:
    """Relative paths of regular files, the shallow ones first; links are not followed."""
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
