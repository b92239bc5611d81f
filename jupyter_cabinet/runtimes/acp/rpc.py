"""JSON-RPC 2.0 as ACP uses it, one object per line: request numbers, open requests, output. Pure.

It does not know what the messages mean. Called by `client.py`.
"""

from __future__ import annotations

import json
from typing import Any

METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602


class Rpc:
    """Our side of one connection."""

    def __init__(self) -> None:
        self._open: dict[int, str] = {}  # our requests that wait for an answer, by number
        self._count = 0
        self._outbox = b""

    def ask(self, method: str, params: dict[str, Any]) -> None:
        """Add a request to what `take` returns. `answered` recognizes its answer."""
        self._open[self._count] = method
        self._say({"id": self._count, "method": method, "params": params})
        self._count += 1

    def reply(self, request_id: Any, result: dict[str, Any]) -> None:
        """Add an answer to the agent to what `take` returns. `request_id`: of its request, of any JSON type."""
        self._say({"id": request_id, "result": result})

    def refuse(self, request_id: Any, code: int) -> None:
        """Add a JSON-RPC error to what `take` returns, as the answer to the agent's request."""
        message = "Method not found" if code == METHOD_NOT_FOUND else "Invalid params"
        self._say({"id": request_id, "error": {"code": code, "message": message}})

    def answered(self, line: dict[str, Any]) -> str | None:
        """Return our method that this line answers; None if it answers none. Each request is answered once."""
        number = line.get("id")
        return self._open.pop(number, None) if type(number) is int else None

    def take(self) -> bytes:
        """Return what has to be written now, and forget it; possibly nothing."""
        piece, self._outbox = self._outbox, b""
        return piece

    def _say(self, message: dict[str, Any]) -> None:
        self._outbox += json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
