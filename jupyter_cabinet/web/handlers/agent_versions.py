"""Earlier versions of the files that steer agents, and `USER.md`, the one that all agents share."""

from __future__ import annotations

import msgspec

from ...agents.files.file_versions import VERSIONED, FileVersion, VersionText
from ...agents.files.safe_files import PERSONA
from ..handler import CabinetHandler
from ..operation import Query, operation
from .agent_items import AgentFileContent, SavedFile, SaveFile, content_of

FILE = (Query(name="path", about=f"one of `{'`, `'.join(VERSIONED)}`; without it `{PERSONA}`"),)


class FileVersionList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    items: tuple[FileVersion, ...]


class AgentFileVersionsHandler(CabinetHandler):
    """`agents/{name}/versions`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=FileVersionList, query=FILE)
    async def get(self, slug: str) -> None:
        """List the last 50 versions of a file that steers the agent, including the saved one.

        Restore one by saving its text.
        """
        path = self.text_argument("path") or PERSONA
        self.reply(
            FileVersionList(items=tuple(await self.services.steering_files.versions(slug, path, self.principal)))
        )


class AgentFileVersionHandler(CabinetHandler):
    """`agents/{name}/versions/{id}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=VersionText, query=FILE)
    async def get(self, slug: str, version: str) -> None:
        """Return one version of a file, with its text."""
        path = self.text_argument("path") or PERSONA
        self.reply(await self.services.steering_files.version(slug, path, version, self.principal))


class UserFileHandler(CabinetHandler):
    """`user-file`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=AgentFileContent)
    async def get(self) -> None:
        """Return `.agents/USER.md`: facts about the people here, which every agent receives."""
        self.reply(content_of(await self.services.steering_files.user_file()))

    @operation("write", body=SaveFile, gives=SavedFile)
    async def put(self) -> None:
        """Save it, unless it was changed meanwhile. For administrators of the server."""
        body = self.body(SaveFile)
        save = self.services.steering_files.save_user_file
        etag = await save(body.text.encode(), body.etag, self.principal)
        self.reply(SavedFile(path="USER.md", etag=etag))


class UserFileVersionsHandler(CabinetHandler):
    """`user-file/versions`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=FileVersionList)
    async def get(self) -> None:
        """List the last 50 versions of `.agents/USER.md`, including the saved one."""
        self.reply(FileVersionList(items=tuple(await self.services.steering_files.user_file_versions())))


class UserFileVersionHandler(CabinetHandler):
    """`user-file/versions/{id}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=VersionText)
    async def get(self, version: str) -> None:
        """Return one version of it, with its text."""
        self.reply(await self.services.steering_files.user_file_version(version))
