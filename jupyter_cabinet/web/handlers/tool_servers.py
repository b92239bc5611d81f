"""`tool-servers`: people's own tool servers (MCP), and which of their tools agents may use."""

from __future__ import annotations

import msgspec

from ...tool_servers.model import (
    NewToolServer,
    ToolApproval,
    ToolServerChange,
    ToolServerOfCli,
    ToolServerView,
)
from ..handler import CabinetHandler
from ..operation import operation


class ToolServerList(msgspec.Struct, frozen=True, kw_only=True):
    """By name. `problems`: sentences about stored tool servers that cannot be read."""

    items: tuple[ToolServerView, ...]
    problems: tuple[str, ...] = ()


class ToolServersOfClisList(msgspec.Struct, frozen=True, kw_only=True):
    """By CLI. `problems`: sentences about files that cannot be read."""

    items: tuple[ToolServerOfCli, ...]
    problems: tuple[str, ...] = ()


class RemovedToolServer(msgspec.Struct, frozen=True, kw_only=True):
    """What was removed."""

    name: str


class ToolServersHandler(CabinetHandler):
    """`tool-servers`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ToolServerList)
    async def get(self) -> None:
        """List your tool servers and those that others share."""
        items, problems = await self.services.tool_servers.find(self.principal)
        self.reply(ToolServerList(items=tuple(items), problems=tuple(problems)))

    @operation("write", body=NewToolServer, gives=ToolServerView, status=201)
    async def post(self) -> None:
        """Add one, and start it or connect to it once to see its tools. Only a person may do this, in the browser."""
        self.reply(await self.services.tool_servers.add(self.body(NewToolServer), self.principal), 201)


class ToolServersOfClisHandler(CabinetHandler):
    """`tool-servers-of-clis`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ToolServersOfClisList)
    async def get(self) -> None:
        """List the tool servers in the settings of the CLIs, of the server's user and of this folder."""
        items, problems = await self.services.tool_servers_of_clis.find(self.principal)
        self.reply(ToolServersOfClisList(items=tuple(items), problems=tuple(problems)))


class ToolServerHandler(CabinetHandler):
    """`tool-servers/{name}`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ToolServerView)
    async def get(self, name: str) -> None:
        """Return one tool server with all its tools, beside the approved ones. Secret values are left out."""
        self.reply(await self.services.tool_servers.get(name, self.principal))

    @operation("write", body=ToolServerChange, gives=ToolServerView)
    async def put(self, name: str) -> None:
        """Change it. If it is started or reached in another way, its tools have to be approved again."""
        self.reply(await self.services.tool_servers.change(name, self.body(ToolServerChange), self.principal))

    @operation("write", gives=RemovedToolServer)
    async def delete(self, name: str) -> None:
        """Remove it, with the values of its variables or headers."""
        await self.services.tool_servers.remove(name, self.principal)
        self.reply(RemovedToolServer(name=name))


class ToolServerLookHandler(CabinetHandler):
    """`tool-servers/{name}/look`"""

    auth_resource = "cabinet-agents"

    @operation("write", gives=ToolServerView)
    async def post(self, name: str) -> None:
        """Start it or connect to it once, and keep what it offers now. What is approved stays approved."""
        self.reply(await self.services.tool_servers.look(name, self.principal))


class ToolServerApprovalHandler(CabinetHandler):
    """`tool-servers/{name}/approval`"""

    auth_resource = "cabinet-agents"

    @operation("write", body=ToolApproval, gives=ToolServerView)
    async def put(self, name: str) -> None:
        """Let agents use exactly these tools. Only a person may do this, in the browser."""
        self.reply(await self.services.tool_servers.approve(name, self.body(ToolApproval), self.principal))
