"""How effects read and write the files of agents: texts, JSON, journals, messages that are moved.

Paths are given and told as below `.agents/`, such as `ada/memory/goals.json`. `safe_files.py` keeps to the root and
follows no link; what cannot be read is `Malformed`, never empty. A full disk is `NoRoom`, one that refuses
`Unavailable`: the file is then as it was.
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
from ....storage import files
from ...files.agent_folders import AgentFolders
from ...files.front_matter import decoded
from ...files.safe_files import AGENTS, MAX_FILE_BYTES, SafeFolder, disk_errors


class AgentData:
    """The files of the agents of a root. Every method may wait for the disk."""

    def __init__(self, *, root: Path, folders: AgentFolders) -> None:
        self._safe = SafeFolder(root.resolve())
        self._folders = folders

    @contextmanager
    def holding(self, agent: str) -> Iterator[None]:
        """Hold an agent's lock, with its files in the layout of today. Raises `NotFound`, `NoRoom`, `Unavailable`."""
        with self._folders.locked(agent):
            self._folders.prepare(agent)
            yield

    def exists(self, place: str) -> bool:
        """Whether there is anything of this name."""
        return self._safe.exists(place)

    def size(self, place: str) -> int:
        """The size of a file in bytes; 0 if it does not exist."""
        return self._safe.size(place)

    def read(self, place: str, *, limit: int = MAX_FILE_BYTES) -> str | None:
        """The text of a file, or None if it does not exist. Raises `Malformed`."""
        content = self._safe.read(place, limit=limit)
        return None if content is None else decoded(content, file=f"{AGENTS}/{place}")

    def read_object(self, place: str) -> dict[str, Any] | None:
        """The JSON object in a file; None where there is no file. Raises `Malformed`."""
        content = self._safe.read(place)
        return None if content is None else object_in(content, place)

    def read_goals(self, agent: str) -> dict[str, Any]:
        """The content of an agent's `goals.json`, in whatever layout. Raises `Malformed`."""
        try:
            content = self._folders.read_goals(agent)
        except NotFound:
            return {}
        return {} if content is None else object_in(content, goals_file(agent))

    def write(self, place: str, text: str) -> None:
        """Replace a file as a whole, or make it. Raises `OutsideRoot` for a link, `NoRoom`, `Unavailable`."""
        with disk_errors(f"{AGENTS}/{place}"):
            self._safe.write(place, text.encode(errors="replace"))

    def write_object(self, place: str, value: dict[str, Any]) -> None:
        """The same, with JSON that people can read."""
        self.write(place, msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")

    def append(self, place: str, line: msgspec.Struct, *, key: str, value: str) -> None:
        """Add a line to a journal, but for one whose field `key` is `value` already. Raises as `write`."""
        with disk_errors(f"{AGENTS}/{place}"):
            self._safe.append_once(place, line, key=key, value=value)

    def names(self, place: str) -> list[str]:
        """What is in a folder; nothing where there is no folder, or a link in its place."""
        return [entry.name for entry in self._safe.names(place)]

    def entries(self, place: str) -> list[os.DirEntry[str]]:
        """The same, with what the disk says of each."""
        return self._safe.names(place)

    def move(self, place: str, folder: str) -> None:
        """Move a file into a folder, over nothing that is there. Raises as `write`."""
        with disk_errors(f"{AGENTS}/{place}"):
            path, target = self._safe.path / place, self._safe.make_folder(folder)
            others = (f"{path.stem}-{number}{path.suffix}" for number in itertools.count(2))
            names = itertools.chain([path.name], others)
            free = next(name for name in names if not os.path.lexists(target / name))
            path.rename(target / free)
            files.sync_folder(target)
            files.sync_folder(path.parent)


def goals_file(agent: str) -> str:
    """Where the goals of an agent are, below `.agents/`."""
    return f"{agent}/memory/goals.json"


def malformed(place: str, problem: str) -> Malformed:
    """An error of a file's content, with what was expected."""
    return Malformed(f"{AGENTS}/{place}: {problem}.", file=f"{AGENTS}/{place}", problem=problem)


def object_in(content: bytes, place: str) -> dict[str, Any]:
    """The JSON object in the content of a file. Raises `Malformed`."""
    try:
        value = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise malformed(place, f"it is not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise malformed(place, "expected a JSON object")
    return value
