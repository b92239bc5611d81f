"""Searches of agents' memory take turns, and the threads of the rest of the server do not wait for them."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.memory.memory_search import MemoryFindings, MemorySearch
from jupyter_cabinet.agents.memory.search_queue import MOST_WAITING, SearchQueue
from jupyter_cabinet.core.errors import NotFound, QueueFull, ShuttingDown

PATIENCE_SECONDS = 30


class Shelf:
    """The agents `ada` and `bob`. Reading a file of ada's memory takes until `go` is set."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.go, self.reading = threading.Event(), threading.Event()
        self.at_once, self.most_at_once = 0, 0
        for slug in ("ada", "bob"):
            home = folder / ".agents" / slug
            (home / "memory").mkdir(parents=True)
            (home / "persona.md").write_text(f"---\nname: {slug}\n---\nHi.\n")
            (home / "memory" / "learnings.md").write_text("plums")
            os.utime(home / "memory" / "learnings.md", (time.time() - 60,) * 2)
        folders = AgentFolders(folder, folder / ".cabinet")
        read_file = folders.read_file

        def slow(slug: str, path: str) -> object:
            if slug == "ada":
                self.reading.set()
                self.go.wait(PATIENCE_SECONDS)
            return read_file(slug, path)

        folders.read_file = slow  # type: ignore[method-assign, assignment]
        search = MemorySearch(folders, root=folder, data=self.data)
        find = search.search

        def counted(slug: str, *args: Any, **options: Any) -> MemoryFindings:
            if slug != "ada":
                return find(slug, *args, **options)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            try:
                return find(slug, *args, **options)
            finally:
                self.at_once -= 1

        search.search = counted  # type: ignore[method-assign]
        self.queue = SearchQueue(search)

    def begin(self, slug: str = "ada") -> asyncio.Task[int]:
        return asyncio.create_task(self._count(slug))

    async def _count(self, slug: str) -> int:
        return len((await self.queue.search(slug, "plums", limit=5)).items)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path)
    yield shelf
    shelf.go.set()
    shelf.queue.close()


async def test_searches_of_one_agent_keep_no_other_thread_waiting(shelf: Shelf) -> None:
    searches = [shelf.begin() for _ in range(MOST_WAITING)]
    await asyncio.to_thread(shelf.reading.wait, PATIENCE_SECONDS)
    async with asyncio.timeout(PATIENCE_SECONDS / 2):
        for _ in range(40):  # more than the threads of the server
            await asyncio.to_thread(lambda: None)
        assert await shelf.begin("bob") == 1
    shelf.go.set()
    assert await asyncio.gather(*searches) == [1] * MOST_WAITING
    assert shelf.most_at_once == 1


async def test_too_many_searches_of_one_agent_are_refused(shelf: Shelf) -> None:
    searches = [shelf.begin() for _ in range(MOST_WAITING)]
    await asyncio.to_thread(shelf.reading.wait, PATIENCE_SECONDS)
    with pytest.raises(QueueFull, match="too many searches"):
        await shelf.begin()
    shelf.go.set()
    assert await asyncio.gather(*searches) == [1] * MOST_WAITING
    assert await shelf.begin() == 1


async def test_a_caller_that_leaves_lets_the_next_one_in_when_its_search_has_ended(shelf: Shelf) -> None:
    first = shelf.begin()
    await asyncio.to_thread(shelf.reading.wait, PATIENCE_SECONDS)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = shelf.begin()
    assert await shelf.begin("bob") == 1  # on the only other thread, which the second search does not use yet
    assert not second.done() and shelf.at_once == 1
    shelf.go.set()
    assert await second == 1
    assert shelf.most_at_once == 1


async def test_an_error_does_not_block_the_next_search(shelf: Shelf) -> None:
    for _ in range(MOST_WAITING + 1):
        with pytest.raises(NotFound):
            await shelf.begin("nobody")


async def test_an_index_is_removed_when_the_search_in_it_has_ended(shelf: Shelf) -> None:
    search = shelf.begin()
    await asyncio.to_thread(shelf.reading.wait, PATIENCE_SECONDS)
    removal = asyncio.create_task(shelf.queue.remove("ada"))
    assert await shelf.begin("bob") == 1  # the removal would have come before
    assert not removal.done() and list(shelf.data.rglob("ada.db"))
    shelf.go.set()
    await removal
    assert await search == 1
    assert not list(shelf.data.rglob("ada.db*"))
    assert await shelf.begin() == 1


async def test_a_queue_that_is_closed_accepts_nothing(shelf: Shelf) -> None:
    shelf.queue.close()
    for _ in range(2):
        with pytest.raises(ShuttingDown):
            await shelf.begin("bob")
