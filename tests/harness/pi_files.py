"""Sessions in pi's format, written by tests: the simplest one to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class PiFile:
    """A session file that grows. `folder`: of all sessions of pi."""

    def __init__(self, folder: Path, native_id: str, *, cwd: str = "/work/project", tree: bool = True) -> None:
        self.path = folder / "--work--" / f"2026-01-01T00-00-00-000Z_{native_id}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.last: str | None = None
        self.count = 0
        self.tree = tree
        self.write({"type": "session", "version": 3, "id": native_id, "timestamp": self.time(), "cwd": cwd})

    def time(self) -> str:
        return f"2026-01-01T{self.count // 3600 % 24:02}:{self.count // 60 % 60:02}:{self.count % 60:02}.000Z"

    def write(self, line: dict[str, Any], *, torn: bool = False) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(line)[: -5 if torn else None] + ("" if torn else "\n"))

    def entry(self, line: dict[str, Any], *, parent: str | None = None) -> str:
        self.count += 1
        own = f"e{self.count}"
        place = {"id": own, "parentId": parent or self.last} if self.tree else {}
        self.write({**line, **place, "timestamp": self.time()})
        self.last = own
        return own

    def message(self, role: str, text: str, *, parent: str | None = None, **more: Any) -> str:
        content = [{"type": "text", "text": text}] if text else []
        return self.entry({"type": "message", "message": {"role": role, "content": content, **more}}, parent=parent)

    def user(self, text: str, **more: Any) -> str:
        return self.message("user", text, **more)

    def assistant(self, text: str, *, tokens: int = 100, **more: Any) -> str:
        usage = {"input": tokens, "output": 20, "cost": {"total": 0.5}}
        return self.message("assistant", text, model="big-1", usage=usage, **more)

    def call(self, tool: str, arguments: dict[str, Any], output: str, *, is_error: bool = False) -> None:
        call_id = f"c{self.count}"
        block = {"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}
        usage = {"input": 100, "output": 20, "cost": {"total": 0.5}}
        message = {"role": "assistant", "model": "big-1", "content": [block], "usage": usage}
        self.entry({"type": "message", "message": message})
        self.message("toolResult", output, toolCallId=call_id, isError=is_error)
