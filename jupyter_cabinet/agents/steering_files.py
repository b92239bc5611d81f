"""The files that steer agents, as people compare them with earlier versions, and the one that all agents share. Each
with the rights to it. Saving a file of an agent is in `service.py`."""

from __future__ import annotations

import asyncio

from ..core.errors import NotAllowed
from ..core.people import OWNER, Principal, owns
from .files.file_versions import USER, FileVersion, VersionText
from .files.safe_files import AgentFile
from .files.user_file import UserFile
from .roster.roster import Roster


class SteeringFiles:
    """Versions of an agent's files are for those who may see the agent: to everybody else they raise `NotFound`."""

    def __init__(self, *, roster: Roster, user_file: UserFile) -> None:
        self._roster = roster
        self._user_file = user_file

    async def versions(self, slug: str, path: str, principal: Principal) -> list[FileVersion]:
        """Of a file of an agent, newest first."""
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.find, slug, path)

    async def version(self, slug: str, path: str, id: str, principal: Principal) -> VersionText:
        """One of them, with its text."""
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.get, slug, path, id)

    async def user_file(self) -> AgentFile:
        """The file about people. Everybody who may read agents may read it. Raises as `UserFile.read`."""
        return await asyncio.to_thread(self._user_file.read)

    async def save_user_file(self, content: bytes, etag: str | None, principal: Principal) -> str:
        """Save it, and return the new etag. Raises `NotAllowed` for who does not administer the server, and as
        `UserFile.write`."""
        if not owns(principal, OWNER):
            raise NotAllowed(f"Every agent receives {USER}: only an administrator of this server may change it.")
        return await asyncio.to_thread(self._user_file.write, content, etag, by=principal.display_name)

    async def user_file_versions(self) -> list[FileVersion]:
        """Newest first."""
        return await asyncio.to_thread(self._user_file.versions.find, "", USER)

    async def user_file_version(self, id: str) -> VersionText:
        """One of them, with its text."""
        return await asyncio.to_thread(self._user_file.versions.get, "", USER, id)
