"""Offers Cabinet's tools over the Model Context Protocol, with the SDK `mcp` (extra `mcp`), version 1 or 2.

Only the SDK's low-level server is used, which both versions have; they differ in how a handler is registered, and send
the same data. The schemas are ours (`agents/prompts/tool_list.py`), and our server checks arguments.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ..agents.prompts.tool_list import TOOLS
from ..core.version import VERSION
from .server_calls import ServerCalls

NAME = "jupyter-cabinet"
PING_SECONDS = 2.0  # a CLI that has not answered the ping by then has read the list
TAKEN_IN_SECONDS = 0.2  # from reading the list to offering its tools to the model

OfferTools = Callable[[Any], Awaitable[types.ListToolsResult]]  # of a session of the SDK
CallTool = Callable[[str, dict[str, Any]], Awaitable[types.CallToolResult]]


async def serve(calls: ServerCalls, *, groups: Collection[str]) -> None:
    """Serve the tools of these groups over stdin and stdout, until stdin ends."""
    offered = _offered(groups)
    telling: set[asyncio.Task[None]] = set()

    async def offer(session: Any) -> types.ListToolsResult:
        task = asyncio.create_task(_tell_known(session, calls))
        telling.add(task)
        task.add_done_callback(telling.discard)
        return offered

    async def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        reply = await calls.call(name, arguments)
        content = [{"type": "text", "text": reply.text}]
        return types.CallToolResult.model_validate({"content": content, "isError": reply.is_error})

    is_second = "on_list_tools" in inspect.signature(Server.__init__).parameters
    server = (_second if is_second else _first)(offer, call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


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


def _second(offer: OfferTools, call: CallTool) -> Any:
    """Version 2: handlers are given to the constructor, and get a context and the parameters."""

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return await offer(context.session)

    async def call_tool(context: Any, parameters: Any) -> types.CallToolResult:
        return await call(parameters.name, parameters.arguments or {})

    return Server(NAME, version=VERSION, on_list_tools=list_tools, on_call_tool=call_tool)


def _first(offer: OfferTools, call: CallTool) -> Any:
    """Version 1: handlers are in a table by the type of the request, and get the whole request."""
    server: Any = Server(NAME, version=VERSION)
    known: Any = types

    async def list_tools(request: Any) -> Any:
        return known.ServerResult(await offer(server.request_context.session))

    async def call_tool(request: Any) -> Any:
        return known.ServerResult(await call(request.params.name, request.params.arguments or {}))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server
