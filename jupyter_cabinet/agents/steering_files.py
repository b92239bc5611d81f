"""Earlier versions of the files that steer agents, and the `USER.md` that all agents share, with permission checks.

`service.py` saves the files of an agent.
"""

from __future__ import annotations

import asyncio

from ..core.errors import NotAllowed
from ..core.people import OWNER, Principal, owns
from .files.file_versions import USER, FileVersion, VersionText
from .files.safe_files import AgentFile
from .files.user_file import UserFile
from .roster.roster import Roster


class SteeringFiles:
    """Versions of agents' files, and the shared `USER.md`.

    For an agent that the caller may not see, methods raise `NotFound`.
    """

    def __init__(self, *, roster: Roster, user_file: UserFile) -> None:
        self._roster = roster
        self._user_file = user_file

    async def versions(self, slug: str, path: str, principal: Principal) -> list[FileVersion]:
        """Return the versions of an agent's file, newest first. Raises `Invalid` if none are kept of this file."""
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.find, slug, path)

    async def version(self, slug: str, path: str, id: str, principal: Principal) -> VersionText:
        """Return one version of an agent's file with its text. Raises `NotFound`, `Invalid`."""
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.get, slug, path, id)

    async def user_file(self) -> AgentFile:
        """Return `USER.md`. Everyone who may read agents may read it. Raises as `UserFile.read`."""
        return await asyncio.to_thread(self._user_file.read)

    async def save_user_file(self, content: bytes, etag: str | None, principal: Principal) -> str:
        """Save `USER.md` and return its new etag.

        Raises `NotAllowed` if the caller does not administer the server, and as `UserFile.write`.
        """
        if not owns(principal, OWNER):
            raise NotAllowed(f"Every agent receives {USER}: only an administrator of this server may change it.")
        return await asyncio.to_thread(self._user_file.write, content, etag, by=principal.display_name)

    async def user_file_versions(self) -> list[FileVersion]:
        """Return the versions of `USER.md`, newest first."""
        return await asyncio.to_thread(self._user_file.versions.find, "", USER)

    async def user_file_version(self, id: str) -> VersionText:
        """Return one version of `USER.md` with its text. Raises `NotFound`."""
        return await asyncio.to_thread(self._user_file.versions.get, "", USER, id)
