"""The background task: what it reads first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from harness.pi_files import PiFile

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.transcripts import indexer, positioned_lines
from jupyter_cabinet.transcripts.index_file import IndexFile
from jupyter_cabinet.transcripts.indexer import Indexer
from jupyter_cabinet.transcripts.model import SessionFilter
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
        async with asyncio.timeout(30):
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
