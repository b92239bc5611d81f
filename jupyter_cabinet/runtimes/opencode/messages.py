"""Reads the parts of opencode's messages: text, thoughts, tools, and the tokens and cost of each step.

Pure; the same parts come in its JSON lines (`stream.py`) and by hooks (`terminal.py`). 1.18.33.
"""

from __future__ import annotations

from typing import Any

from ..model import ToolCall, ToolResult, Usage
from ..shared.messages.content_blocks import RESULT_CHARACTERS, call
from ..shared.messages.json_values import count, dollars, inner, string, summed

# Why the last step of an answer ended. Services that give no reason are "unknown" or "other".
FINISHED = ("stop", "unknown", "other")
_REFUSED = "rejected permission"


class Steps:
    """The steps of one answer."""

    def __init__(self) -> None:
        self._usages: list[Usage] = []
        self.cost_usd: float | None = None
        self.reason = ""  # of the last step
        self.refused = False  # whether a tool was refused since then

    @property
    def usage(self) -> Usage | None:
        """Return the tokens of all steps; None before the first has ended."""
        return summed(self._usages)

    def add(self, part: dict[str, Any]) -> Usage:
        """Add a step that has ended. Return the sum."""
        self.reason = string(part, "reason")
        cost = dollars(part.get("cost"))
        if cost is not None:
            self.cost_usd = (self.cost_usd or 0) + cost
        self._usages.append(tokens_of(part.get("tokens")))
        return summed(self._usages) or Usage()

    def saw(self, events: list[ToolCall | ToolResult]) -> None:
        """Remember whether the last tool result in these events was a refused permission."""
        for event in events:
            if isinstance(event, ToolResult):
                self.refused = event.is_error and _REFUSED in event.text

    def finished(self, text: str) -> bool:
        """Return whether the answer is complete. `text`: the answer so far.

        It is if the last step ended with `stop`, or if there is text and it ended with another reason in `FINISHED`.
        """
        return self.reason in FINISHED and (self.reason == "stop" or bool(text))


def tool_events(part: dict[str, Any]) -> list[ToolCall | ToolResult]:
    """Return the call, and its result if there is one. Long output is cut to `RESULT_CHARACTERS`."""
    state = inner(part, "state")
    use = call(part.get("callID"), part.get("tool"), state.get("input"))
    status = state.get("status")
    if status not in ("completed", "error"):
        return [use]
    text = string(state, "error" if status == "error" else "output")[:RESULT_CHARACTERS]
    return [use, ToolResult(call_id=use.call_id, text=text, is_error=status == "error")]


def retrying(status: dict[str, Any]) -> tuple[int, str]:
    """Return number and reason of a retry; 0 and an empty text if it is not retrying."""
    if status.get("type") != "retry":
        return 0, ""
    return max(1, count(status.get("attempt"))), string(status, "message")


def tokens_of(raw: Any) -> Usage:
    """Return the tokens of one step."""
    known = raw if isinstance(raw, dict) else {}
    cache = inner(known, "cache")
    return Usage(
        input_tokens=count(known.get("input")),
        output_tokens=count(known.get("output")) + count(known.get("reasoning")),
        cache_read_tokens=count(cache.get("read")),
        cache_write_tokens=count(cache.get("write")),
    )
