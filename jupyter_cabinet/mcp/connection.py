"""The connection to a person's own tool server, local or remote, with the client of the SDK `mcp`, version 1 or 2.

Nothing is granted to the server: its requests for an answer of the model, for folders or for input are refused.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TextIO

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

from ..execution.tools.tool_server_file import GivenServer, OfferedTool
from .remote import remote_streams

START_SECONDS = 60.0  # a package may have to be downloaded first
LIST_SECONDS = 20.0
MOST_TOOLS = 200
MOST_PAGES = 50
LONGEST_NAME, LONGEST_DESCRIPTION, LARGEST_SCHEMA = 128, 20_000, 100_000  # characters, and bytes


class _Session(ClientSession):
    """A session that does not compare results with the schemas that the tool server has for them.

    These schemas are foreign and nobody approves them. In version 1, one of them can make the SDK read any file and any
    address; in both, an expression in it can take hours.
    """

    async def validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        """Accept the result: version 2 asks here."""

    async def _validate_tool_result(self, name: str, result: types.CallToolResult) -> None:
        """Accept the result: version 1 asks here."""


@asynccontextmanager
async def connected(server: GivenServer, folder: Path, *, errors: TextIO = sys.stderr) -> AsyncIterator[ClientSession]:
    """Start the tool server in a folder, or connect to a remote one, and yield the session. Ends that afterwards.

    `errors`: a file for its stderr. Raises any error of the SDK, `OSError` if its program cannot be started, `Unusable`
    for a remote one, and `TimeoutError` if it is not ready after `START_SECONDS`. They may be in groups of exceptions.
    """
    streams = remote_streams(server.address, server.headers) if server.address else _local(server, folder, errors)
    async with streams as (read, write), _Session(read, write) as session:
        async with asyncio.timeout(START_SECONDS):
            await session.initialize()
        yield session


def _local(server: GivenServer, folder: Path, errors: TextIO) -> AbstractAsyncContextManager[Any]:
    program, *arguments = server.command
    # The SDK passes on few variables of the relay, and none of a proxy.
    environment = {**server.proxies, **server.environment}
    parameters = StdioServerParameters(command=program, args=arguments, env=environment, cwd=folder)
    return stdio_client(parameters, errlog=errors)


async def tools_of(session: ClientSession) -> tuple[OfferedTool, ...]:
    """Return all tools that the server offers, in its order.

    Raises `ValueError`, with a sentence for people, beyond the limits of this module or if two tools have the same
    name; `TimeoutError` after `LIST_SECONDS`; and any error of the SDK.
    """
    found: dict[str, OfferedTool] = {}
    cursor: str | None = None
    async with asyncio.timeout(LIST_SECONDS):
        for _ in range(MOST_PAGES):
            page: Any = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            for tool in page.tools:
                if tool.name in found:
                    raise ValueError(f"It offers two tools {tool.name[:LONGEST_NAME]}.")
                found[tool.name] = _offered(tool)
            if len(found) > MOST_TOOLS:
                raise ValueError(f"It offers more than {MOST_TOOLS} tools.")
            said = page.model_dump(mode="json", by_alias=True)
            cursor = said.get("nextCursor")
            if not cursor:
                return tuple(found.values())
    raise ValueError("Its list of tools does not end.")


def _offered(tool: types.Tool) -> OfferedTool:
    said = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    offered = OfferedTool(
        name=said["name"], description=said.get("description", ""), schema=said.get("inputSchema") or {}
    )
    if len(offered.name) > LONGEST_NAME or len(offered.description) > LONGEST_DESCRIPTION:
        raise ValueError(f"The name or the description of the tool {offered.name[:LONGEST_NAME]} is too long.")
    if len(tool.model_dump_json()) > LARGEST_SCHEMA:
        raise ValueError(f"The description of the arguments of the tool {offered.name} is too long.")
    return offered
