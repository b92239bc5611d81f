"""Takes agents' posts to chats. `channels/` delivers them; nothing here knows a platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from ...core.events import Scope
from .answer_block import Post
from .effects.model import Origin


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to a post. `chats`: how many chats it is sent to. `sentence`: for people and the agent."""

    chats: int
    sentence: str


def only_kept(name: str) -> Delivery:
    """Return the outcome of a post for which there is no chat."""
    return Delivery(
        chats=0,
        sentence=f"Not sent: no chat named “{name}” is connected for this agent. The text is only kept.",
    )


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

    async def take(self, post: Post, origin: Origin, scope: Scope) -> Delivery:
        """Have a post queued for the chats of its name, and return the outcome.

        It can be repeated: each chat gets it once. It does not wait until the post is delivered. Until `open` was
        called, and if there is no such chat, nothing is sent. Raises what the function given to `open` raises, such as
        `Refused`.
        """
        if self._deliver is None:
            return only_kept(post.channel)
        sent = AgentPost(
            key=origin.key_of(post),
            run_id=origin.run_id,
            agent=origin.agent,
            owners=tuple(dict.fromkeys((scope.owner, origin.owner or scope.owner))),
            name=post.channel,
            text=post.text,
        )
        titles = await self._deliver(sent)
        if not titles:
            return only_kept(post.channel)
        count = "1 chat" if len(titles) == 1 else f"{len(titles)} chats"
        sentence = f"Queued for {count} ({', '.join(dict.fromkeys(titles))})."
        return Delivery(chats=len(titles), sentence=sentence)
