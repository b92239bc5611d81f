"""The sessions of documents in the order in which something was last said in them, whatever servers come and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.rooms import ADA, Place, ended, submit
from harness.waiting import holds

from jupyter_cabinet.editor.model import SessionSummary
from jupyter_cabinet.house import House

pytestmark = pytest.mark.slow(reason="starts real agents")


async def history(house: House) -> list[SessionSummary]:
    return await house.editor.find(ADA, path=None, query=None, limit=50)


def order(rows: list[SessionSummary]) -> list[tuple[str, object]]:
    return [(row.session.path, row.session.updated_at) for row in rows]


async def test_times_and_order_survive_the_end_of_the_server(tmp_path: Path) -> None:
    place = Place(tmp_path)
    paths = ("a.md", "b.md", "c.md")
    for path in paths:
        (place.root / path).write_text("# Page\n")
    async with place.house() as house:
        for path in paths:
            assert (await ended(house, await submit(house, "append: one", path=path))).state == "succeeded"
        working = await submit(house, "sleep 60", path="a.md")
        await holds(lambda: house.runs._records.live[working.id].run.state == "running")
        assert (await ended(house, await submit(house, "append: two", path="b.md"))).state == "succeeded"
        before = await history(house)
        assert [row.session.path for row in before] == ["b.md", "a.md", "c.md"]
        assert all(row.session.terminal_id for row in before)
    async with place.house() as house:  # it finds sessions whose CLIs are no longer open, and a run that is over
        after = await history(house)
        assert order(after) == order(before)
        assert [row.session.terminal_id for row in after] == [None] * 3
        await house.editor.close(after[2].session.id, ADA)
        assert order(await history(house)) == order(before)
        assert (await ended(house, await submit(house, "append: three", path="c.md"))).state == "succeeded"
        assert [row.session.path for row in await history(house)] == ["c.md", "b.md", "a.md"]
