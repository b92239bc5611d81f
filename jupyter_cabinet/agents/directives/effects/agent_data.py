"""Reads and writes the files of agents for effects: texts, JSON, journals, and messages that are moved.

Paths are relative to `.agents/`, such as `ada/memory/goals.json`. `safe_files.py` stays below the root and follows no
links. A file that cannot be read raises `Malformed` and never counts as empty. A full disk raises `NoRoom`, other disk
errors raise `Unavailable`; the file is then unchanged.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ....core.errors import Malformed, NotFound
from ....storage.filesystem import files
from ...files.agent_folders import AgentFolders
from ...files.front_matter import decoded
from ...files.safe_files import AGENTS, MAX_FILE_BYTES, SafeFolder, disk_errors


class AgentData:
    """The files of the agents of a root. Every method blocks on the disk."""

    def __init__(self, *, root: Path, folders: AgentFolders) -> None:
        self._safe = SafeFolder(root.resolve())
        self._folders = folders

    @contextmanager
    def holding(self, agent: str) -> Iterator[None]:
        """Hold an agent's lock, with its files in the current layout. Blocks until it is free.

        Raises `NotFound` if there is no such agent, `NoRoom`, `Unavailable`, `OutsideRoot`.
        """
        with self._folders.locked(agent):
            self._folders.prepare(agent)
            yield

    def exists(self, place: str) -> bool:
        """Return whether a file, a folder or a link of this name exists."""
        return self._safe.exists(place)

    def size(self, place: str) -> int:
        """Return the size of a file in bytes; 0 if it does not exist."""
        return self._safe.size(place)

    def read(self, place: str, *, limit: int = MAX_FILE_BYTES) -> str | None:
        """Return the text of a file, or None if it does not exist.

        Raises `Malformed` for a link, a folder, a file larger than `limit` bytes, and one that is not UTF-8.
        """
        content = self._safe.read(place, limit=limit)
        return None if content is None else decoded(content, file=f"{AGENTS}/{place}")

    def read_object(self, place: str) -> dict[str, Any] | None:
        """Return the JSON object in a file, or None if the file does not exist.

        Raises `Malformed` for anything else, and for a link, a folder or a file over 4 MiB.
        """
        content = self._safe.read(place)
        return None if content is None else object_in(content, place)

    def read_goals(self, agent: str) -> dict[str, Any]:
        """Return the content of an agent's `goals.json`, in the current or an older layout; empty if there is none.

        Raises `Malformed`.
        """
        try:
            content = self._folders.read_goals(agent)
        except NotFound:
            return {}
        return {} if content is None else object_in(content, goals_file(agent))

    def write(self, place: str, text: str) -> None:
        """Create or replace a file, with its folders. Raises `OutsideRoot` for a link, `NoRoom`, `Unavailable`."""
        with disk_errors(f"{AGENTS}/{place}"):
            self._safe.write(place, text.encode(errors="replace"))

    def write_object(self, place: str, value: dict[str, Any]) -> None:
        """Create or replace a file with indented JSON. Raises as `write`."""
        self.write(place, msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")

    def append(self, place: str, line: msgspec.Struct, *, key: str, value: str) -> None:
        """Add a line to a journal, unless a line whose field `key` is `value` exists. Raises as `write`.

        Only the last 8 MiB of the journal are searched.
        """
        with disk_errors(f"{AGENTS}/{place}"):
            self._safe.append_once(place, line, key=key, value=value)

    def names(self, place: str) -> list[str]:
        """Return the names in a folder, sorted; empty if the folder does not exist or is a link."""
        return [entry.name for entry in self._safe.names(place)]

    def entries(self, place: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder, sorted by name; empty if the folder does not exist or is a link."""
        return self._safe.names(place)

    def move(self, place: str, folder: str) -> None:
        """Move a file into a folder, which is created, under a new name if its name is taken there.

        Raises as `write`, and `Unavailable` if there is no such file.
        """
        with disk_errors(f"{AGENTS}/{place}"):
            path, target = self._safe.path / place, self._safe.make_folder(folder)
            others = (f"{path.stem}-{number}{path.suffix}" for number in itertools.count(2))
            names = itertools.chain([path.name], others)
            free = next(name for name in names if not os.path.lexists(target / name))
            path.rename(target / free)
            files.sync_folder(target)
            files.sync_folder(path.parent)


def goals_file(agent: str) -> str:
    """Return the path of an agent's goals, relative to `.agents/`."""
    return f"{agent}/memory/goals.json"


def malformed(place: str, problem: str) -> Malformed:
    """Return the error for a file whose content cannot be used. `problem`: what was expected."""
    return Malformed(f"{AGENTS}/{place}: {problem}.", file=f"{AGENTS}/{place}", problem=problem)


def object_in(content: bytes, place: str) -> dict[str, Any]:
    """Decode the JSON object in the content of a file. Raises `Malformed`."""
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(place, f"it is not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise malformed(place, "expected a JSON object")
    return value
