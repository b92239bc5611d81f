"""The demo agent's memory of a session: one JSONL file, in the form of Claude Code's transcripts.

Standard library only. Files are in `$XDG_STATE_HOME/jupyter-cabinet/demo/`, else below `~/.local/state`.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ID_PATTERN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,127}")


def folder(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder of the sessions."""
    state = environment.get("XDG_STATE_HOME")
    return (Path(state) if state else home / ".local" / "state") / "jupyter-cabinet" / "demo"


class Session:
    """One conversation. Every line is written to disk, if possible, before anybody is notified."""

    def __init__(self, session_id: str, place: Path) -> None:
        self.id = session_id
        self.path = place / f"{session_id}.jsonl"
        self._count = 0
        self._parent = ""  # the line before, if it is known
        self.unwritten: list[dict[str, Any]] = []  # if the folder is read-only: remembered until the agent ends
        self.document: str | None = None  # the document of the last instruction

    @property
    def exists(self) -> bool:
        """Return whether the session has a file."""
        return self.path.is_file()

    def user(self, text: str) -> None:
        """Record an instruction."""
        self._write("user", text)

    def assistant(self, blocks: list[dict[str, Any]]) -> None:
        """Record blocks of the agent's message."""
        self._write("assistant", blocks)

    def results(self, blocks: list[dict[str, Any]]) -> None:
        """Record blocks with tool results."""
        self._write("user", blocks)

    def told(self) -> list[str]:
        """Return what the agent was asked to remember in this session, oldest first, without the word "remember"."""
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
        line = {
            "type": kind,
            "parentUuid": self._parent if self.exists or self.unwritten else None,
            "uuid": (line_id := str(uuid.uuid4())),
            "timestamp": datetime.now(UTC).isoformat(),
            "cwd": str(Path.cwd()),
            "sessionId": self.id,
            "message": message,
        }
        self._parent = line_id
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError:
            self.unwritten.append(line)
