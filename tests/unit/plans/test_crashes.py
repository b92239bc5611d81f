"""A server that dies at any write of a plan at work, and the plan afterwards."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place
from harness.crash_trial import KILLED, Side, forked
from harness.plans import at_rest, make, program

from jupyter_cabinet.plans.model import Checklist, NewPlan

NAMES = ("a", "b", "c")


def appends(key: str, *after: str):  # type: ignore[no-untyped-def]
    """A step whose program adds a line to a file, so that the test sees how often it ran."""
    return program(key, sys.executable, "-c", f"open('log.txt', 'a').write('{key}\\n')", after=after)


async def work(place: Place) -> None:
    async with place.backend() as backend:
        verified = appends("c", "b")
        plan = await make(backend, appends("a"), appends("b", "a"), verified)
        await backend.plans.run(plan.id, ADA)
        await at_rest(backend, plan.id)


async def go_on(place: Place) -> None:
    """The next server carries on by itself; a step that was interrupted is run again by hand."""
    async with place.backend() as backend:
        plans = await backend.plans.find(ADA)
        if not plans:
            return  # it died before the plan was on record
        if plans[0].state == "draft":
            await backend.plans.run(plans[0].id, ADA)
        plan = await at_rest(backend, plans[0].id)
        for step in plan.steps:
            assert step.state in ("done", "failed", "queued", "pending"), step
            assert step.state != "failed" or step.failure == "interrupted", step
            runs = [await backend.runs.get(each.run_id, ADA) for each in step.runs]
            assert step.state != "done" or runs[-1].state == "succeeded", "done without a run that has succeeded"
        for failed in [each for each in plan.steps if each.state == "failed"]:
            await backend.plans.run_step(plan.id, failed.id, ADA)
            plan = await at_rest(backend, plan.id)
        assert plan.state == "done", (plan.state, plan.reason)
        log = (place.root / "log.txt").read_text().splitlines()
        for step in plan.steps:
            succeeded = [each for each in step.runs if each.state == "succeeded"]
            assert len(succeeded) == 1, step.runs
            assert 1 <= log.count(step.title) <= len(step.runs), (log, step.runs)


LINES = "- [ ] reply with the single word one\n- [ ] reply with the single word two\n"


async def work_off(place: Place) -> None:
    (place.root / "PLAN.md").write_text(LINES)
    async with place.backend() as backend:
        new = NewPlan(title="List", runtime="demo", checklist=Checklist(path="PLAN.md"))
        plan = await backend.plans.create(new, ADA)
        await backend.plans.run(plan.id, ADA)
        await at_rest(backend, plan.id)
        await backend.outbox.settled()


async def continue_list(place: Place) -> None:
    """The next server works off what is left, and the file says so."""
    async with place.backend() as backend:
        plans = await backend.plans.find(ADA)
        if not plans:
            return
        plan = await backend.plans.get(plans[0].id, ADA)
        if plan.state == "draft":
            await backend.plans.run(plan.id, ADA)
        plan = await at_rest(backend, plan.id)
        for failed in [each for each in plan.steps if each.state == "failed"]:
            assert failed.failure == "interrupted", failed
            await backend.plans.run_step(plan.id, failed.id, ADA)
            plan = await at_rest(backend, plan.id)
        await backend.outbox.settled()
        assert plan.state == "done", (plan.state, plan.reason)
        assert [len([run for run in step.runs if run.state == "succeeded"]) for step in plan.steps] == [1, 1]
        assert (place.root / "PLAN.md").read_text() == LINES.replace("[ ]", "[x]")
        learnt = (place.root / "progress.md").read_text()
        assert learnt.count(": done <!-- ") == 2, learnt


def place_in(folder: Path) -> Place:
    folder.mkdir()
    return Place(folder)


@pytest.mark.long(reason="starts two servers for each write")
@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
@pytest.mark.parametrize(("work", "go_on"), [(work, go_on), (work_off, continue_list)], ids=["plan", "checklist"])
def test_a_plan_goes_on_whenever_the_server_dies(tmp_path: Path, work: Any, go_on: Any) -> None:
    whole = place_in(tmp_path / "whole")
    code, writes = forked(lambda: work(whole))
    assert code == 0 and writes > 20
    for at in range(1, writes + 1):
        side: Side = "before" if at % 2 else "after"
        place = place_in(tmp_path / f"{at}-{side}")
        code, _ = forked(lambda place=place: work(place), at, side)  # type: ignore[misc]
        assert code in (0, KILLED), (at, side)
        code, _ = forked(lambda place=place: go_on(place))  # type: ignore[misc]
        assert code == 0, f"killed {side} write {at}"
