"""Runs searches of agents' memory in separate threads, for one agent one after the other.

A search may build an index, which takes seconds. The threads that the rest of the server uses must not wait for it.
Called by `agent_memory.py` and `memory_tools.py`.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ...core.errors import QueueFull, ShuttingDown
from .memory_search import MemoryFindings, MemorySearch

THREADS = 2
MOST_WAITING = 8  # searches of one agent, with the one that is running
TOO_MANY = "There are too many searches of this agent's memory at once. Try again when some of them have ended."

T = TypeVar("T")


class SearchQueue:
    """The searches of a root. Call `close` at the end."""

    def __init__(self, search: MemorySearch) -> None:
        self._search = search
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="cabinet-memory")
        self._waiting: Counter[str] = Counter()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._is_closed = False

    async def search(self, slug: str, query: str, *, limit: int, with_tainted: bool = True) -> MemoryFindings:
        """Search as `MemorySearch` does, after the earlier searches of this agent.

        Raises also `QueueFull` if eight searches of this agent wait or run, and `ShuttingDown` after `close`.
        """
        if self._waiting[slug] >= MOST_WAITING:
            raise QueueFull(TOO_MANY)
        return await self._in_turn(
            slug, lambda: self._search.search(slug, query, limit=limit, with_tainted=with_tainted)
        )

    async def remove(self, slug: str) -> None:
        """Remove the index of an agent, with the texts in it, after its earlier searches.

        The next search builds it again. Raises `ShuttingDown` after `close`.
        """
        await self._in_turn(slug, lambda: self._search.remove(slug))

    def close(self) -> None:
        """Accept no more searches. One that is running ends by itself."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _in_turn(self, slug: str, work: Callable[[], T]) -> T:
        lock = self._locks[slug]
        self._waiting[slug] += 1
        try:
            await lock.acquire()
            future = self._begin(lock, work)
            return await asyncio.shield(future)  # a caller that leaves must not let the next one in too early
        finally:
            self._waiting[slug] -= 1
            if not self._waiting[slug]:
                del self._waiting[slug]
                if not lock.locked():
                    self._locks.pop(slug, None)

    def _begin(self, lock: asyncio.Lock, work: Callable[[], T]) -> asyncio.Future[T]:
        if self._is_closed:
            lock.release()
            raise ShuttingDown
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(lambda _: lock.release())
        return future
