"""Serves tools over stdin and stdout by the Model Context Protocol, with the SDK `mcp` (extra `mcp`), version 1 or 2.

Only the SDK's low-level server is used, which both versions have; they differ in how a handler is registered, and send
the same data.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ..core.version import VERSION

OfferTools = Callable[[Any], Awaitable[types.ListToolsResult]]  # of a session of the SDK
CallTool = Callable[[str, dict[str, Any]], Awaitable[types.CallToolResult]]


async def serve_tools(name: str, offer: OfferTools, call: CallTool) -> None:
    """Serve these tools over stdin and stdout until stdin ends. `name`: of the tool server, as the CLI sees it.

    `offer` is called for each request for the list, `call` for each call, possibly several at once.
    """
    server = tools_server(name, offer, call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def tools_server(name: str, offer: OfferTools, call: CallTool) -> Any:
    """Return the SDK's low-level server with these tools, for any transport."""
    is_second = "on_list_tools" in inspect.signature(Server.__init__).parameters
    return (_second if is_second else _first)(name, offer, call)


def text_result(text: str, *, is_error: bool) -> types.CallToolResult:
    """Return a result that is one text."""
    return types.CallToolResult.model_validate({"content": [{"type": "text", "text": text}], "isError": is_error})


def _second(name: str, offer: OfferTools, call: CallTool) -> Any:
    """Version 2: handlers are given to the constructor, and get a context and the parameters."""

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return await offer(context.session)

    async def call_tool(context: Any, parameters: Any) -> types.CallToolResult:
        return await call(parameters.name, parameters.arguments or {})

    return Server(name, version=VERSION, on_list_tools=list_tools, on_call_tool=call_tool)


def _first(name: str, offer: OfferTools, call: CallTool) -> Any:
    """Version 1: handlers are in a table by the type of the request, and get the whole request."""
    server: Any = Server(name, version=VERSION)
    known: Any = types

    async def list_tools(request: Any) -> Any:
        return known.ServerResult(await offer(server.request_context.session))

    async def call_tool(request: Any) -> Any:
        return known.ServerResult(await call(request.params.name, request.params.arguments or {}))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server
