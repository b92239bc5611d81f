"""Earlier versions of the files that steer agents, and the files that all agents share, with permission checks.

`service.py` saves the files of an agent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ..core.errors import NotAllowed
from ..core.people import OWNER, Principal, owns
from .files.file_versions import PROTOCOL, FileVersion, VersionText
from .files.safe_files import AgentFile
from .files.shared_file import SharedFile
from .prompts.briefing import SHARED_KIND
from .prompts.gathering import protocol_hash_of
from .roster.roster import Roster


class SteeringFiles:
    """Versions of agents' files, and the shared files `USER.md` and `PROTOCOL.md`.

    For an agent that the caller may not see, methods raise `NotFound`.
    """

    def __init__(self, *, roster: Roster, shared: Iterable[SharedFile]) -> None:
        self._roster = roster
        self._shared = {each.name: each for each in shared}

    async def versions(self, slug: str, path: str, principal: Principal) -> list[FileVersion]:
        """Return the versions of an agent's file, newest first; empty if it has none.

        Raises `Invalid` if no versions are kept of files with this path.
        """
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.find, slug, path)

    async def version(self, slug: str, path: str, id: str, principal: Principal) -> VersionText:
        """Return one version of an agent's file with its text. Raises `NotFound`, `Invalid`."""
        await self._roster.get(slug, principal)
        return await asyncio.to_thread(self._roster.folders.versions.get, slug, path, id)

    async def shared_file(self, name: str) -> AgentFile:
        """Return one of the files `SHARED`. Everyone who may read agents may read it. Raises as `SharedFile.read`."""
        return await asyncio.to_thread(self._shared[name].read)

    async def save_shared_file(self, name: str, content: bytes, etag: str | None, principal: Principal) -> str:
        """Save one of the files `SHARED` and return its new etag.

        `PROTOCOL.md` steers agents, so a person who saves it in the browser confirms this version; after any other
        change it is left out of prompts. Raises `NotAllowed` if the caller does not administer the server, and as
        `SharedFile.write`.
        """
        if not owns(principal, OWNER):
            raise NotAllowed(f"Every agent receives {name}: only an administrator of this server may change it.")
        saved = await asyncio.to_thread(self._shared[name].write, content, etag, by=principal.display_name)
        if name == PROTOCOL and principal.in_browser:
            what = f"{SHARED_KIND}/{name}"
            await self._roster.trust.confirm_version(what, protocol_hash_of(content), content, principal)
        return saved

    async def is_confirmed(self, file: AgentFile) -> bool:
        """Return whether agents receive this version of a file that they share. Always true for `USER.md`."""
        if file.path != PROTOCOL:
            return True
        return await self._roster.trust.is_confirmed(f"{SHARED_KIND}/{PROTOCOL}", protocol_hash_of(file.content))

    async def shared_file_versions(self, name: str) -> list[FileVersion]:
        """Return the versions of one of the files `SHARED`, newest first."""
        return await asyncio.to_thread(self._shared[name].versions.find, "", name)

    async def shared_file_version(self, name: str, id: str) -> VersionText:
        """Return one version of one of the files `SHARED`, with its text. Raises `NotFound` if it is not kept or
        damaged.

        `name` must be one of `SHARED`. Bytes that are not UTF-8 are replaced.
        """
        return await asyncio.to_thread(self._shared[name].versions.get, "", name, id)
