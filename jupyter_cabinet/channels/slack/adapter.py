"""The adapter of Slack: puts together the calls of the API and the translation of its deliveries."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from ..model import MAX_NAME
from ..port import Account, Button, ChannelError, Inbound, Place
from .api import SLACK, Delivery, SlackApi
from .formatting import blocks_of, notification
from .updates import Envelope, Unreadable, inbound_of, press_target

log = logging.getLogger(__name__)

MOST_NAMES = 1_000  # of people, kept in memory
NAME_SECONDS = 1.5  # Slack repeats a delivery that is not acknowledged within three
AGAIN_SECONDS = 60.0  # until a name that Slack has not told is asked for again
MOST_HELD = 20  # messages that wait for a name


class _Held(msgspec.Struct, frozen=True):
    """A delivery that waits for the name of its sender, which messages do not have."""

    delivery: Delivery
    inbound: Inbound
    name: asyncio.Task[str] | None

    @property
    def is_ready(self) -> bool:
        return self.name is None or self.name.done()

    def with_name(self) -> Inbound:
        """Return it with the name, as far as that is known now."""
        if self.name is None or not self.name.done():
            return self.inbound
        sender = msgspec.structs.replace(self.inbound.sender, name=self.name.result())
        return msgspec.structs.replace(self.inbound, sender=sender)


class SlackAdapter:
    """One app in one workspace."""

    def __init__(self, token: str, app_token: str, api_url: str = "") -> None:
        """`api_url`: of another Slack, such as GovSlack; empty: the usual one."""
        self._api = SlackApi(token, app_token, api_url)
        self._page = (api_url or SLACK).rstrip("/")
        self._bot = ""
        self._delivered: list[Delivery] = []  # by the previous call of `receive`
        self._held: deque[_Held] = deque()
        self._names: dict[str, asyncio.Task[str]] = {}

    async def connect(self) -> Account:
        """Log in, and return the bot's account. Raises `Rejected` and `NotSent`."""
        me = await self._api.identify()
        self._bot = me.user_id
        app = (await self._api.open_socket()).connection_info.app_id
        address = f"{self._page}/app_redirect?app={app}&team={me.team_id}" if app else ""
        return Account(id=me.user_id, name=f"@{me.user}", address=address)

    async def receive(self) -> Sequence[Inbound]:
        """Acknowledge the previous delivery, and wait for the next one. Slack repeats what is not acknowledged.

        A message whose sender has no known name is held for a moment. Others do not wait for it. Raises `Rejected` and
        `NotSent`.
        """
        delivered, self._delivered = self._delivered, []
        for delivery in delivered:
            await delivery.socket.acknowledge(delivery.envelope.envelope_id)
        lookups = [held.name for held in self._held if held.name is not None]
        if (received := await self._api.receive(until=lookups)) is not None:
            await self._take(received)
        return self._release()

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, in the thread of the place if there is one, without a preview of its links.

        Raises `Rejected`, `NotSent` and `InDoubt`.
        """
        return await self._api.post_message(
            {
                "channel": place.chat,
                "thread_ts": place.thread or None,
                **_text(text, buttons),
                "unfurl_links": False,
                "unfurl_media": False,
            }
        )

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace the text of a message, and remove its buttons. Raises `Rejected` and `NotSent`."""
        await self._api.update_message({"channel": place.chat, "ts": message_id, **_text(text)})

    async def typing(self, place: Place) -> None:
        """Do nothing: on Slack, a bot cannot show that it is about to write."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Show a note to the person who pressed a button. Raises `Rejected` and `NotSent`."""
        channel, user, thread = press_target(press_id)
        await self._api.post_ephemeral(
            {"channel": channel, "user": user, "thread_ts": thread or None, "text": notification(text)}
        )

    async def close(self) -> None:
        """Disconnect. What is not acknowledged comes again."""
        for name in self._names.values():
            name.cancel()
        await self._api.close()

    async def _take(self, delivery: Delivery) -> None:
        envelope = delivery.envelope
        if envelope.type == "disconnect":
            if envelope.reason == "link_disabled":
                raise self._api.end_of(envelope)
            if self._api.is_present(delivery.socket):
                await self._api.open_socket()  # Slack asks for another one every few hours
        elif (inbound := self._inbound_of(envelope)) is not None:
            self._held.append(_Held(delivery, inbound, self._name_of(inbound)))
        elif envelope.envelope_id:
            self._delivered.append(delivery)

    def _inbound_of(self, envelope: Envelope) -> Inbound | None:
        try:
            return inbound_of(envelope, self._bot)
        except Unreadable as error:
            log.warning("A delivery of Slack cannot be read, and is left out: %s", error)
            return None

    def _release(self) -> list[Inbound]:
        """Return what waits no longer, all of it if it is too much. Those of one person stay in order."""
        is_full = sum(not held.is_ready for held in self._held) > MOST_HELD
        released = [held for held in self._held if is_full or held.is_ready]
        self._held = deque(held for held in self._held if not (is_full or held.is_ready))
        self._delivered += [held.delivery for held in released]
        return [held.with_name() for held in released]

    def _name_of(self, inbound: Inbound) -> asyncio.Task[str] | None:
        """Return what finds the name of a sender; None if no name is needed, or too many are being looked up."""
        sender = inbound.sender
        if sender.name or sender.is_bot or inbound.edited:
            return None
        if (known := self._names.get(sender.id)) is not None:
            return known
        if sum(not each.done() for each in self._names.values()) >= MOST_HELD:
            return None
        if len(self._names) >= MOST_NAMES:
            self._names.pop(next(iter(self._names)))
        self._names[sender.id] = asyncio.create_task(self._name(sender.id))
        return self._names[sender.id]

    async def _name(self, user_id: str) -> str:
        """Return the name of a person; empty if Slack does not tell it soon. It is only shown."""
        try:
            async with asyncio.timeout(NAME_SECONDS):
                person = await self._api.person(user_id)
        except (ChannelError, TimeoutError):
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._names.pop, user_id, None)
            return ""
        return (person.profile.display_name or person.profile.real_name or person.name)[:MAX_NAME]


def _text(text: str, buttons: Sequence[Button] = ()) -> dict[str, Any]:
    return {"text": notification(text), "blocks": blocks_of(text, buttons), "parse": "none", "link_names": False}
