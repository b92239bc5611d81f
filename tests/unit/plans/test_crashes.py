"""A server that dies at any write of a plan at work, and the plan afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place
from harness.crash_trial import KILLED, Side, forked
from harness.examples import cases
from harness.plans import at_rest, eventually, make, program

from jupyter_cabinet.plans.model import Checklist, NewPlan, PlanView

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


# --- commits ---------------------------------------------------------------------------------

ENDS: dict[str, Callable[[], None]] = {"killed": lambda: os._exit(KILLED), "stopped": lambda: None}
# Where a hook waits: before the commit is made, after the branch has it but not yet the index, and after both.
POINTS = {
    "before it": ("pre-commit", ""),
    "inside of it": ("reference-transaction", 'test "$1" = committed || exit 0; grep -q refs/heads || exit 0'),
    "after it": ("post-commit", ""),
}


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=True).stdout


def with_repository(place: Place) -> Place:
    """A repository with one commit, in which a person has staged a file, and made another one."""
    root = place.root
    git(root, "init", "-q")
    for name, value in (("name", "Ada"), ("email", "ada@example.org")):
        git(root, "config", f"user.{name}", value)
    (root / ".gitignore").write_text(".cabinet/\n")
    for name in ("old-a.txt", "old-b.txt", "staged.txt"):
        (root / name).write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    (root / "staged.txt").write_text("two\n")
    git(root, "add", "staged.txt")
    (root / "mine.txt").write_text("x\n")
    return place


def writes_files(key: str, *after: str):  # type: ignore[no-untyped-def]
    """A step whose program changes an old file, and makes a new one."""
    code = f"open('old-{key}.txt', 'a').write('{key}'); open('new-{key}.txt', 'a').write('x')"
    return program(key, sys.executable, "-c", code, after=after)


async def commit_two(place: Place) -> None:
    async with place.backend() as backend:
        plan = await make(backend, writes_files("a"), writes_files("b", "a"), commit=True)
        await backend.plans.run(plan.id, ADA)
        await at_rest(backend, plan.id)


async def end_in_a_hook(place: Place, end: Callable[[], None]) -> None:
    """The server ends while a hook of the first commit waits."""
    async with place.backend() as backend:
        plan = await make(backend, writes_files("a"), writes_files("b", "a"), commit=True)
        await backend.plans.run(plan.id, ADA)

        async def is_waiting() -> bool:
            return (place.folder / "waiting").exists()

        await eventually(is_waiting)
        end()


def commits_of(place: Place, plan: PlanView) -> dict[str, set[str]]:
    """The files of the commits of each step, by its title. Everything else in the repository is as it was."""
    root = place.root
    log = git(root, "log", "--format=%h %s").splitlines()
    assert log[-1].endswith(" Begin") and len(log) == len(set(log)), log
    assert not list((root / ".git").rglob("*.lock")) and not list((root / ".git").glob("jupyter-cabinet*"))
    status = git(root, "status", "--porcelain").splitlines()
    assert {"M  staged.txt", "?? mine.txt"} <= set(status), status
    assert all(line[0] in " ?" for line in status if line != "M  staged.txt"), "more is staged than before"
    found: dict[str, set[str]] = {step.title: set() for step in plan.steps}
    for commit, title in (line.split(" ", 1) for line in log[:-1]):
        files = git(root, "show", "--format=", "--name-only", commit).split()
        found[title].update(files)
        said = next(step.commit for step in plan.steps if step.title == title)
        assert said == f"Committed {commit}: {len(files)} file{'' if len(files) == 1 else 's'}.", (said, log)
    return found


async def continue_commits(place: Place) -> None:
    """The next server commits what is left, nothing twice; what it could not commit, the step's page says."""
    async with place.backend() as backend:
        plans = await backend.plans.find(ADA)
        if not plans:
            return
        if plans[0].state == "draft":
            await backend.plans.run(plans[0].id, ADA)
        plan = await at_rest(backend, plans[0].id)
        for failed in [each for each in plan.steps if each.state == "failed"]:
            assert failed.failure == "interrupted", failed
            await backend.plans.run_step(plan.id, failed.id, ADA)
            plan = await at_rest(backend, plan.id)
        assert plan.state == "done", (plan.state, plan.reason)
        for title, files in commits_of(place, plan).items():
            said = next(step.commit for step in plan.steps if step.title == title)
            assert files if said.startswith("Committed ") else said.startswith("Not committed: "), (said, files)


async def continue_all_commits(place: Place) -> None:
    """The next server commits all that the steps have changed."""
    async with place.backend() as backend:
        plan = await at_rest(backend, (await backend.plans.find(ADA))[0].id)
        assert plan.state == "done", (plan.state, plan.reason, [step.reason for step in plan.steps])
        assert commits_of(place, plan) == {"a": {"new-a.txt", "old-a.txt"}, "b": {"new-b.txt", "old-b.txt"}}
        assert git(place.root, "status", "--porcelain").splitlines() == ["M  staged.txt", "?? mine.txt"]


@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
@pytest.mark.parametrize("point", cases(*POINTS))
@pytest.mark.parametrize("how", cases(*ENDS))
def test_a_commit_is_made_once_when_the_server_ends_in_a_hook(tmp_path: Path, how: str, point: str) -> None:
    place = with_repository(place_in(tmp_path / "place"))
    name, only = POINTS[point]
    hook = place.root / ".git" / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    waiting = place.folder / "waiting"
    hook.write_text(f"#!/bin/sh\n{only}\ntest -e '{waiting}' && exit 0\ntouch '{waiting}'\nsleep 60\n")
    hook.chmod(0o755)
    code, _ = forked(lambda: end_in_a_hook(place, ENDS[how]))
    assert code == (KILLED if how == "killed" else 0)
    code, _ = forked(lambda: continue_all_commits(place))
    assert code == 0


def place_in(folder: Path) -> Place:
    folder.mkdir()
    return Place(folder)


@pytest.mark.long(reason="starts two servers for each write")
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
@pytest.mark.parametrize(
    ("work", "go_on"),
    [(work, go_on), (work_off, continue_list), (commit_two, continue_commits)],
    ids=["plan", "checklist", "commits"],
)
def test_a_plan_goes_on_whenever_the_server_dies(tmp_path: Path, work: Any, go_on: Any) -> None:
    new_place = with_repository if work is commit_two else lambda place: place
    whole = new_place(place_in(tmp_path / "whole"))
    code, writes = forked(lambda: work(whole))
    assert code == 0 and writes > 20
    for at in range(1, writes + 1):
        side: Side = "before" if at % 2 else "after"
        place = new_place(place_in(tmp_path / f"{at}-{side}"))
        code, _ = forked(lambda place=place: work(place), at, side)  # type: ignore[misc]
        assert code in (0, KILLED), (at, side)
        code, _ = forked(lambda place=place: go_on(place))  # type: ignore[misc]
        assert code == 0, f"killed {side} write {at}"
