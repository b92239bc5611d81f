"""The files that all agents share, read and saved like the files of an agent.

`.agents/USER.md` has facts about the people here, and `.agents/PROTOCOL.md` the rules of the team.
"""

from __future__ import annotations

from pathlib import Path

from ...core.errors import Invalid, NotFound
from ..prompts.gathering import MAX_SHARED_BYTES
from .agent_locks import AgentLocks
from .file_versions import FileVersions
from .safe_files import AGENTS, AgentFile, SafeFolder, check_etag, disk_errors, etag_of


class SharedFile:
    """One of the files `SHARED` below `root`, the server's root folder. `state_folder`: its `.cabinet/`.

    Everything blocks: call it off the loop.
    """

    def __init__(self, name: str, root: Path, state_folder: Path) -> None:
        self.name = name
        self._file = f"{AGENTS}/{name}"
        self._safe = SafeFolder(root.resolve())
        self._locks = AgentLocks(state_folder)
        self.versions = FileVersions(self._safe)

    def read(self) -> AgentFile:
        """Return the file.

        Raises `NotFound` if it does not exist, and `Malformed` if it is too large or not a regular file.
        """
        content = self._safe.read(self.name, limit=MAX_SHARED_BYTES)
        if content is None:
            raise NotFound(f"There is no {self._file} yet.", field="path")
        return AgentFile(path=self.name, content=content, etag=etag_of(content))

    def write(self, content: bytes, etag: str | None, *, by: str) -> str:
        """Save the file and return its new etag. Versions of the old and the new text are kept.

        `etag`: of the version that the caller has seen; None: the file is new. `by`: who saves. Raises `Conflict` with
        the current etag if it is another version, `Invalid` if the content is too large, `Malformed` if the current
        file cannot be read, and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written.
        """
        if len(content) > MAX_SHARED_BYTES:
            raise Invalid(f"The file is too large. The limit is {MAX_SHARED_BYTES // 1024} KiB.", field="content")
        with self._locks.holding(self.name), disk_errors(self._file):  # no agent can have this slug
            before = self._safe.read(self.name, limit=MAX_SHARED_BYTES)
            check_etag(before, etag, self._file)
            self.versions.write("", self.name, before, content, by)
        return etag_of(content)
