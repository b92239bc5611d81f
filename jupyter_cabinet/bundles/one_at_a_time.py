"""Lets one piece of work run at a time. The others wait; one that is cancelled meanwhile leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class OneAtATime:
    """The place that one piece of work has at a time, in order of arrival."""

    def __init__(self) -> None:
        self._place = asyncio.Lock()

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return what `work` gives, once it was its turn.

        If the caller is cancelled, work that has begun continues in the background and keeps the place: its threads
        cannot be stopped, so the next one would run beside them.
        """
        await self._place.acquire()
        begun = asyncio.ensure_future(work())
        begun.add_done_callback(lambda _: self._place.release())
        return await asyncio.shield(begun)
