"""The adapter of the web chat: a queue that `service.py` fills, and nothing outside.

A message that goes out is sent when it is on record, because the page reads the records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from ...core.ids import new_id
from ..port import Account, Button, Inbound, NotSent, Place

PAGE = "cabinet/chat"  # below the base URL of the server
DELIVERY_SECONDS = 30.0
NOT_TAKEN = "The server could not store this. Try again."


class _Delivery:
    """Something that a person has done on the page, until it is on record."""

    def __init__(self, inbound: Inbound) -> None:
        self.inbound = inbound
        self.taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class WebChatAdapter:
    """The page of one channel."""

    def __init__(self, channel_id: str) -> None:
        self._channel_id = channel_id
        self._arrived: asyncio.Queue[_Delivery] = asyncio.Queue()
        self._given: _Delivery | None = None  # by the previous call of `receive`
        self._notes: dict[str, asyncio.Future[str]] = {}  # by the id of the press
        self._closed = False

    async def connect(self) -> Account:
        """Return where the page is. It has no account, so no user name is mistaken for one."""
        return Account(id="", name="", address=f"{PAGE}#{self._channel_id}")

    async def receive(self) -> Sequence[Inbound]:
        """Wait for the next delivery. The one before is on record."""
        if self._given is not None and not self._given.taken.done():
            self._given.taken.set_result(None)
        self._given = None
        self._given = await self._arrived.get()
        while self._given.taken.done():  # the page has given up waiting, and says so
            self._given = await self._arrived.get()
        return [self._given.inbound]

    async def deliver(self, inbound: Inbound) -> None:
        """Hand something over, and return when it was received. Raises `NotSent` if the connection ends before."""
        if self._closed:
            raise NotSent(NOT_TAKEN)
        delivery = _Delivery(inbound)
        self._arrived.put_nowait(delivery)
        try:
            async with asyncio.timeout(DELIVERY_SECONDS):
                await delivery.taken
        except TimeoutError:
            raise NotSent(NOT_TAKEN) from None

    async def press(self, inbound: Inbound, *, seconds: float) -> str:
        """Hand over the press of a button, and return the note about it; empty if there is none within this time."""
        self._notes[inbound.press_id] = note = self._promise()
        try:
            await self.deliver(inbound)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await note
            return ""
        finally:
            del self._notes[inbound.press_id]

    def _promise(self) -> asyncio.Future[str]:
        return asyncio.get_running_loop().create_future()

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Return an id: the message is on record, so the page shows it."""
        return new_id()

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Do nothing: the record says how a request has ended."""

    async def typing(self, place: Place) -> None:
        """Do nothing: the record says which messages are worked on."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Return a note to the person who pressed a button."""
        note = self._notes.get(press_id)
        if note is not None and not note.done():
            note.set_result(text)

    async def close(self) -> None:
        """End what waits. The page tries again."""
        self._closed = True
        waiting = [self._given] if self._given is not None else []
        while not self._arrived.empty():
            waiting.append(self._arrived.get_nowait())
        for delivery in waiting:
            if not delivery.taken.done():
                delivery.taken.set_exception(NotSent(NOT_TAKEN))
