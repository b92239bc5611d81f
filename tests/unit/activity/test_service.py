"""The activity list of a large database: as many queries as tables for a page, whatever is on it; and its migration."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from harness.backend import ADA, Place
from harness.values import example_approval, example_run
from sqlalchemy import Connection, event

from jupyter_cabinet.activity.model import ActivityFilter
from jupyter_cabinet.approvals import store as approvals
from jupyter_cabinet.changes import store as changes
from jupyter_cabinet.changes.model import ChangeCounts, ChangedFile
from jupyter_cabinet.changes.record import ChangeRecord
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun, RunFilter, Trigger
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.testing.manual_clock import ManualClock

RUNS = 10_000
ASKING = ActivityFilter(asked=True, runs=RunFilter(limit=200))


def fill(connection: Connection) -> None:
    """Each third run has asked, each second one has changed a file."""
    new = NewManualRun(instruction="x")
    for number in range(RUNS):
        run = example_run(
            id=f"{number:05}", state="succeeded", changed=ChangeCounts(files=number % 2), owner=ADA.username
        )
        store.insert_run(connection, run, new, "h")
        if number % 3 == 0:
            approvals.insert_approval(
                connection, example_approval(id=f"q{number:05}", run_id=run.id, owner=ADA.username)
            )
        files = (ChangedFile(path="a.md", kind="changed"),) * (number % 2)
        changes.put(connection, ChangeRecord(id=run.id, folder="", state="ready", begun_at=run.queued_at, files=files))


@pytest.mark.long(reason="puts ten thousand runs on record")
async def test_a_page_takes_a_query_for_each_table(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(clock=ManualClock()) as backend:  # nothing else reads them
        await backend.database.write(fill)
        asked: list[str] = []
        event.listen(backend.database._engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
        page = await backend.activity.find(ASKING, ADA, with_approvals=True)
        reads = [each for each in asked if any(f"FROM {name}" in each for name in ("runs", "approvals", "changes"))]
        assert len(reads) == 3, reads
        assert [entry.run.id for entry in page] == [f"{number:05}" for number in range(9999, 9999 - 600, -3)]
        assert all(entry.asked and len(entry.files) == int(entry.run.id) % 2 for entry in page)
        whole = [
            entry.run.id
            async for found in backend.activity.pages(ActivityFilter(), ADA, with_approvals=False)
            for entry in found
        ]
        assert len(set(whole)) == len(whole) == RUNS


@pytest.mark.parametrize("asked_by", ["ada", "Ädä LIND"])
async def test_what_an_earlier_release_has_on_record_is_found_by_the_new_filters(tmp_path: Path, asked_by: str) -> None:
    async with Place(tmp_path).backend() as backend:
        path = backend.database._engine.url.database
        trigger = Trigger(kind="person", username="ada", display_name="Ädä  Lind")
        run = example_run(
            id="01", state="succeeded", owner=ADA.username, trigger=trigger, changed=ChangeCounts(files=2)
        )
        await backend.database.write(lambda c: store.insert_run(c, run, NewManualRun(instruction="x"), "h"))
    assert path is not None
    with sqlite3.connect(path) as raw:
        for column in ("runtime", "asked_by", "asked_by_name", "changed_files"):
            raw.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        damaged = json.dumps({"runtime": "demo", "trigger": None})
        names = "state, kind, session_id, owner, visibility, instruction, holder, request"
        raw.execute(f"INSERT INTO runs (id, number, body, {names}) SELECT 'no', 99, '{damaged}', {names} FROM runs")
        for table in (
            "plans",
            "plan_steps",
            "plan_artifacts",
            "channel_messages",
            "channel_conversations",
        ):  # that release had none of them
            raw.execute(f"DROP TABLE {table}")
        raw.execute("DROP INDEX effects_held")
        raw.execute("UPDATE alembic_version SET version_num = '0008'")
    raw.close()
    database = Database(f"sqlite:///{path}", state_folder=Path(path).parent)
    await database.open()
    wanted = RunFilter(runtime="demo", asked_by=asked_by, changed=True)
    found = await database.read(lambda c: store.list_runs(c, wanted, ADA))
    await database.close()
    assert [run.id for run in found] == ["01"]
