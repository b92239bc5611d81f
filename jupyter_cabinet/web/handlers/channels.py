"""`channels`: bots on chat platforms; and `channel-pairings`, which accounts there belong to whom here.

Only a person in the browser changes them. The right to answer approval requests in a chat is given only to a person who
may answer them here.
"""

from __future__ import annotations

import msgspec

from ...channels.model import (
    ChannelMessage,
    ChannelSecret,
    ChannelView,
    CodeOwner,
    EditChannel,
    EnterCode,
    KnownChat,
    NewChannel,
    Pairing,
    PairingFields,
    Right,
)
from ...channels.webhook.model import Taken
from ...core.errors import NotAllowed
from ..handler import CabinetHandler
from ..operation import Query, operation, signed_operation
from ..signed_handler import SignedHandler

MAX_PAGE = 200


class ChannelList(msgspec.Struct, frozen=True, kw_only=True):
    """The oldest first."""

    items: tuple[ChannelView, ...]


class ChannelMessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first. `next` is the cursor of the following page."""

    items: tuple[ChannelMessage, ...]
    next: int | None = None


class KnownChatList(msgspec.Struct, frozen=True, kw_only=True):
    """The last used first."""

    items: tuple[KnownChat, ...]


class PairingList(msgspec.Struct, frozen=True, kw_only=True):
    """The oldest first."""

    items: tuple[Pairing, ...]


class ChannelHandler(CabinetHandler):
    """What the handlers of channels share."""

    auth_resource = "cabinet-channels"

    async def check_rights(self, may: tuple[Right, ...] | None) -> None:
        """Raise `NotAllowed` if the caller gives an account a right that they do not have themselves."""
        if "ask" in (may or ()) and not await self.may("execute", "cabinet-runs"):
            raise NotAllowed("You may not run agents here, so your account in a chat may not either.")
        if "approve" in (may or ()) and not await self.may("execute", "cabinet-approvals"):
            raise NotAllowed("You may not answer approval requests here, so your account in a chat may not either.")


class ChannelsHandler(ChannelHandler):
    """`channels`"""

    @operation("read", gives=ChannelList)
    async def get(self) -> None:
        """List the channels that the caller may see, with the state of their connections."""
        self.reply(ChannelList(items=tuple(await self.services.channels.find(self.principal))))

    @operation("execute", body=NewChannel, gives=ChannelView, status=201)
    async def post(self) -> None:
        """Add a channel and connect. Only in the browser."""
        self.reply(await self.services.channels.create(self.body(NewChannel), self.principal), 201)


class OneChannelHandler(ChannelHandler):
    """`channels/{id}`"""

    @operation("read", gives=ChannelView)
    async def get(self, channel_id: str) -> None:
        """Return a channel with the state of its connection."""
        self.reply(await self.services.channels.get(channel_id, self.principal))

    @operation("execute", body=EditChannel, gives=ChannelView)
    async def put(self, channel_id: str) -> None:
        """Change a channel and connect again. Only for its owner, in the browser."""
        self.reply(await self.services.channels.change(channel_id, self.body(EditChannel), self.principal))

    @operation("execute", status=204)
    async def delete(self, channel_id: str) -> None:
        """Delete a channel, its accounts, its messages and its secrets. Only for its owner, in the browser."""
        await self.services.channels.delete(channel_id, self.principal)
        self.reply_empty()


class ChannelMessagesHandler(ChannelHandler):
    """`channels/{id}/messages`"""

    @operation(
        "read",
        gives=ChannelMessageList,
        query=(
            Query(name="query", about="only messages with this text"),
            Query(name="limit", kind="integer", about="at most 200"),
            Query(name="cursor", kind="integer", about="`next` of the page before"),
        ),
    )
    async def get(self, channel_id: str) -> None:
        """List the messages of a channel in both directions, newest first. Only for its owner."""
        limit = min(self.integer_argument("limit", 50), MAX_PAGE)
        before = self.integer_argument("cursor", 0) or None
        query = self.text_argument("query") or ""
        found = await self.services.channels.messages(
            channel_id, self.principal, query=query, before=before, limit=limit
        )
        self.reply(ChannelMessageList(items=tuple(found), next=found[-1].number if len(found) >= limit > 0 else None))


class ChannelExportHandler(ChannelHandler):
    """`channels/{id}/export`"""

    @operation(
        "read",
        media="text/markdown",
        query=(
            Query(name="since", about="only messages of this time or later: ISO 8601, UTC by default"),
            Query(name="until", about="only messages before this time: ISO 8601, UTC by default"),
            Query(name="zone", about="IANA name of the time zone in which days begin; `UTC` by default"),
        ),
    )
    async def get(self, channel_id: str) -> None:
        """Return the messages of a channel as Markdown, with a heading for each day. Only for its owner."""
        content = await self.services.channels.export(
            channel_id,
            self.principal,
            since=self.time_argument("since"),
            until=self.time_argument("until"),
            zone=self.text_argument("zone") or "UTC",
        )
        self.set_header("Content-Type", "text/markdown; charset=utf-8")
        self.set_header("Content-Disposition", f'attachment; filename="channel-{channel_id[:8]}.md"')
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(content)


class ChannelChatsHandler(ChannelHandler):
    """`channels/{id}/chats`"""

    @operation("read", gives=KnownChatList)
    async def get(self, channel_id: str) -> None:
        """List the chats that the bot knows, the last used first. Only for the owner of the channel."""
        found = await self.services.channels.chats(channel_id, self.principal)
        self.reply(KnownChatList(items=tuple(found)))


class ChannelTestHandler(ChannelHandler):
    """`channels/{id}/test`"""

    @operation("execute", gives=ChannelMessage, status=201)
    async def post(self, channel_id: str) -> None:
        """Send a test message to the caller's own chat with the bot. Only for the owner, in the browser."""
        self.reply(await self.services.channels.send_test(channel_id, self.principal), 201)


class ChannelSecretHandler(ChannelHandler):
    """`channels/{id}/secret`"""

    @operation("execute", gives=ChannelSecret, status=201)
    async def post(self, channel_id: str) -> None:
        """Create the secret of a webhook. It replaces the previous one. Only for the owner, in the browser."""
        secret = await self.services.webhooks.make_secret(channel_id, self.principal)
        self.reply(ChannelSecret(secret=secret), 201)


class ChannelHookHandler(SignedHandler):
    """`hooks/channels/{id}`"""

    auth_resource = "cabinet-channels"

    @signed_operation(gives=Taken, status=202)
    async def post(self, channel_id: str) -> None:
        """Write a message, or press a button, with a request that is signed with the secret of a webhook."""
        self.reply(await self.services.webhooks.receive(channel_id, self.delivery()), 202)


class PairingsHandler(ChannelHandler):
    """`channel-pairings`"""

    @operation("read", gives=PairingList)
    async def get(self) -> None:
        """List the caller's connected accounts, and all those of the channels that the caller owns."""
        self.reply(PairingList(items=tuple(await self.services.connected_accounts.pairings(self.principal))))

    @operation("execute", body=EnterCode, gives=CodeOwner)
    async def post(self) -> None:
        """Return the account that a code was given to; with `may`, connect it with the caller. Only in the browser."""
        entered = self.body(EnterCode)
        await self.check_rights(entered.may)
        self.reply(await self.services.connected_accounts.enter_code(entered, self.principal))


class PairingHandler(ChannelHandler):
    """`channel-pairings/{id}`"""

    @operation("execute", body=PairingFields, gives=Pairing)
    async def put(self, pairing_id: str) -> None:
        """Change what a connected account may do. Only for its person, in the browser."""
        fields = self.body(PairingFields)
        await self.check_rights(fields.may)
        self.reply(await self.services.connected_accounts.change_pairing(pairing_id, fields, self.principal))

    @operation("execute", status=204)
    async def delete(self, pairing_id: str) -> None:
        """Disconnect an account. For its person and the owner of the channel, in the browser."""
        await self.services.connected_accounts.delete_pairing(pairing_id, self.principal)
        self.reply_empty()
