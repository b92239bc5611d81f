"""The clock is set while agents work: durations, limits, the queue and lists go by what no clock can turn round."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.clock import SetClock
from harness.rooms import ADA, Place, ended, submit
from harness.waiting import holds

from jupyter_cabinet.house import House
from jupyter_cabinet.runs.model import ApprovalFilter, Run, RunFilter
from jupyter_cabinet.runs.settings import RunSettings

pytestmark = pytest.mark.slow(reason="starts real agents")
TWO_HOURS = 7200.0
BOTH_WAYS = pytest.mark.parametrize("ahead", [TWO_HOURS, -TWO_HOURS])
ONE_AT_A_TIME = RunSettings(max_concurrent_runs=1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    return SetClock(monkeypatch)


async def waiting_for_go(house: House) -> Run:
    run = await submit(house, "wait for the file go", mode="headless")
    await holds(lambda: house.runs._records.live[run.id].run.state == "running")
    return run


@BOTH_WAYS
async def test_a_run_has_taken_as_long_as_it_took_and_passes_no_limit(
    tmp_path: Path, clock: SetClock, ahead: float
) -> None:
    place = Place(tmp_path)
    async with place.house(clock=clock) as house:
        run = await waiting_for_go(house)
        clock.set(ahead)
        (place.root / "go").touch()
        over = await ended(house, run)
        assert over.state == "succeeded"
        assert over.duration_seconds is not None and 0 <= over.duration_seconds < 60


@BOTH_WAYS
async def test_nobody_overtakes_in_the_queue_and_lists_keep_their_order(
    tmp_path: Path, clock: SetClock, ahead: float
) -> None:
    place = Place(tmp_path)
    async with place.house(clock=clock, runs=ONE_AT_A_TIME) as house:
        runs = [await waiting_for_go(house)]
        for number in range(3):
            clock.set(ahead)
            (place.root / f"{number}.md").write_text("# A\n")
            runs.append(await submit(house, f"append: {number}", mode="headless", path=f"{number}.md"))
        in_line = {run.id: (await house.runs.get(run.id, ADA)).position for run in runs[1:]}
        assert list(in_line.values()) == [1, 2, 3]
        (place.root / "go").touch()
        begun = [(await ended(house, run)).id for run in runs]
        newest_first = [run.id for run in await house.runs.find(RunFilter(), ADA)]
        assert newest_first == begun[::-1]
        assert await paged(house) == newest_first
        assert in_order_of_start(place) == begun


def in_order_of_start(place: Place) -> list[str]:
    """Runs as they left the queue: each writes its prompt then."""
    folders = sorted((place.root / ".cabinet/runs").iterdir(), key=lambda each: (each / "prompt.md").stat().st_mtime_ns)
    return [folder.name for folder in folders]


async def paged(house: House) -> list[str]:
    """The list, read run by run with the cursor."""
    found: list[str] = []
    while page := await house.runs.find(RunFilter(limit=1, cursor=found[-1] if found else None), ADA):
        found += [run.id for run in page]
    return found


async def test_what_waited_before_a_restart_goes_before_what_comes_after_it(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    house = await place.open(clock=clock, runs=ONE_AT_A_TIME)
    await waiting_for_go(house)
    waited = await submit(house, "append: waited", mode="headless", kind="manual", path=None)
    await house.close()
    clock.set(-TWO_HOURS)
    async with place.house(clock=clock, runs=ONE_AT_A_TIME) as again:
        later = await submit(again, "append: later", mode="headless", kind="manual", path=None)
        assert later.number > waited.number
        for run in (waited, later):
            await ended(again, run)
        assert in_order_of_start(place)[-2:] == [waited.id, later.id]


async def test_the_next_page_begins_where_a_deleted_run_was(tmp_path: Path) -> None:
    async with Place(tmp_path).house() as house:
        runs = [await ended(house, await submit(house, f"append: {n}", mode="headless")) for n in range(3)]
        await house.runs.delete(runs[1].id, ADA)
        page = await house.runs.find(RunFilter(cursor=runs[1].id), ADA)
        assert [run.id for run in page] == [runs[0].id]


async def test_the_session_used_last_stands_first(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    async with place.house(clock=clock) as house:
        (place.root / "b.md").write_text("# B\n")
        first = await ended(house, await submit(house, "append: one", mode="headless"))
        clock.set(-TWO_HOURS)
        second = await ended(house, await submit(house, "append: two", mode="headless", path="b.md"))
        sessions = await house.runs._sessions.find(ADA)
        assert [session.id for session in sessions] == [second.session_id, first.session_id]


async def question_of(house: House) -> str:
    run = await submit(house, "append: one", mode="headless", permission_mode="ask")
    await holds(lambda: bool(house.approvals._open))
    await holds(lambda: house.runs._records.live[run.id].run.state == "waiting")
    return run.id


async def test_a_clock_set_ahead_takes_nobodys_time_to_answer(tmp_path: Path, clock: SetClock) -> None:
    async with Place(tmp_path).house(clock=clock) as house:
        run_id = await question_of(house)
        clock.set(100 * TWO_HOURS)
        await house.approvals.expire()
        (question,) = await house.approvals.find(ApprovalFilter(run_id=run_id), ADA)
        assert question.state == "waiting"


async def test_a_clock_set_back_keeps_no_question_open(tmp_path: Path, clock: SetClock) -> None:
    async with Place(tmp_path).house(clock=clock, runs=RunSettings(approval_seconds=1)) as house:
        run_id = await question_of(house)
        clock.set(-TWO_HOURS)
        await holds(lambda: not house.approvals._open)
        (question,) = await house.approvals.find(ApprovalFilter(run_id=run_id), ADA)
        assert question.state == "expired"


async def test_questions_are_listed_in_the_order_they_came(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    async with place.house(clock=clock) as house:
        asked = []
        for path in ("a.md", "b.md", "c.md"):
            (place.root / path).write_text("# A\n")
            run = await submit(house, "append: one", mode="headless", permission_mode="ask", path=path)
            asked.append(run.id)
            await holds(lambda: len(house.approvals._open) == len(asked))
            clock.set(-TWO_HOURS)
        newest_first = await house.approvals.find(ApprovalFilter(waiting=True), ADA)
        assert [question.run_id for question in newest_first] == asked[::-1]
