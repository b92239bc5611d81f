"""`.agents/USER.md`: facts about the people here, sent to every agent. Read and saved like the files of an agent."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import Invalid, NotFound
from ..prompts.gathering import MAX_USER_BYTES
from .agent_locks import AgentLocks
from .file_versions import USER, FileVersions
from .safe_files import AGENTS, AgentFile, SafeFolder, check_etag, disk_errors, etag_of

_FILE = f"{AGENTS}/{USER}"


class UserFile:
    """The file `USER.md` below `root`, the server's root folder. `state_folder`: its `.cabinet/`.

    Everything blocks: call it off the loop.
    """

    def __init__(self, root: Path, state_folder: Path) -> None:
        self._safe = SafeFolder(root.resolve())
        self._locks = AgentLocks(state_folder)
        self.versions = FileVersions(self._safe)

    def read(self) -> AgentFile:
        """Return the file.

        Raises `NotFound` if it does not exist, and `Malformed` if it is too large or not a regular file.
        """
        content = self._safe.read(USER, limit=MAX_USER_BYTES)
        if content is None:
            raise NotFound(f"There is no {_FILE} yet.", field="path")
        return AgentFile(path=USER, content=content, etag=etag_of(content))

    def write(self, content: bytes, etag: str | None, *, by: str) -> str:
        """Save the file and return its new etag.

        `etag`: of the version that the caller has seen; None: the file is new. Raises `Conflict` with the current etag,
        `Invalid`, `Malformed`, `NoRoom`, `Unavailable`, `OutsideRoot`.
        """
        if len(content) > MAX_USER_BYTES:
            raise Invalid(f"The file is too large. The limit is {MAX_USER_BYTES // 1024} KiB.", field="content")
        with self._locks.holding(USER), disk_errors(_FILE):  # no agent can have this slug
            before = self._safe.read(USER, limit=MAX_USER_BYTES)
            check_etag(before, etag, _FILE)
            self.versions.write("", USER, before, content, by)
        return etag_of(content)
