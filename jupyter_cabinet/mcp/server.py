"""Offers Cabinet's tools over the Model Context Protocol.

The schemas are ours (`agents/prompts/tool_list.py`), and our server checks arguments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from mcp import types

from ..agents.prompts.tool_list import TOOLS
from .server_calls import ServerCalls
from .stdio_tools import serve_tools, text_result

NAME = "jupyter-cabinet"
PING_SECONDS = 2.0  # a CLI that has not answered the ping by then has read the list
TAKEN_IN_SECONDS = 0.2  # from reading the list to offering its tools to the model


async def serve(calls: ServerCalls, *, groups: Collection[str]) -> None:
    """Serve the tools of these groups over stdin and stdout, until stdin ends. Unknown groups have no tools.

    After each request for the list, reports to Cabinet's server that the CLI knows the tools.
    """
    offered = _offered(groups)
    telling: set[asyncio.Task[None]] = set()

    async def offer(session: Any) -> types.ListToolsResult:
        task = asyncio.create_task(_tell_known(session, calls))
        telling.add(task)
        task.add_done_callback(telling.discard)
        return offered

    async def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        reply = await calls.call(name, arguments)
        return text_result(reply.text, is_error=reply.is_error)

    await serve_tools(NAME, offer, call)


async def _tell_known(session: Any, calls: ServerCalls) -> None:
    """Report when the CLI has read the list, which is sent before the ping: it answers in order."""
    with suppress(Exception):  # any error of the SDK for a CLI that knows no ping or is gone
        async with asyncio.timeout(PING_SECONDS):
            await session.send_ping()
    await asyncio.sleep(TAKEN_IN_SECONDS)
    await calls.tell_known()


def _offered(groups: Collection[str]) -> types.ListToolsResult:
    tools = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema()}
        for tool in TOOLS
        if tool.group in groups
    ]
    return types.ListToolsResult.model_validate({"tools": tools})
