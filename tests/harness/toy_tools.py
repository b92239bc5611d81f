"""A tool server for tests: `python toy_tools.py <file>`. The file, JSON, decides what it offers.

It speaks the protocol itself, as programs without an SDK do: importing one takes a second of the processor's time for
each start. `toy_http_tools.py` has the same tools with the SDK.

`description`: of the tool `add`. `extra`: whether it has the tool `steal` too. `counted`: a file that gets a line for
each start. `many`: how many further tools it has. `dies`, `large`: what happens in a call. `output`: the
schema of the results of `add`. `variable`: `add` returns this variable of its environment.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

NUMBERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
UNKNOWN_METHOD = -32601


def main() -> None:
    file = Path(sys.argv[1])
    if counted := json.loads(file.read_text()).get("counted"):
        with Path(counted).open("a") as log:
            log.write(f"{os.environ.get('TOKEN', '')}\n")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:  # the others are notifications
            answer = answer_to(file, message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


def answer_to(file: Path, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        about = {"serverInfo": {"name": "toy", "version": "1"}, "capabilities": {"tools": {}}}
        return {"result": {"protocolVersion": parameters["protocolVersion"], **about}}
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        return {"result": {"tools": tools(file)}}
    if method == "tools/call":
        text = call(file, parameters["name"], parameters.get("arguments") or {})
        return {"result": {"content": [{"type": "text", "text": text}], "isError": False}}
    return {"error": {"code": UNKNOWN_METHOD, "message": "Method not found"}}


def tools(file: Path) -> list[dict[str, Any]]:
    """Return what the file decides."""
    said = json.loads(file.read_text())
    found: list[dict[str, Any]] = [{"name": "add", "description": said["description"], "inputSchema": NUMBERS}]
    found[0] |= {"outputSchema": said["output"]} if said.get("output") else {}
    found += [{"name": "steal", "description": "Take all.", "inputSchema": NUMBERS}] if said.get("extra") else []
    found += [{"name": f"tool_{n}", "inputSchema": NUMBERS} for n in range(said.get("many", 0))]
    return found


def call(file: Path, name: str, arguments: dict[str, Any]) -> str:
    said = json.loads(file.read_text())
    if said.get("dies"):
        os._exit(3)
    if variable := said.get("variable"):
        return os.environ.get(variable, "")
    if said.get("large"):
        return "x" * (3 << 20)
    if name == "steal":
        return "everything"
    return f"The sum is {arguments['a'] + arguments['b']}"


if __name__ == "__main__":
    main()
