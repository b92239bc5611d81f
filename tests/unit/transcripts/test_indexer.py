"""The background task: what it reads first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from harness.pi_files import PiFile

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.transcripts.index import index_file, indexer
from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexer import Indexer
from jupyter_cabinet.transcripts.index.indexing import sweep
from jupyter_cabinet.transcripts.model import SessionFilter
from jupyter_cabinet.transcripts.reading import positioned_lines
from jupyter_cabinet.transcripts.session_list import list_sessions


class Stores:
    """Only pi's store."""

    def __init__(self, folder: Path) -> None:
        self._stores = session_stores({"PI_CODING_AGENT_SESSION_DIR": str(folder), "HOME": "/none"})

    def all(self) -> dict[str, Any]:
        return {"pi": self._stores}


async def test_a_session_that_begins_while_a_long_file_is_read_appears_before_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(indexer, "START_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "LONG_FILES_SECONDS", 0.0)
    monkeypatch.setattr(positioned_lines, "MAX_LINE_BYTES", 1 << 10)
    monkeypatch.setattr(positioned_lines, "TURN_BYTES", 2 << 10)
    monkeypatch.setattr(positioned_lines, "CHUNK_BYTES", 1 << 10)
    long = PiFile(tmp_path / "pi", "long")
    for number in range(5000):
        long.user(f"{number} " + "x" * 300)
    bus, began = EventBus(), asyncio.Event()
    bus.subscribe(lambda *_: began.set())
    index = IndexFile(tmp_path / "index")
    task = Indexer(index, Stores(tmp_path / "pi"), clock=SystemClock(), bus=bus)  # type: ignore[arg-type]
    task.start()
    connection = None
    try:
        async with asyncio.timeout(60):
            await began.wait()
            PiFile(tmp_path / "pi", "short").user("hello")
            connection = index.open()
            while "hello" not in {each.title for _, each in list_sessions(connection, SessionFilter())[0]}:
                await asyncio.sleep(0.01)
        ((revision,),) = connection.execute("SELECT revision FROM sessions WHERE native_id = 'long'")
        assert revision == "" and task.indexing >= 1
    finally:
        await task.stop()
        if connection is not None:
            connection.close()


async def test_a_file_that_is_written_again_and_again_does_not_fill_the_index(tmp_path, monkeypatch):
    monkeypatch.setattr(indexer, "START_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "REST_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "RESTING_SHARE", 0)
    monkeypatch.setattr(indexer, "SWEEP_SECONDS", 0.05)  # does not depend on reports of changes
    monkeypatch.setattr(indexer, "TIDYING_SECONDS", 0.0)
    monkeypatch.setattr(index_file, "LEAST_REMOVED", 10)
    index = IndexFile(tmp_path / "index")
    task = Indexer(index, Stores(tmp_path / "pi"), clock=SystemClock(), bus=EventBus())  # type: ignore[arg-type]
    connection = index.open()
    titles = "SELECT title FROM sessions"
    try:
        for version in range(4):
            for old in (tmp_path / "pi").glob("*/*.jsonl"):
                old.unlink()
            file = PiFile(tmp_path / "pi", "one")
            for number in range(20):
                file.user(f"version {version}, {number}")
            if version == 0:
                task.start()
            async with asyncio.timeout(60):
                while connection.execute(titles).fetchone() != (f"version {version}, 0",):
                    await asyncio.sleep(0.01)
        async with asyncio.timeout(60):
            while connection.execute("SELECT count(*) FROM words_docsize").fetchone()[0] > 2 * 20:
                await asyncio.sleep(0.01)
    finally:
        await task.stop()
        connection.close()


async def test_a_change_is_found_without_a_comparison_of_all_files(tmp_path, monkeypatch):
    monkeypatch.setattr(indexer, "START_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "REST_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "RESTING_SHARE", 0)
    sweeps = []
    monkeypatch.setattr(indexer, "sweep", lambda *given: sweeps.append(1) or sweep(*given))
    file = PiFile(tmp_path / "pi", "one")
    file.user("hello")
    bus, read = EventBus(), asyncio.Event()
    bus.subscribe(lambda event, _: read.set() if getattr(event, "ids", ()) else None)
    task = Indexer(IndexFile(tmp_path / "index"), Stores(tmp_path / "pi"), clock=SystemClock(), bus=bus)  # type: ignore[arg-type]
    task.start()
    try:
        async with asyncio.timeout(60):
            await read.wait()
            read.clear()
            file.assistant("hi")
            await read.wait()
            before = len(sweeps)
            read.clear()
            file.assistant("again")
            await read.wait()
        assert len(sweeps) == before
    finally:
        await task.stop()
