"""The room's service for people who search an agent's memory. Whoever may see an agent may read its memory."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ..core.errors import ShuttingDown
from ..core.people import Principal
from .memory.memory_search import MemorySearch
from .memory.search_queue import SearchQueue
from .model import MemoryMatches
from .prompts.tool_list import MAX_QUERY, MOST_PASSAGES
from .roster.roster import Roster


class AgentMemory:
    """The memory of all agents of a root. Call `open` first."""

    def __init__(self, *, roster: Roster, search: MemorySearch, queue: SearchQueue) -> None:
        self._roster = roster
        self._search = search
        self._queue = queue

    async def open(self) -> None:
        """Remove indexes of agents that do not exist any more."""
        await asyncio.to_thread(self._search.remove_others)

    async def search(self, slug: str, query: str, principal: Principal, *, limit: int) -> MemoryMatches:
        """Return the passages of an agent's memory that have all words of the query, best first.

        The query is cut after 200 characters; an empty one finds nothing. `limit`: from 1 to 50; other numbers are
        replaced by the nearest. `left_out` counts the files that were not searched, or not yet. Raises `NotFound`, also
        if the caller may not see the agent, `QueueFull` if too many searches of this agent wait, `ShuttingDown`, and
        `Unavailable`.
        """
        await self._roster.get(slug, principal)
        limit = min(max(1, limit), MOST_PASSAGES)
        found = await self._queue.search(slug, query[:MAX_QUERY], limit=limit)
        items = tuple(each.match for each in found.items)
        return MemoryMatches(items=items, left_out=found.left_out + found.unfinished)

    async def forget(self, slug: str) -> None:
        """Remove the index of an agent that is gone. If the server is stopping, the next start removes it."""
        with suppress(ShuttingDown):
            await self._queue.remove(slug)

    def close(self) -> None:
        """Accept no more searches."""
        self._queue.close()
