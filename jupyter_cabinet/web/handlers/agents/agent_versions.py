"""Earlier versions of the files that steer agents, and the files that all agents share."""

from __future__ import annotations

import msgspec

from ....agents.files.file_versions import PROTOCOL, USER, VERSIONED, FileVersion, VersionText
from ....agents.files.safe_files import PERSONA
from ...handler import CabinetHandler
from ...operation import Query, operation
from .agent_items import AgentFileContent, SavedFile, SaveFile, content_of

FILE = (Query(name="path", about=f"one of `{'`, `'.join(VERSIONED)}`; without it `{PERSONA}`"),)


class FileVersionList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    items: tuple[FileVersion, ...]


class ProtocolFile(AgentFileContent, frozen=True, kw_only=True):
    """The rules of the team, as text. `confirmed`: agents receive them, because a person has confirmed this version."""

    confirmed: bool


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
        self.reply(content_of(await self.services.steering_files.shared_file(USER)))

    @operation("write", body=SaveFile, gives=SavedFile)
    async def put(self) -> None:
        """Save it, unless it was changed meanwhile. For administrators of the server."""
        await save_shared(self, USER)


class UserFileVersionsHandler(CabinetHandler):
    """`user-file/versions`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=FileVersionList)
    async def get(self) -> None:
        """List the last 50 versions of `.agents/USER.md`, including the saved one."""
        self.reply(FileVersionList(items=tuple(await self.services.steering_files.shared_file_versions(USER))))


class UserFileVersionHandler(CabinetHandler):
    """`user-file/versions/{id}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=VersionText)
    async def get(self, version: str) -> None:
        """Return one version of it, with its text."""
        self.reply(await self.services.steering_files.shared_file_version(USER, version))


class ProtocolFileHandler(CabinetHandler):
    """`protocol-file`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ProtocolFile)
    async def get(self) -> None:
        """Return `.agents/PROTOCOL.md`: the rules of the team, which every agent receives once a person has confirmed
        them.
        """
        files = self.services.steering_files
        found = await files.shared_file(PROTOCOL)
        content = content_of(found)
        confirmed = await files.is_confirmed(found)
        self.reply(ProtocolFile(path=content.path, text=content.text, etag=content.etag, confirmed=confirmed))

    @operation("write", body=SaveFile, gives=SavedFile)
    async def put(self) -> None:
        """Save it, unless it was changed meanwhile. For administrators of the server. Saving it in the browser confirms
        this text, even if it is unchanged.
        """
        await save_shared(self, PROTOCOL)


class ProtocolFileVersionsHandler(CabinetHandler):
    """`protocol-file/versions`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=FileVersionList)
    async def get(self) -> None:
        """List the last 50 versions of `.agents/PROTOCOL.md`, including the saved one."""
        self.reply(FileVersionList(items=tuple(await self.services.steering_files.shared_file_versions(PROTOCOL))))


class ProtocolFileVersionHandler(CabinetHandler):
    """`protocol-file/versions/{id}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=VersionText)
    async def get(self, version: str) -> None:
        """Return one version of it, with its text."""
        self.reply(await self.services.steering_files.shared_file_version(PROTOCOL, version))


async def save_shared(handler: CabinetHandler, name: str) -> None:
    """Save a file that all agents share, and reply with its new etag."""
    body = handler.body(SaveFile)
    save = handler.services.steering_files.save_shared_file
    handler.reply(SavedFile(path=name, etag=await save(name, body.text.encode(), body.etag, handler.principal)))
