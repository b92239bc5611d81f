"""The search reads transcripts: it may take long, but it delays nobody and says when it has not seen all of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from harness.pi_files import PiFile

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexing import read_sources, sweep
from jupyter_cabinet.transcripts.model import CliSessionPage, SessionFilter
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies
from jupyter_cabinet.transcripts.search import session_search
from jupyter_cabinet.transcripts.service import CliSessions, SessionIndexSettings

ADA = Principal(username="ada", display_name="Ada", shared_token=True)


class SlowPi:
    """pi, whose transcripts are read slowly while `may_read` is not set."""

    def __init__(self, folder: Path) -> None:
        (self.store,) = session_stores({"PI_CODING_AGENT_SESSION_DIR": str(folder), "HOME": "/none"})
        self.is_reading, self.may_read = threading.Event(), threading.Event()

    def session_stores(self, _environment: object) -> tuple[Any, ...]:
        return (msgspec.structs.replace(self.store, read_line=self._read_line),)

    def _read_line(self, position: int, line: dict[str, Any]) -> Iterator[Any]:
        self.is_reading.set()
        assert self.may_read.wait(30)
        return self.store.read_line(position, line)


@pytest.fixture
def pi(tmp_path: Path) -> SlowPi:
    for number in range(5):
        file = PiFile(tmp_path / "pi", f"s{number}")
        file.user(f"walrus {number}")
        file.assistant("Noted.")
    made = SlowPi(tmp_path / "pi")
    connection = IndexFile(tmp_path / "data" / "sessions").open()
    copies = DatabaseCopies()
    found = sweep(connection, {"pi": (made.store,)}, copies)
    reading = read_sources(connection, ((made.store, each) for each in found.changed), copies)
    assert sum(len(batch.ids) for batch in reading) == 5
    connection.close()
    return made


class NoRuns:
    """Cabinet has started none of the sessions."""

    async def first_runs(self, session_ids: set[str], principal: Principal) -> list[Any]:
        return []


@pytest.fixture
def sessions(tmp_path: Path, pi: SlowPi) -> Iterator[CliSessions]:
    foundation: Any = SimpleNamespace(root=tmp_path, data=tmp_path / "data", clock=SystemClock(), bus=EventBus())
    runtimes: Any = SimpleNamespace(names=lambda: ["pi"], get=lambda _: pi)
    nothing: Any = None
    made = CliSessions(
        foundation,
        runtimes=runtimes,
        sessions=nothing,
        runs=NoRuns(),  # type: ignore[arg-type]
        settings=SessionIndexSettings(environment={}, enabled=True),
    )
    yield made
    pi.may_read.set()
    made._close()


async def test_other_requests_are_answered_while_a_search_reads_transcripts(sessions, pi):
    searching = asyncio.create_task(sessions.find(SessionFilter(query="walrus"), ADA))
    await asyncio.to_thread(pi.is_reading.wait, 30)
    async with asyncio.timeout(10):
        assert len((await sessions.find(SessionFilter(), ADA)).items) == 5
        assert (await sessions.projects(ADA)).items[0].sessions == 5
    assert not searching.done()
    pi.may_read.set()
    assert len((await searching).items) == 5


@pytest.mark.parametrize("what", ["entries", "last"])
async def test_other_requests_are_answered_while_a_session_is_read(sessions, pi, what):
    id = (await sessions.find(SessionFilter(), ADA)).items[0].id
    reading = asyncio.create_task(getattr(sessions, what)(id, ADA))
    await asyncio.to_thread(pi.is_reading.wait, 30)
    async with asyncio.timeout(10):
        await sessions.projects(ADA)
    assert not reading.done()
    pi.may_read.set()
    await reading


async def test_a_search_that_takes_long_ends_its_page_and_names_the_next_one(sessions, pi, monkeypatch):
    pi.may_read.set()
    monkeypatch.setattr(session_search, "SEARCH_SECONDS", 0.0)
    found, cursor = list[str](), 0
    pages = list[CliSessionPage]()
    while True:
        page = await sessions.find(SessionFilter(query="walrus", cursor=cursor), ADA)
        pages.append(page)
        found += [each.title for each in page.items]
        if page.next is None:
            break
        assert int(page.next) > cursor
        cursor = int(page.next)
    assert len(pages) == 5 and {page.total for page in pages} == {5}
    assert sorted(found) == [f"walrus {number}" for number in range(5)]
