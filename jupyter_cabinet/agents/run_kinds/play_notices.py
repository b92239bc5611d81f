"""Notices to plays about events of agents that may start a play.

They are stored in the outbox together with the event, so that no crash loses them. `plays/` receives the notices. Code
that announces events of agents calls this module.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ...storage.outbox import Effect
from ..model import AgentEvent, MessageReceived

MESSAGES = "plays.messages"


def follow_ups(events: Iterable[AgentEvent]) -> list[Effect]:
    """Return a notice for each of these events that can start a play."""
    return [
        Effect(topic=MESSAGES, key=event.agent, body=msgspec.json.encode(event).decode())
        for event in events
        if isinstance(event, MessageReceived)
    ]
