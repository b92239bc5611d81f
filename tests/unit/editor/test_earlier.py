"""What another installation has left in the history file is listed and shown, and nothing else comes of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place, ended, submit

from jupyter_cabinet.core.errors import Conflict, NotFound
from jupyter_cabinet.editor.history import LOOKED_THROUGH_BYTES
from jupyter_cabinet.editor.model import NewEditorRun, OpenSession

FILE = ".agents/.history/editor-sessions.jsonl"


def a_line(**changes: Any) -> str:
    line = {
        "id": "session-1712138400000",
        "pagePath": "guides/start",
        "instruction": "Shorten the introduction\nand keep the links",
        "timestamp": "2024-04-03T10:00:00.000Z",
        "duration": 42,
        "status": "completed",
        "summary": "The introduction is shorter now.",
        "output": "The introduction is shorter now. Links are as they were.",
    }
    return json.dumps({**line, **changes})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.root / FILE).parent.mkdir(parents=True)
    (made.root / "guides/start").mkdir(parents=True)
    (made.root / "guides/start/index.md").write_text("# Start\n")
    return made


async def test_a_line_is_a_session_of_its_document_with_one_run_that_has_ended(place: Place) -> None:
    (place.root / FILE).write_text(a_line() + "\n")
    async with place.backend() as backend:
        (row,) = await backend.editor.find(ADA, path="guides/start/index.md", query=None, limit=50)
        assert row.session.title == "Shorten the introduction" and row.runs == 1
        assert row.session.path == "guides/start/index.md" and row.session.runtime == ""
        assert row.session.updated_at.isoformat() == "2024-04-03T10:00:00+00:00"
        detail = await backend.editor.get(row.session.id, ADA)
        run = await backend.runs.get(detail.runs[0].id, ADA)
        assert (run.state, run.duration_seconds, run.runtime) == ("succeeded", 42, "claude")
        said = [json.loads(record) async for record in backend.runs.files.follow(run.id, 0, ADA)]
        assert [record["event"]["text"] for record in said] == [
            "The introduction is shorter now. Links are as they were."
        ]
        assert [one async for one in backend.runs.files.follow(run.id, 1, ADA)] == []
        assert len(await backend.editor.find(ADA, path=None, query="LINKS ARE", limit=50)) == 1
        assert await backend.editor.find(ADA, path="a.md", query=None, limit=50) == []
        assert await backend.editor.find(ADA, path=None, query="nowhere", limit=50) == []


async def test_it_cannot_be_gone_on_with_deleted_or_opened_and_stays_as_it_is(place: Place) -> None:
    before = a_line() + "\n"
    (place.root / FILE).write_text(before)
    async with place.backend() as backend:
        (row,) = await backend.editor.find(ADA, path=None, query=None, limit=50)
        with pytest.raises(Conflict, match="only shown"):
            await backend.runs.submit(NewEditorRun(instruction="more", session_id=row.session.id), ADA)
        with pytest.raises(NotFound):
            await backend.runs.delete(row.session.id, ADA)
        with pytest.raises(NotFound):
            await backend.editor.close(row.session.id, ADA)
        opened = await backend.editor.open(OpenSession(path="guides/start/index.md", runtime="demo"), ADA)
        assert opened.session.id != row.session.id
        run = await ended(backend, await submit(backend, "hello"))
        assert run.state == "succeeded"
        # what is ours is listed once, from the records, and before what is older
        listed = await backend.editor.find(ADA, path=None, query=None, limit=50)
        assert [found.session.id for found in listed] == [run.session_id, row.session.id]
        assert [f.session.id for f in await backend.editor.find(ADA, path=None, query=None, limit=1)] == [
            run.session_id
        ]
    assert (place.root / FILE).read_text().startswith(before)


BAD = (
    "",
    "no JSON",
    "[]",
    "{" * 5000,
    a_line(instruction=""),
    a_line(instruction=7),
    a_line(instruction="\ud800"),
    a_line(timestamp="yesterday"),
    a_line(timestamp="0001-01-01T00:00:00+14:00"),
    a_line(pagePath="../../etc/passwd"),
    a_line(pagePath=".cabinet/cabinet.db"),
    a_line(instruction="x" * (1 << 20)),
)


async def test_lines_that_are_none_are_passed_over_and_the_file_is_read_to_a_bound(place: Place) -> None:
    path = place.root / FILE
    path.write_text("\n".join((*BAD, a_line(id="good", timestamp="2024-04-03T10:00:00", duration=-1))) + "\n")
    async with place.backend() as backend:

        async def listed() -> list[str]:
            return [row.session.title for row in await backend.editor.find(ADA, path=None, query=None, limit=200)]

        assert await listed() == ["Shorten the introduction"]
        with path.open("ab") as file:  # the newest lines count
            file.truncate(0)
            file.write(a_line(id="first").encode() + b"\n" + b" " * LOOKED_THROUGH_BYTES + b"\n")
            file.write(a_line(id="last", instruction="Last").encode() + b"\n")
        assert await listed() == ["Last"]
        path.unlink()
        os.mkfifo(path)
        assert await listed() == []
