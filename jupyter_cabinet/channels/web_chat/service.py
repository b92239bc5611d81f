"""What people do on the page of the web chat. Everybody sees and writes only their own conversation.

A person is paired with themselves when they write first: Jupyter has checked who they are, so no code is needed. What
they write passes the same gate as on every other platform.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec

from ...core.errors import Invalid, NotAllowed, NotFound, Refused
from ...core.ids import new_id
from ...core.people import Principal, may_see
from ...foundation import Foundation
from .. import store
from ..connections import Connections
from ..intake import TOO_FAST
from ..model import MAX_NAME, Channel, ChannelChanged, ChannelMessage, ConnectionState, Pairing, Right
from ..port import Inbound, NotSent, Place, Sender
from ..records import scope_of
from ..rules.admission import MAX_TEXT
from ..setup.book import ChannelBook
from ..setup.configuration import Configuration
from .adapter import WebChatAdapter
from .model import ChatMessage, NewChatMessage, PressButton, WebChatInfo, account_of

NOTE_SECONDS = 10.0  # in which the press of a button is treated
VISIBLE = ("received", "working", "answered", "sent", "unknown")
KEY = re.compile(r"[A-Za-z0-9-]{8,64}")

IN_BROWSER = "Only a person in the browser may write here. Open the page in a browser to do this."
MAY_NOT_ASK = "You may not run agents on this server, so you may not write to them."
MAY_NOT_APPROVE = "You may not answer approval requests on this server."
NO_CHAT = "There is no such web chat."
NO_BUTTON = "This is no longer open."
STARTING = "The chat is starting. Try again in a moment."
CLOSED: dict[ConnectionState, str] = {
    "off": "This web chat is switched off.",
    "elsewhere": "Another server on this folder has this chat. Open its page there.",
}


class WebChat:
    """What `web/handlers/web_chats.py` calls. `rights`: what the caller may do in JupyterLab at this moment."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook, connections: Connections) -> None:
        self._book = book
        self._connections = connections
        self._database = foundation.database
        self._bus = foundation.bus
        self._clock = foundation.clock

    async def find(self, principal: Principal) -> list[WebChatInfo]:
        """Return the web chats that a person may use, oldest first. Raises `Malformed`."""
        await self._book.refresh()
        return [
            WebChatInfo(id=each.id, title=each.title, agent=each.agent, state=self._connections.status(each).state)
            for each in self._book.configuration.channels
            if _may_use(each, principal)
        ]

    async def messages(
        self, channel_id: str, principal: Principal, *, before: int | None = None, limit: int = 50
    ) -> list[ChatMessage]:
        """Return messages of the caller's conversation, newest first, at most `limit`. Raises `NotFound`."""
        channel = await self._chat(channel_id, principal)
        chat = account_of(principal)
        found = await self._database.read(
            lambda c: store.list_of_chat(c, channel.id, chat, states=VISIBLE, before=before, limit=limit)
        )
        return [shown(each) for each in found]

    async def write(
        self, channel_id: str, new: NewChatMessage, principal: Principal, rights: Sequence[Right]
    ) -> ChatMessage:
        """Put a message on record, and return it. A repetition with the same key returns the first one.

        It waits until the message is on record, not for the answer. Raises `NotFound`, `NotAllowed` for a program or
        without the right `ask`, `Invalid`, and `Refused` if it cannot be taken now.
        """
        channel, adapter = await self._open(channel_id, principal)
        if "ask" not in rights:
            raise NotAllowed(MAY_NOT_ASK)
        _check(new)
        await self._pair(channel, principal, rights)
        inbound = _inbound(principal, key=_stored_key(new.key, account_of(principal)), text=new.text)
        try:
            await adapter.deliver(inbound)
        except NotSent as error:
            raise Refused(str(error)) from None
        message = await self._database.read(lambda c: store.received_message(c, channel.id, inbound.key))
        if message is None:
            raise Refused(TOO_FAST)
        return shown(message)

    async def press(self, channel_id: str, pressed: PressButton, principal: Principal, rights: Sequence[Right]) -> str:
        """Press a button of a message in the caller's conversation, and return the note about it, within about 10
        seconds.

        Raises `NotFound`, also for a button that is no longer open, `NotAllowed` for a program or without the right
        `approve`, and `Refused` if it cannot be taken now.
        """
        channel, adapter = await self._open(channel_id, principal)
        if "approve" not in rights:
            raise NotAllowed(MAY_NOT_APPROVE)
        message = await self._database.read(lambda c: store.load_message(c, pressed.message))
        if message is None or (message.channel_id, message.chat) != (channel.id, account_of(principal)):
            raise NotFound("There is no such message in your chat.")
        buttons = () if message.ending else message.buttons
        if not 0 <= pressed.button < len(buttons):
            raise NotFound(NO_BUTTON)
        await self._pair(channel, principal, rights)
        id = new_id()
        inbound = _inbound(principal, key=id, press=buttons[pressed.button][1], press_id=id)
        try:
            note = await adapter.press(inbound, seconds=NOTE_SECONDS)
        except NotSent as error:
            raise Refused(str(error)) from None
        if not note:
            raise Refused(TOO_FAST)
        return note

    # --- who ---------------------------------------------------------------------------------

    async def _chat(self, channel_id: str, principal: Principal) -> Channel:
        await self._book.refresh()
        channel = self._book.channel(channel_id)
        if channel is None or not _may_use(channel, principal):
            raise NotFound(NO_CHAT)
        return channel

    async def _open(self, channel_id: str, principal: Principal) -> tuple[Channel, WebChatAdapter]:
        """Return a chat in which something may be done, and its adapter."""
        channel = await self._chat(channel_id, principal)
        if not principal.in_browser:
            raise NotAllowed(IN_BROWSER)
        connection = self._book.connections.get(channel_id)
        adapter = connection.adapter if connection is not None else None
        if not isinstance(adapter, WebChatAdapter):
            raise Refused(CLOSED.get(self._connections.status(channel).state, STARTING))
        return channel, adapter

    async def _pair(self, channel: Channel, principal: Principal, rights: Sequence[Right]) -> None:
        """Pair a person with themselves. The account has exactly the rights that the person has now."""
        account, may = account_of(principal), tuple(rights)
        known = self._book.pairing_of(channel.id, account)
        if known is not None and known.may == may:
            return

        def change(before: Configuration) -> Configuration:
            known = before.pairing_of(channel.id, account, shared_login=principal.shared_token)
            mine = msgspec.structs.replace(known or self._new_pairing(channel, principal), may=may)
            others = (each for each in before.pairings if (each.channel_id, each.sender_id) != (channel.id, account))
            return msgspec.structs.replace(before, pairings=(*others, mine))

        await self._book.change(change)
        self._bus.publish(ChannelChanged(channel_id=channel.id), scope_of(channel))

    def _new_pairing(self, channel: Channel, principal: Principal) -> Pairing:
        account = account_of(principal)
        return Pairing(
            id=new_id(),
            channel_id=channel.id,
            sender_id=account,
            sender_name=principal.display_name[:MAX_NAME],
            username=principal.username,
            display_name=principal.display_name,
            shared_login=principal.shared_token,
            direct_chat=account,
            created_at=self._clock.now(),
        )


def shown(message: ChannelMessage) -> ChatMessage:
    """Return a message as the page shows it."""
    return ChatMessage(
        id=message.id,
        number=message.number,
        sender="you" if message.direction == "in" else "agent",
        state=message.state,
        text=f"{message.text}\n\n{message.ending}" if message.ending else message.text,
        buttons=() if message.ending else tuple(label for label, _ in message.buttons),
        agent=message.agent,
        key=message.key.partition("/")[0] if message.direction == "in" else "",
        at=message.at,
    )


def _may_use(channel: Channel, principal: Principal) -> bool:
    return channel.platform == "web" and may_see(principal, channel.owner, channel.visibility)


def _check(new: NewChatMessage) -> None:
    if KEY.fullmatch(new.key) is None:
        raise Invalid("A key has 8 to 64 letters, digits and dashes.", field="key")
    if not new.text.strip():
        raise Invalid("Write a message first.", field="text")
    if len(new.text) > MAX_TEXT:
        raise Invalid(f"A message has at most {MAX_TEXT:,} characters. This one has {len(new.text):,}.", field="text")


def _stored_key(key: str, account: str) -> str:
    """Return the key under which a message is on record: two people never have the same one."""
    return f"{key}/{hashlib.sha256(account.encode()).hexdigest()[:16]}"


def _inbound(principal: Principal, *, key: str, text: str = "", press: str = "", press_id: str = "") -> Inbound:
    account = account_of(principal)
    return Inbound(
        key=key,
        sender=Sender(id=account, name=principal.display_name),
        place=Place(chat=account, direct=True),
        text=text,
        press=press,
        press_id=press_id,
    )
