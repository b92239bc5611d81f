"""A tool server for tests: MCP over stdio with one tool that answers with its argument. Standard library."""

import json
import os
import sys

TOOL = {
    "name": "double",
    "description": "Says a word twice.",
    "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
}


def answer(method: str, parameters: dict) -> dict | None:
    if method == "initialize":
        about = {"name": "cab", "version": "1"}
        return {
            "protocolVersion": parameters["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": about,
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        word = parameters["arguments"]["word"]
        return {"content": [{"type": "text", "text": f"{word} {word} {os.environ.get('CAB_TICKET', '-')}"}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params") or {})
        error = {"error": {"code": -32601, "message": "unknown"}}
        told = {"jsonrpc": "2.0", "id": request["id"], **({"result": result} if result is not None else error)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
