"""The least that a tool server is: the SDK, one tool, an answer from memory. Run by `tool_calls.py`."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp import types

from jupyter_cabinet.mcp.stdio_tools import serve_tools, text_result

TOOL = {"name": "cells_list", "description": "List.", "inputSchema": {"type": "object", "properties": {}}}


async def offer(_session: Any) -> types.ListToolsResult:
    return types.ListToolsResult.model_validate({"tools": [TOOL]})


async def call(_name: str, _arguments: dict[str, Any]) -> types.CallToolResult:
    return text_result("one", is_error=False)


asyncio.run(serve_tools("bare", offer, call))
