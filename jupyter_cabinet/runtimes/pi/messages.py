"""Reads the parts that pi's stream and its transcript share: messages, tokens, cost. Pure. Facts: 0.87.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import AnyAgentEvent, Usage
from ..shared.messages.json_values import dollars, inner, summed
from ..shared.messages.pi_messages import calls, result, said, usage_of

OWN_EXTENSION = "JUPYTER_CABINET_PI "  # the start of our extension's questions


class Tokens:
    """The cost of the model's answers so far. Each message reports its own share."""

    def __init__(self) -> None:
        self._usages: list[Usage] = []
        self._cost = 0.0

    def add(self, message: dict[str, Any]) -> None:
        """Add an assistant's message, with its `usage`."""
        raw = message.get("usage")
        if not isinstance(raw, dict):
            return
        self._usages.append(usage_of(raw))
        self._cost += dollars(inner(raw, "cost").get("total")) or 0

    def usage(self) -> Usage | None:
        """Return the sum over all added messages; None before the first that reported tokens."""
        return summed(self._usages)

    def cost_usd(self) -> float | None:
        """Return the cost in USD. None if it is 0, which pi reports for a model whose price it does not know."""
        return self._cost or None


def events_of(message: dict[str, Any]) -> Iterator[AnyAgentEvent]:
    """Yield the events for a message of the transcript; nothing for the user's."""
    match message.get("role"):
        case "assistant":
            yield from said(message)
            yield from calls(message)
        case "toolResult":
            yield result(message.get("toolCallId"), message.get("content"), message.get("isError"))
