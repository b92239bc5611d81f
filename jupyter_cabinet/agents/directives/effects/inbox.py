"""Puts messages into inboxes and acknowledges them one by one. Called under the lock of the inbox's agent."""

from __future__ import annotations

from collections.abc import Collection

from ...correspondence.messages import Message, file_name, id_in, text_of
from ..answer_block import MessageTo
from .agent_data import AgentData
from .model import Origin


def inbox_of(agent: str) -> str:
    """Return the folder of an agent's inbox, relative to `.agents/`."""
    return f".messages/{agent}"


def send(places: AgentData, directive: MessageTo, origin: Origin) -> None:
    """Put a message into an inbox once for each directive: not if it is there or has been read.

    Raises `OutsideRoot` for a link, `NoRoom`, `Unavailable`.
    """
    message = Message(
        id=origin.id_of(directive),
        sender=origin.agent,
        recipient=directive.agent,
        timestamp=origin.timestamp,
        body=directive.text,
        origin=origin.key_of(directive),
        depth=origin.depth + 1,
        chain=origin.chain_on,
        tainted=origin.tainted,
    )
    put(places, message, name=file_name(sender=origin.agent, message_id=message.id, at=origin.at))


def put(places: AgentData, message: Message, *, name: str) -> None:
    """Write a message into its recipient's inbox, unless it is there or has been read. Raises as `send`."""
    inbox = inbox_of(message.recipient)
    if not places.exists(f"{inbox}/{name}") and not places.exists(f"{inbox}/.read/{name}"):
        places.write(f"{inbox}/{name}", text_of(message))


def acknowledge(places: AgentData, agent: str, message_ids: Collection[str]) -> None:
    """Move only the messages with these ids to `.read/`. Ids of messages that are not in the inbox are ignored.

    Raises as `send`.
    """
    inbox = inbox_of(agent)
    for name in places.names(inbox):
        if name.endswith(".md") and id_in(name) in message_ids:
            places.move(f"{inbox}/{name}", f"{inbox}/.read")
