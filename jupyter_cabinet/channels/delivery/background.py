"""Work that events cause, done in the background, one after the other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """Does what it is given in order, so that the end of a request comes after its beginning."""

    def __init__(self, failure: str) -> None:
        """`failure`: what to write into the log if something cannot be done."""
        self._failure = failure
        self._tasks: set[asyncio.Task[None]] = set()
        self._one_at_a_time = asyncio.Lock()
        self._closed = False

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this after what was given before, without waiting.

        Errors are only logged. After `close`, nothing is done any more.
        """
        if self._closed:
            work.close()
            return
        task = asyncio.create_task(self._logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self) -> None:
        """Return when everything that was given is done or has failed."""
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        """Finish what was given, and take nothing more."""
        self._closed = True
        await self.settled()

    async def _logged(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            async with self._one_at_a_time:
                await work
        except Exception:
            log.exception(self._failure)
