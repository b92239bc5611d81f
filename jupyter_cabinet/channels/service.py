"""Channels and their messages, as people manage them. Connected accounts are in `setup/accounts.py`.

Only a person in the browser changes anything here: a channel lets people outside talk with agents.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Connection

from ..agents.roster.roster import Roster
from ..core.errors import Conflict, Invalid, NotAllowed, NotFound, Refused
from ..core.ids import new_id
from ..core.people import Principal, may_see, owns
from ..foundation import Foundation
from ..runs.intake import visibility_for
from . import store
from .connections import Connections
from .delivery.message_cleanup import MessageCleanup
from .delivery.outgoing import Outgoing, send
from .model import (
    MAX_KEEP_DAYS,
    MAX_NAME,
    MAX_RULES,
    Channel,
    ChannelChanged,
    ChannelFields,
    ChannelMessage,
    ChannelView,
    EditChannel,
    KnownChat,
    NewChannel,
    Pairing,
    Platform,
)
from .platforms import PLATFORMS, TOKEN
from .port import Place
from .records import scope_of
from .rules.markdown_export import as_markdown
from .rules.pairing_codes import PairingCodes
from .setup.book import ChannelBook
from .setup.configuration import Configuration
from .setup.form_checks import (
    as_known,
    check_address,
    check_agent,
    check_named_chats,
    checked_secrets,
    checked_zone,
    require_all,
    require_browser,
)

MOST_CHANNELS = 50  # of a person
MOST_OF_ALL = 200
ONLY_CHAT = "all"  # of a platform that only sends
TEST = "This is a test message from Jupyter Cabinet. The channel {title} works."


class Channels:
    """What `web/` calls."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        book: ChannelBook,
        codes: PairingCodes,
        connections: Connections,
        roster: Roster,
        cleanup: MessageCleanup,
    ) -> None:
        self._book = book
        self._cleanup = cleanup
        self._codes = codes
        self._connections = connections
        self._roster = roster
        self._database = foundation.database
        self._commits = foundation.commits
        self._bus = foundation.bus
        self._clock = foundation.clock

    # --- channels --------------------------------------------------------------------------

    async def find(self, principal: Principal) -> list[ChannelView]:
        """Return the channels that the caller may see, oldest first. Raises `Malformed`."""
        await self._book.refresh()
        counts = await self._database.read(store.counts)
        configuration = self._book.configuration
        return [
            self._view(each, configuration, counts, principal)
            for each in configuration.channels
            if may_see(principal, each.owner, each.visibility)
        ]

    async def get(self, channel_id: str, principal: Principal) -> ChannelView:
        """Return one channel. Raises `NotFound`, also if the caller may not see it."""
        found = next((each for each in await self.find(principal) if each.id == channel_id), None)
        if found is None:
            raise NotFound("There is no such channel.")
        return found

    async def create(self, new: NewChannel, principal: Principal) -> ChannelView:
        """Add a channel, and begin to connect. Only for a person in the browser. It does not wait for the connection.

        Raises `NotAllowed`, `Invalid` with the field, `Refused` if there are too many, and `Malformed` while the file
        of channels cannot be read.
        """
        require_browser(principal)
        token = {TOKEN: new.token} if new.token else {}
        given = checked_secrets(new.platform, {**token, **new.more_secrets})
        if not PLATFORMS[new.platform].own_secret:
            require_all(new.platform, given)
        await self._check(new, principal, new.platform)
        channels = (await self._book.read()).channels
        if sum(each.owner == principal.username for each in channels) >= MOST_CHANNELS or len(channels) >= MOST_OF_ALL:
            raise Refused("There are too many channels already. Delete one first.")
        fields = {name: getattr(new, name) for name in ChannelFields.__struct_fields__}
        only = PLATFORMS[new.platform].only_sends
        known = [KnownChat(chat=ONLY_CHAT, title=new.title.strip(), direct=True)] if only else []
        fields["named_chats"] = as_known(new.named_chats, known, ())
        channel = Channel(
            **fields,
            id=new_id(),
            platform=new.platform,
            owner=principal.username,
            owner_name=principal.display_name,
            visibility=visibility_for(principal),
            token_id=new_id() if given else "",
            created_at=self._clock.now(),
        )

        def change(before: Configuration) -> Configuration:
            own = (self._account_of(channel, principal),) if PLATFORMS[new.platform].only_sends else ()
            return msgspec.structs.replace(
                before, channels=(*before.channels, channel), pairings=(*before.pairings, *own)
            )

        await asyncio.to_thread(self._book.file.put_secrets, channel.id, given)
        await self._book.change(change)
        self._cleanup.fit()
        await self._connections.fit()
        self._tell(channel)
        return await self.get(channel.id, principal)

    def _account_of(self, channel: Channel, principal: Principal) -> Pairing:
        """Return the owner's account on a platform that only sends: it can hear of their work, and do nothing."""
        return Pairing(
            id=new_id(),
            channel_id=channel.id,
            sender_id=ONLY_CHAT,
            sender_name=channel.title,
            username=principal.username,
            display_name=principal.display_name,
            shared_login=principal.shared_token,
            may=(),
            direct_chat=ONLY_CHAT,
            created_at=self._clock.now(),
        )

    async def change(self, channel_id: str, edit: EditChannel, principal: Principal) -> ChannelView:
        """Change a channel, and connect again. For its owner in the browser. Posts to chats that lost their name are
        given up, and messages that are older than `keep_days` are deleted.

        Raises `NotFound`, `NotAllowed`, `Invalid` with the field, and `Malformed` while the file of channels cannot be
        read.
        """
        channel = await self.owned(channel_id, principal)
        token = {} if edit.token is None else {TOKEN: edit.token}
        given = checked_secrets(channel.platform, {**token, **edit.more_secrets})
        await self._check(edit, principal, channel.platform)
        fields = {name: getattr(edit, name) for name in ChannelFields.__struct_fields__}
        known = await self._known_chats(channel_id)
        fields["named_chats"] = as_known(edit.named_chats, known, channel.named_chats)
        token_id = new_id() if given else channel.token_id
        changed = msgspec.structs.replace(channel, **fields, token_id=token_id)

        def change(before: Configuration) -> Configuration:
            kept = tuple(changed if each.id == channel_id else each for each in before.channels)
            accounts = before.pairings
            if PLATFORMS[channel.platform].only_sends and all(each.channel_id != channel_id for each in accounts):
                accounts = (*accounts, self._account_of(changed, principal))  # nobody can connect it by a code
            return msgspec.structs.replace(before, channels=kept, pairings=accounts)

        if given:
            await asyncio.to_thread(self._book.file.put_secrets, channel_id, given)
        await self._book.change(change)
        self._cleanup.fit()
        named = {each.chat for each in changed.named_chats}
        await self._commits.commit(lambda c: store.give_up_posts(c, channel_id, named))
        if edit.keep_days:
            oldest = self._clock.now() - timedelta(days=edit.keep_days)
            await self._commits.commit(lambda c: store.delete_older(c, channel_id, oldest))
        await self._connections.reopen(channel_id)
        self._tell(changed)
        return await self.get(channel_id, principal)

    async def delete(self, channel_id: str, principal: Principal) -> None:
        """Delete a channel with its pairings, its messages and its secrets. For its owner in the browser.

        Raises `NotFound`, `NotAllowed`, `Malformed`.
        """
        channel = await self.owned(channel_id, principal)

        def change(before: Configuration) -> Configuration:
            return Configuration(
                channels=tuple(each for each in before.channels if each.id != channel_id),
                pairings=tuple(each for each in before.pairings if each.channel_id != channel_id),
            )

        await self._book.change(change)
        self._codes.forget_channel(channel_id)
        await self._connections.fit()
        await asyncio.to_thread(self._book.file.forget_secrets, channel_id)
        await self._commits.commit(lambda c: store.delete_channel(c, channel_id))
        self._tell(channel)

    async def messages(
        self, channel_id: str, principal: Principal, *, query: str = "", before: int | None = None, limit: int = 50
    ) -> list[ChannelMessage]:
        """Return messages of a channel, newest first, at most 200. For its owner. Raises `NotFound`, `NotAllowed`.

        `query`: a part of the text, in any case. `before`: the number of the last message of the previous page.
        """
        await self.owned(channel_id, principal, in_browser=False)

        def read(connection: Connection) -> list[ChannelMessage]:
            return store.list_messages(connection, channel_id, query=query, before=before, limit=limit)

        return await self._database.read(read)

    async def export(
        self,
        channel_id: str,
        principal: Principal,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        zone: str = "UTC",
    ) -> bytes:
        """Return the messages of a channel as Markdown, with a heading for each day in this time zone. For its owner.

        `since`: only messages of this time or later. `until`: only messages before this time. Raises `NotFound`,
        `NotAllowed`, and `Invalid` if the time zone is not known.
        """
        channel = await self.owned(channel_id, principal, in_browser=False)
        days = ZoneInfo(checked_zone(zone))

        def read(connection: Connection) -> list[ChannelMessage]:
            return store.all_messages(connection, channel_id, since=since, until=until)

        found = await self._database.read(read)
        text = await asyncio.to_thread(as_markdown, channel.title, found, days)
        return text.encode(errors="replace")

    async def chats(self, channel_id: str, principal: Principal) -> list[KnownChat]:
        """Return the chats that the bot knows, the last used first. For the channel's owner.

        Raises `NotFound`, `NotAllowed`.
        """
        await self.owned(channel_id, principal, in_browser=False)
        return await self._known_chats(channel_id)

    async def _known_chats(self, channel_id: str) -> list[KnownChat]:
        found = await self._database.read(lambda c: store.known_chats(c, channel_id))
        known = {each.chat for each in found}
        quiet = [
            KnownChat(chat=each.direct_chat, title=each.sender_name, direct=True)
            for each in self._book.configuration.pairings
            if each.channel_id == channel_id and each.direct_chat and each.direct_chat not in known
        ]
        return [*found, *quiet]

    async def send_test(self, channel_id: str, principal: Principal) -> ChannelMessage:
        """Send a message to the caller's own direct chat with the bot, and return it as it waits.

        Raises `NotFound`, `NotAllowed`, and `Conflict` if the caller has not written to the bot yet.
        """
        channel = await self.owned(channel_id, principal)
        mine = [
            each
            for each in self._book.configuration.pairings
            if each.channel_id == channel_id and each.username == principal.username
        ]
        found = await self._database.read(lambda c: [store.with_direct_chat(c, each) for each in mine])
        chat = next((each.direct_chat for each in found if each.direct_chat), "")
        if not chat and PLATFORMS[channel.platform].by_login:
            raise Conflict("Write something on the page of this web chat first, so that you have a conversation there.")
        if not chat:
            raise Conflict("Connect your account and write to the bot once, so that it knows where to answer you.")

        place = Place(chat=chat, direct=True)
        outgoing = Outgoing(channel=channel, place=place, key=f"test/{new_id()}", at=self._clock.now())
        put = await send(TEST.format(title=channel.title), outgoing, book=self._book, commits=self._commits)
        return put[0]

    # --- checks ----------------------------------------------------------------------------

    async def owned(self, channel_id: str, principal: Principal, *, in_browser: bool = True) -> Channel:
        """Return a channel of the caller. `in_browser`: only to a person in the browser.

        Raises `NotFound`, also if the caller may not see it, and `NotAllowed` if it belongs to somebody else.
        """
        await self._book.refresh()
        channel = self._book.channel(channel_id)
        if channel is None or not may_see(principal, channel.owner, channel.visibility):
            raise NotFound("There is no such channel.")
        if not owns(principal, channel.owner):
            raise NotAllowed("Only the owner of a channel may do this.")
        if in_browser:
            require_browser(principal)
        return channel

    async def _check(self, fields: ChannelFields, principal: Principal, platform: Platform) -> None:
        title = fields.title.strip()
        if not title or len(title) > MAX_NAME or "\n" in title:
            raise Invalid(f"A channel needs a name of at most {MAX_NAME} characters.", field="title")
        if len(fields.rules) > MAX_RULES:
            raise Invalid(f"A channel has at most {MAX_RULES} rules.", field="rules")
        if not 0 <= fields.keep_days <= MAX_KEEP_DAYS:
            raise Invalid(f"Choose 1 to {MAX_KEEP_DAYS} days, or 0 for no limit of age.", field="keep_days")
        check_address(platform, fields)
        check_named_chats(fields.named_chats)
        await check_agent(fields.agent, principal, self._roster)
        for rule in fields.rules:
            if not rule.agent:
                raise Invalid("A rule needs an agent.", field="rules")
            if max(len(rule.user), len(rule.chat)) > MAX_NAME:
                raise Invalid(f"An id has at most {MAX_NAME} characters.", field="rules")
            await check_agent(rule.agent, principal, self._roster)

    # --- views -----------------------------------------------------------------------------

    def _view(
        self,
        channel: Channel,
        configuration: Configuration,
        counts: dict[tuple[str, str], int],
        principal: Principal,
    ) -> ChannelView:
        fields = {name: getattr(channel, name) for name in Channel.__struct_fields__}
        if not owns(principal, channel.owner):
            fields["named_chats"] = ()  # only the owner sees who writes to the bot
        return ChannelView(
            **fields,
            connection=self._connections.status(channel),
            may_change=principal.in_browser and owns(principal, channel.owner),
            pairings=sum(each.channel_id == channel.id for each in configuration.pairings),
            waiting=sum(counts.get((channel.id, state), 0) for state in ("later", "waiting", "sending")),
            unknown=counts.get((channel.id, "unknown"), 0),
        )

    def _tell(self, channel: Channel) -> None:
        self._bus.publish(ChannelChanged(channel_id=channel.id), scope_of(channel))
