"""What the demo agent remembers of a session: one JSONL file, in the form of Claude Code's transcripts.

Standard library only. Files lie in `$XDG_STATE_HOME/jupyter-cabinet/demo/`, else below `~/.local/state`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ID_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,127}")


def folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where the sessions lie."""
    state = environment.get("XDG_STATE_HOME")
    return (Path(state) if state else home / ".local" / "state") / "jupyter-cabinet" / "demo"


class Session:
    """One conversation; every line is on disk, where it can be, before anybody hears of it."""

    def __init__(self, session_id: str, place: Path) -> None:
        self.id = session_id
        self.path = place / f"{session_id}.jsonl"
        self._count = 0
        self.unwritten: list[dict[str, Any]] = []  # where the folder takes none: known until the agent ends
        self.document: str | None = None  # the one that the last instruction was about

    @property
    def exists(self) -> bool:
        """Whether anything of it is on disk."""
        return self.path.is_file()

    def user(self, text: str) -> None:
        """Note an instruction."""
        self._write("user", text)

    def assistant(self, blocks: list[dict[str, Any]]) -> None:
        """Note blocks of the agent's message."""
        self._write("assistant", blocks)

    def results(self, blocks: list[dict[str, Any]]) -> None:
        """Note blocks with results of tools."""
        self._write("user", blocks)

    def told(self) -> list[str]:
        """What a person asked to remember, in order."""
        found = []
        for line in self._lines():
            content = line.get("message", {}).get("content")
            if line.get("type") == "user" and isinstance(content, str):
                found += re.findall(r"^remember\s+(?:that\s+)?(.+)", content, re.IGNORECASE | re.MULTILINE)
        return found

    def _lines(self) -> list[dict[str, Any]]:
        try:
            raw = self.path.read_text(encoding="utf-8").splitlines()
        except OSError:
            raw = []
        found = []
        for line in raw:
            try:
                found.append(json.loads(line))
            except ValueError:  # the last line of a session that was killed
                continue
        return found + self.unwritten

    def _write(self, kind: str, content: str | list[dict[str, Any]]) -> None:
        self._count += 1
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message["id"] = f"demo-{os.getpid()}-{self._count}"
        line = {"type": kind, "sessionId": self.id, "message": message}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError:
            self.unwritten.append(line)
