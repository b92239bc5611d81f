"""The clock is set while agents work: durations, limits, the queue and lists go by what no clock can turn round."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit, waiting_are
from harness.clock import SetClock
from harness.examples import cases
from harness.waiting import holds

from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run, RunFilter
from jupyter_cabinet.runs.settings import RunSettings
from jupyter_cabinet.sessions.model import SessionFilter

pytestmark = pytest.mark.slow(reason="starts real agents")
TWO_HOURS = 7200.0
BOTH_WAYS = pytest.mark.parametrize("ahead", cases(-TWO_HOURS, TWO_HOURS))
ONE_AT_A_TIME = RunSettings(max_concurrent_runs=1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    return SetClock(monkeypatch)


async def waiting_for_go(backend: Backend) -> Run:
    run = await submit(backend, "wait for the file go", mode="headless")
    await holds(lambda: backend.records.live[run.id].run.state == "running")
    return run


@BOTH_WAYS
async def test_a_run_has_taken_as_long_as_it_took_and_passes_no_limit(
    tmp_path: Path, clock: SetClock, ahead: float
) -> None:
    place = Place(tmp_path)
    async with place.backend(clock=clock) as backend:
        run = await waiting_for_go(backend)
        clock.set(ahead)
        (place.root / "go").touch()
        over = await ended(backend, run)
        assert over.state == "succeeded"
        assert over.duration_seconds is not None and 0 <= over.duration_seconds < 60


@BOTH_WAYS
async def test_nobody_overtakes_in_the_queue_and_lists_keep_their_order(
    tmp_path: Path, clock: SetClock, ahead: float
) -> None:
    place = Place(tmp_path)
    async with place.backend(clock=clock, runs=ONE_AT_A_TIME) as backend:
        runs = [await waiting_for_go(backend)]
        for number in range(3):
            clock.set(ahead)
            (place.root / f"{number}.md").write_text("# A\n")
            runs.append(await submit(backend, f"append: {number}", mode="headless", path=f"{number}.md"))
        in_line = {run.id: (await backend.runs.get(run.id, ADA)).position for run in runs[1:]}
        assert list(in_line.values()) == [1, 2, 3]
        (place.root / "go").touch()
        begun = [(await ended(backend, run)).id for run in runs]
        newest_first = [run.id for run in await backend.runs.find(RunFilter(), ADA)]
        assert newest_first == begun[::-1]
        assert await paged(backend) == newest_first
        assert in_order_of_start(place) == begun


def in_order_of_start(place: Place) -> list[str]:
    """Runs as they left the queue: each writes its prompt then."""
    folders = sorted((place.root / ".cabinet/runs").iterdir(), key=lambda each: (each / "prompt.md").stat().st_mtime_ns)
    return [folder.name for folder in folders]


async def paged(backend: Backend) -> list[str]:
    """The list, read run by run with the cursor."""
    found: list[str] = []
    while page := await backend.runs.find(RunFilter(limit=1, cursor=found[-1] if found else None), ADA):
        found += [run.id for run in page]
    return found


async def test_what_waited_before_a_restart_goes_before_what_comes_after_it(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    backend = await place.open(clock=clock, runs=ONE_AT_A_TIME)
    await waiting_for_go(backend)
    waited = await submit(backend, "append: waited", mode="headless", kind="manual", path=None)
    await backend.close()
    clock.set(-TWO_HOURS)
    async with place.backend(clock=clock, runs=ONE_AT_A_TIME) as again:
        later = await submit(again, "append: later", mode="headless", kind="manual", path=None)
        assert later.number > waited.number
        for run in (waited, later):
            await ended(again, run)
        assert in_order_of_start(place)[-2:] == [waited.id, later.id]


async def test_the_next_page_begins_where_a_deleted_run_was(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        runs = [await ended(backend, await submit(backend, f"append: {n}", mode="headless")) for n in range(3)]
        await backend.runs.delete(runs[1].id, ADA)
        page = await backend.runs.find(RunFilter(cursor=runs[1].id), ADA)
        assert [run.id for run in page] == [runs[0].id]


async def test_the_session_used_last_stands_first(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    async with place.backend(clock=clock) as backend:
        (place.root / "b.md").write_text("# B\n")
        first = await ended(backend, await submit(backend, "append: one", mode="headless"))
        clock.set(-TWO_HOURS)
        second = await ended(backend, await submit(backend, "append: two", mode="headless", path="b.md"))
        sessions = await backend.sessions.find(SessionFilter(), ADA)
        assert [session.id for session in sessions] == [second.session_id, first.session_id]


async def question_of(backend: Backend) -> str:
    run = await submit(backend, "append: one", mode="headless", permission_mode="ask")
    await waiting_are(backend, 1)
    await holds(lambda: backend.records.live[run.id].run.state == "waiting")
    return run.id


async def test_a_clock_set_ahead_takes_nobodys_time_to_answer(tmp_path: Path, clock: SetClock) -> None:
    async with Place(tmp_path).backend(clock=clock) as backend:
        run_id = await question_of(backend)
        clock.set(100 * TWO_HOURS)
        await backend.approvals.expire()
        (question,) = await backend.approvals.find(ApprovalFilter(run_id=run_id), ADA)
        assert question.state == "waiting"


async def test_a_clock_set_back_keeps_no_question_open(tmp_path: Path, clock: SetClock) -> None:
    async with Place(tmp_path).backend(clock=clock, approval_seconds=1) as backend:
        run_id = await question_of(backend)
        clock.set(-TWO_HOURS)
        await waiting_are(backend, 0)
        (question,) = await backend.approvals.find(ApprovalFilter(run_id=run_id), ADA)
        assert question.state == "expired"


async def test_questions_are_listed_in_the_order_they_came(tmp_path: Path, clock: SetClock) -> None:
    place = Place(tmp_path)
    async with place.backend(clock=clock) as backend:
        asked = []
        for path in ("a.md", "b.md", "c.md"):
            (place.root / path).write_text("# A\n")
            run = await submit(backend, "append: one", mode="headless", permission_mode="ask", path=path)
            asked.append(run.id)
            await waiting_are(backend, len(asked))
            clock.set(-TWO_HOURS)
        newest_first = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
        assert [question.run_id for question in newest_first] == asked[::-1]
