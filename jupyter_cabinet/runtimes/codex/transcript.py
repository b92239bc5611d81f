"""Reads what an interactive Codex appends to its transcript (`rollout-….jsonl`).

Text, thoughts, tools, tokens, ends. Pure; used by `terminal.py`, which drops what a hook has already reported. Facts:
0.169.0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..model import AnyAgentEvent, Usage
from ..shared.messages.json_lines import JsonLines
from ..shared.messages.json_values import summed
from .messages import result, said, started, usage_of


class Aborted(msgspec.Struct, frozen=True):
    """The person has interrupted the answer of this turn."""

    turn: str


class Broken(msgspec.Struct, frozen=True):
    """The turn has failed; `message` says why."""

    turn: str
    message: str


class CodexTranscript:
    """The state of one growing transcript file."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._tokens: dict[str, Usage] = {}  # of this turn, per answer of the model
        self.total: Usage | None = None  # of the whole thread

    def feed(self, data: bytes) -> Iterator[AnyAgentEvent | Aborted | Broken]:
        """Return the events for new bytes of the file, in the order of its lines. Chunks may end anywhere."""
        for line in self._lines.feed(data):
            payload = line.get("payload") if isinstance(line, dict) else None
            if isinstance(line, dict) and isinstance(payload, dict):
                yield from self._read(str(line.get("type")), payload)

    def usage(self) -> Usage | None:
        """Return the tokens since the last prompt in the file."""
        return summed(self._tokens.values())

    def _read(self, kind: str, payload: dict[str, Any]) -> Iterator[AnyAgentEvent | Aborted | Broken]:
        if kind == "token_usage_record":
            usage = usage_of(payload.get("usage"))
            if usage is not None:
                self._tokens[str(payload.get("response_id"))] = usage
        if kind != "event_msg":
            return
        match payload.get("type"):
            case "task_started":
                self._tokens.clear()
            case "item_completed":
                yield from _item(payload.get("item"))
            case "token_count":
                self._count(payload.get("info"))
            case "turn_aborted":
                yield Aborted(str(payload.get("turn_id")))
            case "task_complete":
                yield from _end(payload)

    def _count(self, info: Any) -> None:
        total = usage_of(info.get("total_token_usage")) if isinstance(info, dict) else None
        self.total = total or self.total


def _item(item: Any) -> Iterator[AnyAgentEvent]:
    if not isinstance(item, dict):
        return
    call = started(item)
    if call is None:
        yield from said(item)
    else:
        yield call
        yield result(item)


def _end(payload: dict[str, Any]) -> Iterator[Broken]:
    error = payload.get("error")
    if isinstance(error, dict):
        yield Broken(str(payload.get("turn_id")), str(error.get("message") or ""))
