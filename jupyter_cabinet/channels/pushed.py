"""What adapters share whose deliveries are pushed in by requests to this server, instead of being fetched.

A request hands something over and waits until it is on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from .port import Inbound, NotSent

DELIVERY_SECONDS = 30.0
NOT_TAKEN = "The server could not store this. Try again."


class _Delivery:
    """Something that was handed over, until it is on record."""

    def __init__(self, inbound: Inbound) -> None:
        self.inbound = inbound
        self.taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class PushedDeliveries:
    """The receiving half of an adapter: a queue that a service fills."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[_Delivery] = asyncio.Queue()
        self._given: _Delivery | None = None  # by the previous call of `receive`
        self._notes: dict[str, asyncio.Future[str]] = {}  # by the id of the press
        self._closed = False

    async def receive(self) -> Sequence[Inbound]:
        """Wait for the next delivery, without a limit. The one before is on record."""
        if self._given is not None and not self._given.taken.done():
            self._given.taken.set_result(None)
        self._given = None
        self._given = await self._arrived.get()
        while self._given.taken.done():  # the request has given up waiting, and says so
            self._given = await self._arrived.get()
        return [self._given.inbound]

    async def deliver(self, inbound: Inbound) -> None:
        """Hand something over, and return when it was received and is on record.

        Raises `NotSent` if the connection ends before, or after 30 seconds.
        """
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
        """Hand over the press of a button, and return the note about it; empty if there is none within this time.

        Raises `NotSent` like `deliver`.
        """
        note: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._notes[inbound.press_id] = note
        try:
            await self.deliver(inbound)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await note
            return ""
        finally:
            del self._notes[inbound.press_id]

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Give a note about a pressed button to the call of `press` that waits for it, if any."""
        note = self._notes.get(press_id)
        if note is not None and not note.done():
            note.set_result(text)

    async def close(self) -> None:
        """End what waits. Whoever has sent it tries again."""
        self._closed = True
        waiting = [self._given] if self._given is not None else []
        while not self._arrived.empty():
            waiting.append(self._arrived.get_nowait())
        for delivery in waiting:
            if not delivery.taken.done():
                delivery.taken.set_exception(NotSent(NOT_TAKEN))
