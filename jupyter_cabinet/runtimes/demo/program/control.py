"""The demo agent's side of Claude Code's control protocol: JSON lines on stdin and stdout. Standard library only."""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any, BinaryIO

QUESTION_TOOL = "AskUserQuestion"


class Control:
    """Sends questions to the program that started the agent, and waits for answers."""

    def __init__(self, stdin: BinaryIO) -> None:
        self._stdin = stdin

    def prompt(self) -> str:
        """Return the first user message, waiting for it. Requests before it are answered.

        Empty if stdin ends before.
        """
        for line in self._lines():
            if line.get("type") == "user":
                return str(line.get("message", {}).get("content", ""))
            if line.get("type") == "control_request":
                reply = {"subtype": "success", "request_id": line.get("request_id"), "response": {"commands": []}}
                _emit({"type": "control_response", "response": reply})
        return ""

    def may_use(self, tool: str, arguments: dict[str, Any], call_id: str) -> dict[str, Any]:
        """Ask, wait for the answer without a limit, and return the decision.

        Empty, which means no, if stdin ends before.
        """
        request_id = str(uuid.uuid4())
        request = {"subtype": "can_use_tool", "tool_name": tool, "input": arguments, "tool_use_id": call_id}
        _emit({"type": "control_request", "request_id": request_id, "request": request})
        for line in self._lines():
            reply = line.get("response", {})
            if line.get("type") == "control_response" and reply.get("request_id") == request_id:
                return dict(reply.get("response", {}))
        return {}

    def _lines(self) -> Any:
        while line := self._stdin.readline():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def _emit(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
