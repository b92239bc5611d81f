"""The sessions of documents in the order in which something was last said in them, whatever servers come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit_in_terminal
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.editor.model import SessionSummary

pytestmark = pytest.mark.slow(reason="starts real agents")


async def history(backend: Backend) -> list[SessionSummary]:
    return await backend.editor.find(ADA, path=None, query=None, limit=50)


def order(rows: list[SessionSummary]) -> list[tuple[str, object]]:
    return [(row.session.path, row.session.updated_at) for row in rows]


@pytest.mark.long(reason="waits for many writes to the disk")
async def test_times_and_order_survive_the_end_of_the_server(tmp_path: Path) -> None:
    place = Place(tmp_path)
    paths = ("a.md", "b.md", "c.md")
    for path in paths:
        (place.root / path).write_text("# Page\n")
    async with place.backend() as backend:
        for path in paths:
            one = await submit_in_terminal(backend, "append: one", path=path)
            assert (await ended(backend, one)).state == "succeeded"
        working = await submit_in_terminal(backend, "sleep 60", path="a.md")
        await holds(lambda: backend.records.live[working.id].run.state == "running")
        two = await submit_in_terminal(backend, "append: two", path="b.md")
        assert (await ended(backend, two)).state == "succeeded"
        before = await history(backend)
        assert [row.session.path for row in before] == ["b.md", "a.md", "c.md"]
        assert all(row.session.terminal_id for row in before)
    async with place.backend() as backend:  # it finds sessions whose CLIs are no longer open, and a run that is over
        after = await history(backend)
        assert order(after) == order(before)
        assert [row.session.terminal_id for row in after] == [None] * 3
        await backend.editor.close(after[2].session.id, ADA)
        assert order(await history(backend)) == order(before)
        three = await submit_in_terminal(backend, "append: three", path="c.md")
        assert (await ended(backend, three)).state == "succeeded"
        assert [row.session.path for row in await history(backend)] == ["c.md", "b.md", "a.md"]
