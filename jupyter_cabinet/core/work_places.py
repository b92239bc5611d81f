"""Lets a few pieces of work run at a time. The others wait; one that is cancelled meanwhile leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")


class WorkPlaces:
    """So many places for work, given in order of arrival."""

    def __init__(self, count: int) -> None:
        self._places = asyncio.Semaphore(count)

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, or raise its error.

        Waits without a limit until `work` has a place, in order of arrival. If the caller is cancelled while it waits,
        `work` is never called. If the caller is cancelled later, work that has begun continues in the background and
        keeps its place: its threads cannot be stopped, so the next one would run beside them.
        """
        await self._places.acquire()
        begun = asyncio.ensure_future(work())
        begun.add_done_callback(self._leave)
        return await asyncio.shield(begun)

    def _leave(self, begun: asyncio.Future[Any]) -> None:
        self._places.release()
        if not begun.cancelled():
            begun.exception()  # nobody else asks for it if the caller has left
