"""What the services of channels make of a record: who may see it, where it belongs, and the event that announces it."""

from __future__ import annotations

from ..core.events import Scope
from ..storage.commits import ScopedEvent
from .model import Channel, ChannelMessage, ChannelMessageChanged
from .port import Place


def storable(text: str) -> str:
    """Return a text without what a database or an encoding does not take: NUL characters and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode()


def scope_of(channel: Channel) -> Scope:
    """Return who may see a channel."""
    return Scope(owner=channel.owner, visibility=channel.visibility)


def place_of(message: ChannelMessage) -> Place:
    """Return where a message was written, or where it is to be sent."""
    answers = message.platform_id if message.direction == "in" else message.in_reply_to
    return Place(chat=message.chat, thread=message.thread, direct=message.direct, title=message.place, answers=answers)


def changed_event(message: ChannelMessage, scope: Scope) -> ScopedEvent:
    """Return the event that announces a message."""
    event = ChannelMessageChanged(channel_id=message.channel_id, message_id=message.id, state=message.state)
    return ScopedEvent(event, scope)
