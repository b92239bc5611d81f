"""The data types of tool servers. Also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from ..core.events import Event
from ..execution.tools.tool_server_file import OfferedTool
from ..runtimes.own_tool_servers import Transport, Use

# approved: agents may use it. new: nobody has approved it. changed: its server describes it differently than approved.
# gone: it was approved, and its server no longer offers it
ToolState = Literal["approved", "new", "changed", "gone"]


class ToolProposal(msgspec.Struct, frozen=True, kw_only=True):
    """That an agent proposes the tool server. `reason`: what it is for, as the agent says."""

    agent: str  # slug
    reason: str
    at: datetime


class ToolServer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server as it is stored, without its secrets. `problem`: of the last look at it; empty: it works.

    It has either a command or an address.
    """

    name: str
    owner: str  # username of the person who has added it
    command: tuple[str, ...] = ()  # the program with its absolute path, and its arguments
    variables: tuple[str, ...] = ()  # names of the environment variables that it gets; their values are secrets
    address: str = ""  # of a remote tool server
    headers: tuple[str, ...] = ()  # names of the headers that it gets; their values are secrets
    shared: bool = False  # whether it also works for agents of other people
    shared_login: bool = False  # it was added where everybody who is logged in is the owner
    found: tuple[OfferedTool, ...] = ()  # what it offered at the last look
    approved: tuple[OfferedTool, ...] = ()
    problem: str = ""
    looked_at: datetime
    proposal: ToolProposal | None = None  # until a person has decided about its tools


class NewToolServer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Either a `program`, a name or an absolute path, or the `address` of a remote tool server.

    `environment`: variables with their values, which are kept secret. `headers`: likewise. In the value of a header,
    `${NAME}` stands for a variable of the server.
    """

    name: str
    program: str = ""
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    address: str = ""
    headers: dict[str, str] = {}
    shared: bool = False


class ToolServerChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fields that are absent stay as they are. A variable or a header without a value (`null`) keeps what it has.

    A program does not become an address, nor an address a program.
    """

    program: str | None = None
    arguments: tuple[str, ...] | None = None
    environment: dict[str, str | None] | None = None
    address: str | None = None
    headers: dict[str, str | None] | None = None
    shared: bool | None = None


class ToolApproval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`tools`: names of all tools that agents may use. `hash`: of what the person has seen."""

    tools: tuple[str, ...]
    hash: str


class ToolView(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as people see it. `before`, `schema_before`: as it was approved, if it has changed since."""

    name: str
    state: ToolState
    description: str
    schema: dict[str, Any]
    before: str = ""
    schema_before: dict[str, Any] = {}
    hidden_characters: int = 0


class ToolServerView(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server as people see it. `hash`: of its command or address, its variables or headers, and its tools."""

    name: str
    owner: str
    mine: bool
    shared: bool
    command: tuple[str, ...]
    variables: tuple[str, ...]
    address: str = ""
    headers: tuple[str, ...] = ()
    tools: tuple[ToolView, ...]
    agents: tuple[str, ...]  # slugs of the agents that list it
    problem: str
    warnings: tuple[str, ...] = ()
    looked_at: datetime
    hash: str
    proposal: ToolProposal | None = None  # an agent proposes it, and no person has approved tools of it yet


class ToolServerOfCli(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server in the settings of a CLI, without secrets: variables and headers have only their names.

    `use`: whether runs without an agent have it: `if_trusted` if the CLI wants a person to trust the folder first.
    """

    runtime: str
    title: str  # of the CLI
    name: str
    path: str  # of the file
    transport: Transport
    command: tuple[str, ...] = ()
    address: str = ""
    variables: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    use: Use


class ToolServersChanged(Event, frozen=True, kw_only=True, tag="tool_servers_changed"):
    """Event: a tool server was added, changed, looked at or removed here. Clients fetch the list again."""

    resource = "cabinet-agents"

    name: str
    at: datetime
