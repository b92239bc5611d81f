"""A wrong value in the server's own database, which agents can write to: its run ends, and all else continues."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit
from harness.examples import cases

from jupyter_cabinet.core.errors import NotFound
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.runs.model import RunFilter
from jupyter_cabinet.runs.reconcile import DAMAGED_REASON
from jupyter_cabinet.runs.rules.lifecycle import SERVER_DIED

pytestmark = pytest.mark.slow(reason="opens a server twice")


def change(place: Place, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(place.root / ".cabinet" / "cabinet.db")) as connection, connection:
        assert connection.execute(statement, values).rowcount >= 1


async def left_behind(place: Place, *states: str) -> list[str]:
    """Runs as a server leaves them that is killed: not ended, and the server's lease is gone."""
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "append: first", kind="manual", path=None))
    holder, ids = new_id(), [new_id() for _ in states]
    with closing(sqlite3.connect(place.root / ".cabinet" / "cabinet.db")) as connection, connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM runs WHERE id = ?", (run.id,)).fetchone())
        connection.execute("DELETE FROM runs")
        for place_in_line, (run_id, state) in enumerate(zip(ids, states, strict=True)):
            number = row["number"] + place_in_line
            body = {"id": run_id, "number": number, "state": state, "finished_at": None, "result": None}
            values = {"id": run_id, "number": number, "state": state, "holder": holder}
            values["body"] = json.dumps(json.loads(row["body"]) | body)
            columns = row | values
            names = ", ".join(f'"{name}"' for name in columns)
            marks = ", ".join("?" * len(columns))
            connection.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(columns.values()))
        # the next number is one that no row has
        connection.execute("UPDATE counters SET value = value + ? WHERE name = 'order'", (len(ids),))
    return ids


async def works_as_before(place: Place, ids: list[str], check: Callable[[str, str], None]) -> None:
    """Start, look at the damaged runs, do another one, delete the damaged ones, start again."""
    async with place.backend() as backend:
        numbers = []
        for run_id in ids:
            await backend.runs.wait(run_id, 30)
            found = await backend.runs.get(run_id, ADA)
            check(found.state, found.reason)
            numbers.append(found.number)
        mine = await ended(backend, await submit(backend, "append: mine"))
        assert mine.state == "succeeded" and mine.number > max(numbers) and min(numbers) > 0
        listed = [each.id for each in await backend.runs.find(RunFilter(), ADA)]
        assert listed[0] == mine.id and sorted(listed[1:]) == sorted(ids)
        for run_id in ids:
            await backend.runs.delete(run_id, ADA)
    async with place.backend() as backend:
        assert [each.id for each in await backend.runs.find(RunFilter(), ADA)] == [mine.id]


def interrupted(reason: str) -> Callable[[str, str], None]:
    def check(state: str, said: str) -> None:
        assert (state, said) == ("interrupted", reason)

    return check


async def test_a_launcher_that_is_no_process_stops_no_start(tmp_path: Path) -> None:
    place = Place(tmp_path)
    damages = list(product(["x", -1, 0, 2**63 - 1, b"\xff", 1.5], ["1@nowhere", b"\xff"]))
    ids = await left_behind(place, *["running"] * len(damages))
    for run_id, (pid, started) in zip(ids, damages, strict=True):
        change(place, "UPDATE runs SET launcher_pid = ?, launcher_started = ? WHERE id = ?", pid, started, run_id)
    await works_as_before(place, ids, interrupted(SERVER_DIED))


@pytest.mark.parametrize("number", cases("x1", 2**60, b"\xff", 1.5), ids=str)
async def test_a_number_that_is_none_ends_its_run_and_stops_no_other(tmp_path: Path, number: object) -> None:
    place = Place(tmp_path)
    ids = await left_behind(place, "queued", "running")
    for run_id in ids:
        change(place, "UPDATE runs SET number = ? WHERE id = ?", number, run_id)
    await works_as_before(place, ids, interrupted(DAMAGED_REASON))


@pytest.mark.parametrize("value", cases("x", 2**63 - 1, b"\xff", 1.5, -5), ids=str)
async def test_a_counter_that_counts_no_more_begins_behind_the_last_number(tmp_path: Path, value: object) -> None:
    place = Place(tmp_path)
    ids = await left_behind(place, "running")
    change(place, "UPDATE counters SET value = ?", value)
    await works_as_before(place, ids, interrupted(SERVER_DIED))


async def test_a_run_whose_request_cannot_be_read_ends_and_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    damages = list(product(["queued", "running", "waiting"], ["{", b"\xff\x00\xff", '{"kind":"nope"}']))
    ids = await left_behind(place, *(state for state, _ in damages))
    for run_id, (_, request_text) in zip(ids, damages, strict=True):
        change(place, "UPDATE runs SET request = ? WHERE id = ?", request_text, run_id)
    await works_as_before(place, ids, interrupted(DAMAGED_REASON))


async def test_a_row_without_a_run_is_not_left_unfinished_and_the_log_names_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = Place(tmp_path)
    damages = list(product(["queued", "running"], ["{}", b"\xff\x00\xff"]))
    ids = await left_behind(place, *(state for state, _ in damages))
    for run_id, (_, body) in zip(ids, damages, strict=True):
        change(place, "UPDATE runs SET body = ? WHERE id = ?", body, run_id)
    async with place.backend() as backend:
        for run_id in ids:
            assert f"The record of run {run_id} cannot be read." in caplog.text
            with pytest.raises(NotFound):
                await backend.runs.get(run_id, ADA)
        mine = await ended(backend, await submit(backend, "append: mine"))
        assert mine.state == "succeeded"
    caplog.clear()
    async with place.backend() as backend:
        assert [each.id for each in await backend.runs.find(RunFilter(), ADA)] == [mine.id]
    assert not any(run_id in caplog.text for run_id in ids), "said once"


async def test_a_queued_run_whose_folder_leads_out_of_the_root_fails_and_starts_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "outside").mkdir()
    (place.root / "link").symlink_to(tmp_path / "outside")
    folders = ("/", "../outside", "inner/../../outside", "link", ".cabinet")
    ids = await left_behind(place, *["queued"] * len(folders))
    for run_id, cwd in zip(ids, folders, strict=True):
        change(place, "UPDATE runs SET body = json_set(body, '$.cwd', ?) WHERE id = ?", cwd, run_id)

    def check(state: str, reason: str) -> None:
        assert state == "failed" and "leads out of the server's root folder" in reason

    await works_as_before(place, ids, check)
