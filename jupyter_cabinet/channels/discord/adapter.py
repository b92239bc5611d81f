"""The adapter of Discord: puts together the calls of the API, the Gateway, and the translation of its events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..port import Account, Button, ChannelError, Inbound, Place
from .api import DISCORD, DiscordApi
from .formatting import rows_of, written
from .gateway import Gateway
from .updates import Payload, Press, Unreadable, inbound_of, press_in, press_of

log = logging.getLogger(__name__)

MOST_PRESSES = 100  # that wait for a note
WITHOUT_EMBEDS, FOR_ONE_PERSON = 1 << 2, 1 << 6  # flags of messages


class DiscordAdapter:
    """One bot."""

    def __init__(self, token: str, api_url: str = "", kept: dict[str, Any] | None = None) -> None:
        """`api_url`: of another server that speaks the same protocol; empty: Discord's. `kept`: see `platforms.py`."""
        self._api = DiscordApi(token, api_url)
        self._gateway = Gateway(self._api, token, {} if kept is None else kept, on_event=self._accept_press)
        self._page = (api_url or DISCORD).rstrip("/")
        self._bot = ""
        self._returned = 0  # number of the event that the previous call of `receive` has returned
        self._accepted: dict[str, asyncio.Task[None]] = {}  # by the id of the press

    async def connect(self) -> Account:
        """Log in, and return the bot's account. A session that was interrupted continues.

        Raises `Rejected` and `NotSent`.
        """
        me = await self._api.identify()
        self._bot = me.id
        await self._gateway.open()
        return Account(id=me.id, name=f"@{me.username}", address=f"{self._page}/users/{me.id}")

    async def receive(self) -> Sequence[Inbound]:
        """Wait for the next event that concerns the bot, and return it. The one of the previous call is on record now.

        Events that cannot be read are left out. Raises `Rejected` and `NotSent`.
        """
        self._gateway.record(self._returned)
        while True:
            payload = await self._gateway.next()
            if (inbound := self._inbound_of(payload)) is not None:
                self._returned = payload.s or 0
                return [inbound]
            self._gateway.record(payload.s or 0)

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, and return its id. It mentions nobody, and Discord shows no previews of its links.

        Raises `Rejected`, `NotSent` and `InDoubt`.
        """
        return await self._api.post_message(place.chat, _message(text, buttons))

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace the text of a message, and remove its buttons. Raises `Rejected` and `NotSent`."""
        await self._api.edit_message(place.chat, message_id, _message(text))

    async def typing(self, place: Place) -> None:
        """Show that the bot is about to write. Raises `Rejected` and `NotSent`."""
        await self._api.show_typing(place.chat)

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Show a note to the person who pressed a button, and to nobody else. Raises `Rejected` and `NotSent`."""
        press = press_of(press_id)
        if (accepted := self._accepted.pop(press.id, None)) is not None:
            await accepted
        message = _message(text)
        del message["components"]
        await self._api.follow_up(press, message | {"flags": WITHOUT_EMBEDS | FOR_ONE_PERSON})

    async def close(self) -> None:
        """Disconnect. What is not on record comes again if the next adapter connects soon."""
        accepted = list(self._accepted.values())
        for task in accepted:
            task.cancel()
        with suppress(ChannelError):
            await self._gateway.close()
        await asyncio.gather(*accepted, return_exceptions=True)
        await self._api.http.close()

    def _inbound_of(self, payload: Payload) -> Inbound | None:
        try:
            return inbound_of(payload, self._bot)
        except Unreadable as error:
            log.warning("An event of Discord cannot be read, and is left out: %s", error)
            return None

    def _accept_press(self, payload: Payload) -> None:
        """Accept a press as soon as it comes: Discord waits three seconds for it, however many events are before it."""
        with suppress(Unreadable):
            if (press := press_in(payload)) is not None:
                if len(self._accepted) >= MOST_PRESSES:
                    self._accepted.pop(next(iter(self._accepted))).cancel()
                self._accepted[press.id] = asyncio.create_task(self._accept(press))

    async def _accept(self, press: Press) -> None:
        try:
            await self._api.accept_press(press)
        except ChannelError as error:
            log.info("The press of a button could not be accepted, so the person sees no note: %s", error)


def _message(text: str, buttons: Sequence[Button] = ()) -> dict[str, Any]:
    return {
        "content": written(text),
        "components": rows_of(buttons),
        "allowed_mentions": {"parse": []},
        "flags": WITHOUT_EMBEDS,
    }
