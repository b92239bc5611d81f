"""An agent that speaks the Agent Client Protocol and keeps its sessions where nobody looks: `python toy_acp_agent.py`.

It answers an instruction with a tool call and with all instructions of its session. `fail` in an instruction ends its
answer with a refusal. `TOY_AGENT_HOME` is the folder with its sessions. With the argument `counts`, the session of each
process is number 0; with `forgets`, it cannot load a session.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

MODES = {
    "currentModeId": "default",
    "availableModes": [{"id": "default", "name": "Default"}, {"id": "acceptEdits", "name": "Edit"}],
}
SESSION_IS_GONE = -32002


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            send({"id": message["id"], **answer(message["method"], message.get("params", {}))})


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return {"result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": "forgets" not in sys.argv}}}
        case "session/new":
            id = "0" if "counts" in sys.argv else f"toy-{uuid.uuid4().hex[:12]}"
            place(id).write_text("[]")
            return {"result": {"sessionId": id, "modes": MODES}}
        case "session/load":
            if place(params["sessionId"]).exists():
                return {"result": {"modes": MODES}}
            return {"error": {"code": SESSION_IS_GONE, "message": "Resource not found"}}
        case "session/prompt":
            return {"result": {"stopReason": prompted(params)}}
    return {"result": {}}


def prompted(params: dict[str, Any]) -> str:
    session = params["sessionId"]
    text = "".join(block.get("text", "") for block in params["prompt"])
    said = [*json.loads(place(session).read_text()), text]
    place(session).write_text(json.dumps(said))
    if "fail" in text:
        return "refusal"
    call = {"toolCallId": "1", "title": "look around", "kind": "read", "rawInput": {"path": "here"}}
    update(session, sessionUpdate="tool_call", status="pending", **call)
    seen = [{"type": "content", "content": {"type": "text", "text": "a quiet place"}}]
    update(session, sessionUpdate="tool_call_update", toolCallId="1", status="completed", content=seen)
    update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": f"You said: {said}"})
    return "end_turn"


def update(session: str, **fields: Any) -> None:
    send({"method": "session/update", "params": {"sessionId": session, "update": fields}})


def place(session: str) -> Path:
    return Path(os.environ["TOY_AGENT_HOME"]) / session


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
