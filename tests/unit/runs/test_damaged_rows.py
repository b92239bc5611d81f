"""A wrong value in the server's own database, which agents can write to: its run ends, and all else goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from harness.rooms import ADA, Place, ended, submit

from jupyter_cabinet.core.errors import NotFound
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.runs.model import RunFilter
from jupyter_cabinet.runs.reconcile import DAMAGED_REASON, REASON

pytestmark = pytest.mark.slow(reason="opens a server's rooms twice")


def change(place: Place, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(place.root / ".cabinet" / "cabinet.db")) as connection, connection:
        assert connection.execute(statement, values).rowcount >= 1


async def left_behind(place: Place, state: str) -> str:
    """A run as a server leaves it that is killed: not ended, and the server's lease is gone."""
    async with place.house() as house:
        run = await ended(house, await submit(house, "append: first", kind="manual", path=None))
    fields = "'$.state', ?, '$.finished_at', null, '$.result', null"
    columns = f"state = ?, settled = 0, holder = ?, body = json_set(body, {fields})"
    change(place, f"UPDATE runs SET {columns} WHERE id = ?", state, new_id(), state, run.id)
    return run.id


async def works_as_before(place: Place, run_id: str, check: Callable[[str, str], None]) -> None:
    """Start, look at the damaged run, do another one, delete the damaged one, start again."""
    async with place.house() as house:
        await house.runs.wait(run_id, 30)
        found = await house.runs.get(run_id, ADA)
        check(found.state, found.reason)
        mine = await ended(house, await submit(house, "append: mine"))
        assert mine.state == "succeeded" and mine.number > found.number > 0
        assert [each.id for each in await house.runs.find(RunFilter(), ADA)] == [mine.id, run_id]
        await house.runs.delete(run_id, ADA)
    async with place.house() as house:
        assert [each.id for each in await house.runs.find(RunFilter(), ADA)] == [mine.id]


def interrupted(reason: str) -> Callable[[str, str], None]:
    def check(state: str, said: str) -> None:
        assert (state, said) == ("interrupted", reason)

    return check


@pytest.mark.parametrize("pid", ["x", -1, 0, 2**63 - 1, b"\xff", 1.5], ids=str)
@pytest.mark.parametrize("started", ["1@nowhere", b"\xff"], ids=str)
async def test_a_launcher_that_is_no_process_stops_no_start(tmp_path: Path, pid: object, started: object) -> None:
    place = Place(tmp_path)
    run_id = await left_behind(place, "running")
    change(place, "UPDATE runs SET launcher_pid = ?, launcher_started = ? WHERE id = ?", pid, started, run_id)
    await works_as_before(place, run_id, interrupted(REASON))


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize("number", ["x1", b"\xff", 1.5, 2**60], ids=str)
async def test_a_number_that_is_none_ends_its_run_and_stops_no_other(
    tmp_path: Path, number: object, state: str
) -> None:
    place = Place(tmp_path)
    run_id = await left_behind(place, state)
    change(place, "UPDATE runs SET number = ? WHERE id = ?", number, run_id)
    await works_as_before(place, run_id, interrupted(DAMAGED_REASON))


@pytest.mark.parametrize("value", ["x", b"\xff", 1.5, 2**63 - 1, -5], ids=str)
async def test_a_counter_that_counts_no_more_begins_behind_the_last_number(tmp_path: Path, value: object) -> None:
    place = Place(tmp_path)
    run_id = await left_behind(place, "running")
    change(place, "UPDATE counters SET value = ?", value)
    await works_as_before(place, run_id, interrupted(REASON))


@pytest.mark.parametrize("state", ["queued", "running", "waiting"])
@pytest.mark.parametrize("request_text", ["{", b"\xff\x00\xff", '{"kind":"nope"}'], ids=str)
async def test_a_run_whose_request_cannot_be_read_ends_and_says_so(
    tmp_path: Path, state: str, request_text: object
) -> None:
    place = Place(tmp_path)
    run_id = await left_behind(place, state)
    change(place, "UPDATE runs SET request = ? WHERE id = ?", request_text, run_id)
    await works_as_before(place, run_id, interrupted(DAMAGED_REASON))


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize("body", ["{}", b"\xff\x00\xff"], ids=str)
async def test_a_row_without_a_run_is_not_left_unfinished_and_the_log_names_it(
    tmp_path: Path, state: str, body: object, caplog: pytest.LogCaptureFixture
) -> None:
    place = Place(tmp_path)
    run_id = await left_behind(place, state)
    change(place, "UPDATE runs SET body = ? WHERE id = ?", body, run_id)
    async with place.house() as house:
        assert f"The record of run {run_id} cannot be read." in caplog.text
        with pytest.raises(NotFound):
            await house.runs.get(run_id, ADA)
        mine = await ended(house, await submit(house, "append: mine"))
        assert mine.state == "succeeded"
    caplog.clear()
    async with place.house() as house:
        assert [each.id for each in await house.runs.find(RunFilter(), ADA)] == [mine.id]
    assert run_id not in caplog.text, "said once"


@pytest.mark.parametrize("cwd", ["/", "../outside", "inner/../../outside", "link", ".cabinet"])
async def test_a_queued_run_whose_folder_leads_out_of_the_root_fails_and_starts_nothing(
    tmp_path: Path, cwd: str
) -> None:
    place = Place(tmp_path)
    (tmp_path / "outside").mkdir()
    (place.root / "link").symlink_to(tmp_path / "outside")
    run_id = await left_behind(place, "queued")
    change(place, "UPDATE runs SET body = json_set(body, '$.cwd', ?) WHERE id = ?", cwd, run_id)

    def check(state: str, reason: str) -> None:
        assert state == "failed" and "leads out of the server's folder" in reason

    await works_as_before(place, run_id, check)
