"""`.agents/USER.md`: facts about the people here, told to every agent. Read and saved as the files of an agent are."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import Invalid, NotFound
from ..prompts.gathering import MAX_USER_BYTES
from .agent_locks import AgentLocks
from .file_versions import USER, FileVersions
from .safe_files import AGENTS, AgentFile, SafeFolder, check_etag, disk_errors, etag_of

_FILE = f"{AGENTS}/{USER}"


class UserFile:
    """`root`: the server's folder. `state_folder`: its `.cabinet/`. Everything blocks: call it off the loop."""

    def __init__(self, root: Path, state_folder: Path) -> None:
        self._safe = SafeFolder(root.resolve())
        self._locks = AgentLocks(state_folder)
        self.versions = FileVersions(self._safe)

    def read(self) -> AgentFile:
        """The file. Raises `NotFound` where it was not begun, `Malformed` for what is no file of this size."""
        content = self._safe.read(USER, limit=MAX_USER_BYTES)
        if content is None:
            raise NotFound(f"There is no {_FILE} yet.", field="path")
        return AgentFile(path=USER, content=content, etag=etag_of(content))

    def write(self, content: bytes, etag: str | None, *, by: str) -> str:
        """Save it, and return the new etag. `etag`: of the version that the caller has seen, None for a new file.

        Raises `Conflict` with the current etag, `Invalid`, `Malformed`, `NoRoom`, `Unavailable`, `OutsideRoot`.
        """
        if len(content) > MAX_USER_BYTES:
            raise Invalid(f"A file of at most {MAX_USER_BYTES // 1024} KiB is accepted.", field="content")
        with self._locks.holding(USER), disk_errors(_FILE):  # no agent has this name
            before = self._safe.read(USER, limit=MAX_USER_BYTES)
            check_etag(before, etag, _FILE)
            self.versions.write("", USER, before, content, by)
        return etag_of(content)
