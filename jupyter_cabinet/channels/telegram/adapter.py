"""The adapter of Telegram: puts together the calls of the API and the translation of its updates."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..port import Account, Button, ChannelError, Inbound, Place
from .api import BotApi
from .formatting import formatted
from .updates import User, inbound_of, read_updates

POLL_SECONDS = 25
GOODBYE_SECONDS = 2
KINDS = ["message", "edited_message", "callback_query"]
NO_PREVIEW = {"is_disabled": True}


class TelegramAdapter:
    """One bot."""

    def __init__(self, token: str, api_url: str = "") -> None:
        """`token`: in its form, because it becomes part of a URL. `api_url`: of a separate Bot API server."""
        self._api = BotApi(token, api_url)
        self._bot = User(id=0)
        self._next = 0  # number of the update after those that were received
        self._recorded = 0  # number of the update after those that are on record

    async def connect(self) -> Account:
        """Log in, and return the bot's account. Raises `Rejected` and `NotSent`."""
        self._bot = me = await self._api.get_me()
        return Account(id=str(me.id), name=f"@{me.username}", address=f"https://t.me/{me.username}")

    async def receive(self) -> Sequence[Inbound]:
        """Wait for updates. Telegram forgets those of the previous call, because the offset is behind them.

        Raises `Rejected` and `NotSent`.
        """
        self._recorded = self._next
        raw = await self._api.get_updates(self._recorded, wait_seconds=POLL_SECONDS, kinds=KINDS)
        updates, newest = read_updates(raw)
        if newest is not None:
            self._next = newest + 1
        found = (inbound_of(update, self._bot) for update in updates)
        return [each for each in found if each is not None]

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send one message, without a preview of its links. Raises `Rejected`, `NotSent` and `InDoubt`."""
        rows = [[{"text": button.label, "callback_data": button.data}] for button in buttons]
        arguments = {
            **_chat(place),
            **_text(text),
            "reply_markup": {"inline_keyboard": rows} if rows else None,
        }
        return str(await self._api.send_message(arguments))

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace the text of a message, and remove its buttons. Raises `Rejected` and `NotSent`."""
        await self._api.edit_message({"chat_id": int(place.chat), "message_id": int(message_id), **_text(text)})

    async def typing(self, place: Place) -> None:
        """Show *typing…* for five seconds. Raises `Rejected` and `NotSent`."""
        await self._api.send_chat_action({**_chat(place), "action": "typing"})

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Show a note to the person who pressed a button. Raises `Rejected` and `NotSent`."""
        await self._api.answer_callback_query(press_id, text)

    async def close(self) -> None:
        """Disconnect. Before that, tell Telegram which updates are on record, so that it does not send them again.

        That takes at most `GOODBYE_SECONDS`; a failure of it is ignored.
        """
        if self._recorded:
            with suppress(ChannelError, TimeoutError):
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await self._api.get_updates(self._recorded, wait_seconds=0, kinds=KINDS)
        await self._api.close()


def _chat(place: Place) -> dict[str, Any]:
    return {"chat_id": int(place.chat), "message_thread_id": int(place.thread) if place.thread else None}


def _text(text: str) -> dict[str, Any]:
    """Return a text as Telegram takes it, with its code blocks."""
    shown, blocks = formatted(text)
    entities = [
        {"type": "pre", "offset": block.offset, "length": block.length}
        | ({"language": block.language} if block.language else {})
        for block in blocks
    ]
    return {"text": shown, "entities": entities or None, "link_preview_options": NO_PREVIEW}
