"""Posts of agents to chats that people have given a name. Opened as the `PostOffice` of `agents/`."""

from __future__ import annotations

import hashlib
import logging

from ..agents.directives.post_office import AgentPost
from ..core.errors import Malformed
from ..core.people import Principal, may_see
from ..foundation import Foundation
from .book import ChannelBook
from .model import Channel, NamedChat
from .outgoing import Outgoing, send
from .port import Place

log = logging.getLogger(__name__)

AGENT = "agent"  # origin of the principal whose rights count


class Posts:
    """Finds the chats of a name, and puts what is sent there on record."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook) -> None:
        self._book = book
        self._commits = foundation.commits
        self._clock = foundation.clock
        self._redactor = foundation.redactor

    async def deliver(self, post: AgentPost) -> tuple[str, ...]:
        """Send a post to each chat of its name that the agent's owner may use, and return their titles.

        A repetition sends nothing again.
        """
        try:
            await self._book.refresh()
        except Malformed as error:
            log.warning("A post of %s is only kept: %s", post.agent, error.message)
            return ()
        titles = []
        for channel in self._book.configuration.channels:
            for chat in channel.named_chats:
                if chat.name == post.name and self._may_use(post, channel, chat):
                    await self._send(post, channel, chat)
                    titles.append(f"{chat.title or chat.chat} ({channel.title})")
        return tuple(titles)

    async def _send(self, post: AgentPost, channel: Channel, chat: NamedChat) -> None:
        outgoing = Outgoing(
            channel=channel,
            place=Place(chat=chat.chat, direct=chat.direct, title=chat.title),
            key=f"post/{post.key}/{hashlib.sha256(chat.chat.encode()).hexdigest()[:16]}",
            at=self._clock.now(),
            agent=post.agent,
            run_id=post.run_id,
        )
        text = self._redactor.redact(f"@{post.agent}: {post.text}")
        await send(text, outgoing, book=self._book, commits=self._commits)

    def _may_use(self, post: AgentPost, channel: Channel, chat: NamedChat) -> bool:
        """Return whether an agent may post there. A direct chat counts only while its account is connected."""
        owner = Principal(
            username=post.owner, display_name=post.owner, origin=AGENT, shared_token=self._book.shared_login
        )
        if not channel.enabled or not may_see(owner, channel.owner, channel.visibility):
            return False
        connected = {each.direct_chat for each in self._book.configuration.pairings if each.channel_id == channel.id}
        return not chat.direct or chat.chat in connected
