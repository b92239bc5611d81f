"""Takes agents' posts to chats. `channels/` delivers them; nothing here knows a platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from ...core.events import Scope
from .answer_block import Post
from .effects.model import Origin

KEPT = "Kept. No chat with this name is available to this agent."


class AgentPost(msgspec.Struct, frozen=True, kw_only=True):
    """A post of an agent. `key`: the same post has the same key when it is repeated after a crash. `owners`: of the
    agent and of the run; each of them must be allowed to use the chat.
    """

    key: str
    run_id: str
    agent: str
    owners: tuple[str, ...]
    name: str
    text: str


Deliver = Callable[[AgentPost], Awaitable[tuple[str, ...]]]


class PostOffice:
    """Takes posts. Until it is opened, nothing is delivered."""

    def __init__(self) -> None:
        self._deliver: Deliver | None = None

    def open(self, deliver: Deliver) -> None:
        """Deliver posts from now on. `deliver`: returns the channel's title for each chat to which it sends a post."""
        self._deliver = deliver

    async def take(self, post: Post, origin: Origin, scope: Scope) -> str:
        """Have a post sent to the chats of its name, and return a sentence about that. It can be repeated."""
        if self._deliver is None:
            return KEPT
        sent = AgentPost(
            key=origin.key_of(post),
            run_id=origin.run_id,
            agent=origin.agent,
            owners=tuple(dict.fromkeys((scope.owner, origin.owner or scope.owner))),
            name=post.channel,
            text=post.text,
        )
        titles = await self._deliver(sent)
        count = "1 chat" if len(titles) == 1 else f"{len(titles)} chats"
        return f"Queued for {count} ({', '.join(dict.fromkeys(titles))})." if titles else KEPT
