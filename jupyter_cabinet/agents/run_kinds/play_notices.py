"""What may start a play when it has happened to an agent: put into the outbox with the record of what happened, so that
no crash loses it. The plays read it (`plays/`); whoever tells events of agents calls this.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ...storage.outbox import Effect
from ..model import AgentEvent, MessageReceived

MESSAGES = "plays.messages"


def follow_ups(events: Iterable[AgentEvent]) -> list[Effect]:
    """Word for plays that wait for one of these events."""
    return [
        Effect(topic=MESSAGES, key=event.agent, body=msgspec.json.encode(event).decode())
        for event in events
        if isinstance(event, MessageReceived)
    ]
