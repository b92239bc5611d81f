"""Posts of agents to chats that people have given a name. Opened as the `PostOffice` of `agents/`."""

from __future__ import annotations

import hashlib

from ...agents.directives.post_office import AgentPost
from ...core.errors import Malformed, Refused
from ...core.people import Principal, may_see
from ...foundation import Foundation
from ..model import Channel, NamedChat
from ..port import Place
from ..records import storable
from ..setup.book import ChannelBook
from .outgoing import Outgoing, send

AGENT = "agent"  # origin of the principal whose rights count


class Posts:
    """Finds the chats of a name, and puts what is sent there on record."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook) -> None:
        self._book = book
        self._commits = foundation.commits
        self._clock = foundation.clock
        self._redactor = foundation.redactor

    async def deliver(self, post: AgentPost) -> tuple[str, ...]:
        """Put a post on record for each chat of its name that its owners may use, and return the title of the channel
        of each.

        Empty if there is no such chat. It does not wait until the posts are sent. Titles of chats are left out, because
        strangers choose them and the agent reads this. A repetition sends nothing again. Raises `Refused` while the
        list of channels cannot be read.
        """
        try:
            await self._book.refresh()
        except Malformed as error:
            raise Refused(error.message) from None
        titles = []
        for channel in self._book.configuration.channels:
            for chat in channel.named_chats:
                if chat.name == post.name and self._may_use(post, channel, chat):
                    await self._send(post, channel, chat)
                    titles.append(channel.title)
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
        text = self._redactor.redact(storable(f"@{post.agent}: {post.text}"))
        await send(text, outgoing, book=self._book, commits=self._commits)

    def _may_use(self, post: AgentPost, channel: Channel, chat: NamedChat) -> bool:
        """Return whether an agent may post there. A direct chat counts only while its account is connected."""
        shared = self._book.shared_login
        owners = (
            Principal(username=each, display_name=each, origin=AGENT, shared_token=shared) for each in post.owners
        )
        if not channel.enabled or not all(may_see(each, channel.owner, channel.visibility) for each in owners):
            return False
        pairings = self._book.configuration.pairings
        connected = {
            each.direct_chat for each in pairings if each.channel_id == channel.id and each.shared_login == shared
        }
        return not chat.direct or chat.chat in connected
