"""Which conversation a message belongs to. Pure."""

from __future__ import annotations

import hashlib

from ..port import Place


def conversation_id(channel_id: str, place: Place, *, agent: str, username: str) -> str:
    """Return the id of a person's conversation with an agent in a place. Equal arguments give the same id.

    All direct chats of a person with an agent are one conversation, on whatever platform. A group, or a thread of it,
    has a separate one for each person: what an agent has seen for one of them must not reach another.
    """
    parts: tuple[str, ...] = ("direct", username, agent)
    if not place.direct:
        parts = ("place", channel_id, place.chat, place.thread, username, agent)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]
