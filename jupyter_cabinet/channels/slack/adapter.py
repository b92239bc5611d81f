"""The adapter of Slack: puts together the calls of the API and the translation of its deliveries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from ..platforms import PLATFORMS
from ..port import Account, Button, ChannelError, Inbound, Limits, Place
from .api import SLACK, SlackApi
from .formatting import blocks_of, notification
from .updates import inbound_of, press_target

MOST_NAMES = 1_000  # of people, kept in memory
NAME_SECONDS = 1.5  # Slack repeats a delivery that is not acknowledged within three


class SlackAdapter:
    """One app in one workspace."""

    def __init__(self, token: str, app_token: str, api_url: str = "") -> None:
        """`api_url`: of another Slack, such as GovSlack; empty: the usual one."""
        self._api = SlackApi(token, app_token, api_url)
        self._page = api_url or SLACK
        self._bot = ""
        self._delivered = ""  # the envelope of the previous call of `receive`
        self._names: dict[str, str] = {}

    @property
    def limits(self) -> Limits:
        """What fits into one message."""
        return PLATFORMS["slack"].limits

    async def connect(self) -> Account:
        """Log in, and return the bot's account."""
        me = await self._api.identify()
        self._bot = me.user_id
        app = (await self._api.open_socket()).connection_info.app_id
        address = f"{self._page}/app_redirect?app={app}&team={me.team_id}" if app else ""
        return Account(id=me.user_id, name=f"@{me.user}", address=address)

    async def receive(self) -> Sequence[Inbound]:
        """Acknowledge the previous delivery, and wait for the next one. Slack repeats what is not acknowledged."""
        if self._delivered:
            await self._api.acknowledge(self._delivered)
        self._delivered = ""
        envelope = await self._api.receive()
        if envelope is None:
            return []
        if envelope.type == "disconnect":
            if envelope.reason == "link_disabled":
                raise self._api.end_of(envelope)
            await self._api.open_socket()  # Slack asks for another one every few hours
            return []
        self._delivered = envelope.envelope_id
        inbound = inbound_of(envelope, self._bot)
        return [] if inbound is None else [await self._with_name(inbound)]

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, in the thread of the place if there is one, without a preview of its links."""
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
        """Replace the text of a message, and remove its buttons."""
        await self._api.update_message({"channel": place.chat, "ts": message_id, **_text(text)})

    async def typing(self, place: Place) -> None:
        """Do nothing: on Slack, a bot cannot show that it is about to write."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Show a note to the person who pressed a button."""
        channel, user, thread = press_target(press_id)
        await self._api.post_ephemeral(
            {"channel": channel, "user": user, "thread_ts": thread or None, "text": notification(text)}
        )

    async def close(self) -> None:
        """Disconnect. What is not acknowledged comes again."""
        await self._api.close()

    async def _with_name(self, inbound: Inbound) -> Inbound:
        """Return a delivery with the name of its sender, which messages do not have."""
        sender = inbound.sender
        if sender.name or sender.is_bot or inbound.edited:
            return inbound
        if sender.id not in self._names:
            if len(self._names) >= MOST_NAMES:
                self._names.clear()
            if not (name := await self._name(sender.id)):
                return inbound
            self._names[sender.id] = name
        return msgspec.structs.replace(inbound, sender=msgspec.structs.replace(sender, name=self._names[sender.id]))

    async def _name(self, user_id: str) -> str:
        """Return the name of a person; empty if Slack does not tell it soon. It is only shown."""
        try:
            async with asyncio.timeout(NAME_SECONDS):
                person = await self._api.person(user_id)
        except (ChannelError, TimeoutError):
            return ""
        return person.profile.display_name or person.profile.real_name or person.name


def _text(text: str, buttons: Sequence[Button] = ()) -> dict[str, Any]:
    return {"text": notification(text), "blocks": blocks_of(text, buttons), "parse": "none", "link_names": False}
