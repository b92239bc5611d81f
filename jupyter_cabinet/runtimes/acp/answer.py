"""Turns the updates that an ACP agent sends while it answers into events. Pure.

The updates contain text, thoughts, tools, tokens and cost. Called by `client.py`, which knows the dialogue; this file
knows only one answer.
"""

from __future__ import annotations

from typing import Any

from ..model import AnyAgentEvent, TextBlock, TextDelta, Thinking, ToolResult, Usage, Warned
from ..shared.messages.json_values import count, string
from . import notices
from .tools import AcpTools

_TEXT, _THOUGHT = "agent_message_chunk", "agent_thought_chunk"


class AcpAnswer:
    """Collect one answer of the agent `agent` (its name for itself). Some agents send notices instead of an answer."""

    def __init__(self, title: str) -> None:
        self.agent = ""
        self.greeting = ""
        self.text = ""  # the last complete block
        self.notices = ""  # notices, which are not part of the answer
        self.worked = False  # whether a tool has succeeded
        self.denied = ""  # the last tool that the run's mode refused, unless a later tool succeeded
        self.cost: float | None = None
        self.tools = AcpTools()
        self._title = title
        self._parts: list[str] = []  # pieces of the text or thought that is being written
        self._part_of = ("", "")  # which of the two it is

    def read(self, update: dict[str, Any]) -> list[AnyAgentEvent]:
        """Return the events for one `session/update`."""
        match update.get("sessionUpdate"):
            case "agent_message_chunk" | "agent_thought_chunk" as kind:
                return [*self.tools.tell(), *self._chunk(kind, update)]
            case "tool_call" | "tool_call_update":
                return [*self.whole(), *self._tool(update)]
            case "usage_update":
                self.cost = _dollars(update.get("cost")) or self.cost
        return self.tools.tell()

    def ended(self) -> list[AnyAgentEvent]:
        """Return the events that were still held back. No more updates come."""
        return [*self.tools.tell(), *self.whole()]

    def whole(self) -> list[AnyAgentEvent]:
        """Return the text or thought being written as one block, and begin a new one; nothing if it is empty.

        Nothing in the protocol marks where it ends.
        """
        text, kind = "".join(self._parts), self._part_of[0]
        self._parts.clear()
        if not text.strip():
            return []
        if kind == _THOUGHT:
            return [Thinking(text=text)]
        self.text = text
        return [TextBlock(text=text)]

    def _chunk(self, kind: str, update: dict[str, Any]) -> list[AnyAgentEvent]:
        content = update.get("content")
        text = string(content, "text") if isinstance(content, dict) else ""
        if not text or text == self.greeting:
            return []
        told = notices.notice(self.agent, update, text) if kind == _TEXT else None
        if told is not None:
            self.notices += "".join(f"{event.message}\n" for event in told if isinstance(event, Warned))
            return told
        part_of = (kind, string(update, "messageId"))
        before = self.whole() if part_of != self._part_of else []
        self._part_of = part_of
        self._parts.append(text)
        return [*before, *([TextDelta(text=text)] if kind == _TEXT else [])]

    def _tool(self, update: dict[str, Any]) -> list[AnyAgentEvent]:
        warned = notices.failed_tool_server(update, self._title)
        if warned:
            return [warned]
        events = self.tools.update(update)
        if any(isinstance(event, ToolResult) and not event.is_error for event in events):
            self.worked, self.denied = True, ""
        return events


def usage_of(result: dict[str, Any]) -> Usage | None:
    """Return the tokens of this answer; None if the agent has not reported any.

    Some agents count cached tokens as input, which their total reveals.
    """
    raw = result.get("usage")
    if not isinstance(raw, dict):
        return _quota(result)
    given, said = count(raw.get("inputTokens")), count(raw.get("outputTokens"))
    cached = count(raw.get("cachedReadTokens"))
    if count(raw.get("totalTokens")) == given + said:
        given = max(0, given - cached)
    return Usage(
        input_tokens=given,
        output_tokens=said,
        cache_read_tokens=cached,
        cache_write_tokens=count(raw.get("cachedWriteTokens")),
    )


def _quota(result: dict[str, Any]) -> Usage | None:
    """Read the token counts as Gemini CLI reports them."""
    about = result.get("_meta")
    quota = about.get("quota") if isinstance(about, dict) else None
    tokens = quota.get("token_count") if isinstance(quota, dict) else None
    if not isinstance(tokens, dict):
        return None
    return Usage(input_tokens=count(tokens.get("input_tokens")), output_tokens=count(tokens.get("output_tokens")))


def _dollars(cost: Any) -> float | None:
    """Return None for no cost: an agent reports 0 for a model whose price it does not know."""
    amount = cost.get("amount") if isinstance(cost, dict) and cost.get("currency") == "USD" else None
    if not isinstance(amount, int | float) or isinstance(amount, bool) or not 0 < amount < float("inf"):
        return None
    return float(amount)
