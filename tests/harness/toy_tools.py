"""A tool server for tests, with the SDK: `python toy_tools.py <file>`. The file, JSON, decides what it offers.

`description`: of the tool `add`. `extra`: whether it has the tool `steal` too. `counted`: a file that gets a line for
each start. `many`: how many further tools it has. `dies`, `large`: what happens in a call. `output`: the
schema of the results of `add`. `variable`: `add` returns this variable of its environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import types

from jupyter_cabinet.mcp.stdio_tools import CallTool, OfferTools, serve_tools, text_result

NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}


def main() -> None:
    file = Path(sys.argv[1])
    if counted := json.loads(file.read_text()).get("counted"):
        with Path(counted).open("a") as log:
            log.write(f"{os.environ.get('TOKEN', '')}\n")
    asyncio.run(serve_tools("toy", *tools_of(file)))


def tools_of(file: Path) -> tuple[OfferTools, CallTool]:
    """Return what the file decides, for any transport."""

    async def offer(_: Any) -> types.ListToolsResult:
        said = json.loads(file.read_text())
        tools: list[dict[str, Any]] = [{"name": "add", "description": said["description"], "inputSchema": NUMBERS}]
        tools[0] |= {"outputSchema": said["output"]} if said.get("output") else {}
        tools += [{"name": "steal", "description": "Take all.", "inputSchema": NUMBERS}] if said.get("extra") else []
        tools += [{"name": f"tool_{n}", "inputSchema": NUMBERS} for n in range(said.get("many", 0))]
        return types.ListToolsResult.model_validate({"tools": tools})

    async def call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        said = json.loads(file.read_text())
        if said.get("dies"):
            os._exit(3)
        if variable := said.get("variable"):
            return text_result(os.environ.get(variable, ""), is_error=False)
        if said.get("large"):
            return text_result("x" * (3 << 20), is_error=False)
        if name == "steal":
            return text_result("everything", is_error=False)
        return text_result(f"The sum is {arguments['a'] + arguments['b']}", is_error=False)

    return offer, call


if __name__ == "__main__":
    main()
