"""The commit of what a step has changed, and the limits at which a plan pauses."""

from __future__ import annotations

import asyncio
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import agents
from harness.backend import ADA, Place
from harness.examples import cases
from harness.plans import at_rest, eventually, make, named, program, ran, states, step

from jupyter_cabinet.core.errors import Conflict, Invalid
from jupyter_cabinet.plans.kinds.commit_kind import MAX_SUBJECT, message_of
from jupyter_cabinet.plans.model import Checklist, NewPlan, PlanFields

HOOK = "#!/bin/sh\ntest -f allowed.txt || { echo 'allowed.txt is missing'; exit 1; }\n"


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A root that is a repository with one commit, and a person with a name."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text('[user]\nname = Ada\nemail = "ada@example.org"\n')
    monkeypatch.setenv("HOME", str(home))
    place = Place(tmp_path)
    git(place.root, "init", "-q")
    (place.root / "old.txt").write_text("one\n")
    (place.root / "staged.txt").write_text("one\n")
    (place.root / ".gitignore").write_text("ignored.txt\n.cabinet/\n")
    git(place.root, "add", ".")
    git(place.root, "commit", "-q", "-m", "Begin")
    return place


def writing(key: str, code: str, *after: str, **fields: Any) -> Any:
    return program(key, "python3", "-c", code, after=after, **fields)


async def test_a_passed_step_is_committed_with_its_own_files_only(place: Place) -> None:
    root = place.root
    (root / "staged.txt").write_text("by a person\n")
    git(root, "add", "staged.txt")
    (root / "mine.txt").write_text("by a person\n")
    write = "open('new *.txt', 'w').write('n'); open('old.txt', 'a').write('two'); open('ignored.txt', 'w').write('i')"
    async with place.backend() as backend:
        steps = (writing("Write: it", write), writing("Remove it", "import os; os.remove('old.txt')", "Write: it"))
        plan = await ran(backend, *steps, program("Look", "true", after=("Remove it",)), commit=True)
    assert states(plan) == {"Write: it": "done", "Remove it": "done", "Look": "done"}
    assert git(root, "log", "--format=%s|%an").splitlines() == ["Remove it|Ada", "Write: it|Ada", "Begin|Ada"]
    assert git(root, "show", "--format=", "--name-status", "HEAD~1").splitlines() == ["A\tnew *.txt", "M\told.txt"]
    assert git(root, "show", "--format=", "--name-status", "HEAD").splitlines() == ["D\told.txt"]
    assert git(root, "status", "--porcelain").splitlines() == ["M  staged.txt", "?? mine.txt"]
    committed = git(root, "rev-parse", "--short", "HEAD~1").strip()
    assert plan.steps[0].commit == f"Committed {committed}: 2 files."
    assert named(plan, "Look").commit == "Not committed: the step has changed no file."


@pytest.mark.long(reason="two attempts of a step")
async def test_a_hook_that_refuses_is_told_to_the_next_attempt(place: Place) -> None:
    hook = place.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    write = "import os; open('allowed.txt' if os.path.exists('a.txt') else 'a.txt', 'w').write('x')"
    async with place.backend() as backend:
        plan = await ran(backend, writing("Write", write), commit=True)
        assert (plan.state, plan.steps[0].attempts) == ("done", 2)
        assert git(place.root, "show", "--format=", "--name-only", "HEAD").split() == ["a.txt", "allowed.txt"]
        (place.root / "allowed.txt").unlink()
        plan = await ran(backend, writing("Write", "open('b.txt', 'w').write('x')", retries=0), commit=True)
        step = plan.steps[0]
        artifacts = (await backend.plans.step(plan.id, step.id, ADA)).artifacts
        assert [(each.kind, "allowed.txt is missing" in each.text) for each in artifacts] == [("commit", True)]
        assert (step.state, step.failure) == ("failed", "commit")
        assert step.reason == "git refused the commit.\n\nallowed.txt is missing"
        assert "?? b.txt" in git(place.root, "status", "--porcelain")  # not staged any more
        (place.root / "allowed.txt").write_text("")
        await backend.plans.run_step(plan.id, step.id, ADA)
        plan = await at_rest(backend, plan.id)
    assert states(plan) == {"Write": "done"} and "b.txt" in git(place.root, "show", "--format=", "--name-only", "HEAD")


@pytest.mark.long(reason="a detail of what the quick tier commits")
async def test_files_of_other_repositories_are_left_out(place: Place) -> None:
    inner = place.root / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    project = place.root / "project"
    project.mkdir()
    git(project, "init", "-q")
    write = "for p in ('a.txt', 'inner/b.txt', 'project/c.txt'): open(p, 'w').write('x')"
    inside = "for p in ('d.txt', '../e.txt'): open(p, 'w').write('x')"
    async with place.backend() as backend:
        plan = await ran(backend, writing("Above", write), commit=True)
        assert plan.steps[0].commit.endswith(": 1 file."), plan.steps[0].commit
        plan = await ran(backend, writing("Inside", inside, cwd="project"), commit=True)
        assert plan.steps[0].commit.endswith(": 1 file."), plan.steps[0].commit
    assert git(place.root, "show", "--format=", "--name-only", "HEAD").split() == ["a.txt"]
    assert git(project, "ls-files").split() == ["d.txt"]
    assert git(inner, "status", "--porcelain").split() == ["??", "b.txt"]


async def test_a_hook_sees_the_world_as_in_a_commit_by_hand(place: Place) -> None:
    """Git's variables that choose how paths are read would change what a hook finds."""
    hook = place.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ntest -z "$(git diff --cached --name-only -- "*.txt")"\n')
    hook.chmod(0o755)
    async with place.backend() as backend:
        plan = await ran(backend, writing("Write", "open('a.txt', 'w').write('x')", retries=0), commit=True)
    assert (plan.state, plan.steps[0].commit) == ("failed", "git refused the commit.")


async def test_a_commit_waits_for_the_lock_of_another_git_process(place: Place) -> None:
    lock = place.root / ".git" / "index.lock"
    lock.touch()
    async with place.backend() as backend:
        plan = await make(backend, writing("Write", "open('a.txt', 'w').write('x')"), commit=True)
        await backend.plans.run(plan.id, ADA)

        async def commits() -> bool:
            return (await backend.plans.get(plan.id, ADA)).steps[0].phase == "commit"

        await eventually(commits)
        await asyncio.sleep(0.5)
        lock.unlink()
        plan = await at_rest(backend, plan.id)
    assert plan.steps[0].commit.startswith("Committed "), plan.steps[0]
    assert git(place.root, "show", "--format=", "--name-only", "HEAD").split() == ["a.txt"]


async def test_a_commit_that_is_stopped_in_a_later_hook_was_made(place: Place) -> None:
    hook = place.root / ".git" / "hooks" / "post-commit"
    hook.parent.mkdir(exist_ok=True)
    waiting = place.folder / "waiting"
    hook.write_text(f"#!/bin/sh\ntouch '{waiting}'\nsleep 60\n")
    hook.chmod(0o755)
    async with place.backend() as backend:
        plan = await make(backend, writing("Write", "open('a.txt', 'w').write('x')"), commit=True)
        await backend.plans.run(plan.id, ADA)

        async def is_waiting() -> bool:
            return waiting.exists()

        await eventually(is_waiting)
        run_id = (await backend.plans.get(plan.id, ADA)).steps[0].run_id
        assert run_id is not None
        await backend.runs.cancel(run_id, ADA)
        plan = await at_rest(backend, plan.id)
    name = git(place.root, "rev-parse", "--short", "HEAD").strip()
    assert (plan.steps[0].state, plan.steps[0].commit) == ("done", f"Committed {name}: 1 file.")


async def test_nothing_is_committed_outside_for_an_agent_that_works_isolated(place: Place) -> None:
    """Commits can be switched on while a step is at work."""
    async with place.backend() as backend:
        await agents.make(backend, "bot", isolate=True)
        plan = await make(backend, step("a", "wait for the file go.txt"), agent="bot", runtime=None)
        await backend.plans.run(plan.id, ADA)

        async def works() -> bool:
            run_id = (await backend.plans.get(plan.id, ADA)).steps[0].run_id
            return run_id is not None and (await backend.runs.get(run_id, ADA)).state == "running"

        await eventually(works)
        await backend.plans.edit(plan.id, PlanFields(title="P", agent="bot", commit=True), ADA)
        (place.root / "go.txt").touch()
        plan = await at_rest(backend, plan.id)
    said = "Not committed: The step works isolated, and commits cannot be isolated."
    assert (plan.state, plan.steps[0].commit) == ("done", said)
    assert git(place.root, "log", "--format=%s").splitlines() == ["Begin"]


@pytest.mark.long(reason="two attempts of a step")
async def test_what_could_not_be_committed_is_committed_the_next_time(place: Place) -> None:
    merge = place.root / ".git" / "MERGE_HEAD"
    merge.write_text(git(place.root, "rev-parse", "HEAD"))
    async with place.backend() as backend:
        plan = await ran(backend, writing("Write", "import pathlib; pathlib.Path('a.txt').touch()"), commit=True)
        assert plan.steps[0].commit == "Not committed: a merge is in progress in the repository."
        merge.unlink()
        await backend.plans.run_step(plan.id, plan.steps[0].id, ADA)
        plan = await at_rest(backend, plan.id)
    assert plan.steps[0].commit.endswith(": 1 file.")


async def test_a_file_that_was_only_staged_and_is_gone_is_no_change(place: Place) -> None:
    (place.root / "gone.txt").write_text("x")
    git(place.root, "add", "gone.txt")
    remove = "import os; os.remove('gone.txt')"
    async with place.backend() as backend:
        plan = await ran(backend, writing("Remove", remove), commit=True)
    assert (plan.state, plan.steps[0].commit[:14]) == ("done", "Not committed:"), plan.steps[0]


async def test_a_file_that_became_a_folder_is_left_to_people(place: Place) -> None:
    replace = "import os; os.remove('old.txt'); os.mkdir('old.txt'); open('old.txt/a.txt', 'w').write('x')"
    async with place.backend() as backend:
        plan = await ran(backend, writing("Replace", replace), commit=True)
    assert plan.state == "done"
    assert plan.steps[0].commit == "Not committed: old.txt is a folder now, and was a file. Commit it by hand."
    assert git(place.root, "diff", "--cached", "--name-only") == ""


async def test_a_file_that_another_run_may_have_changed_is_not_committed_and_the_step_says_so(place: Place) -> None:
    (place.root / "sub").mkdir()
    code = "import os, time\nopen('x.txt', 'w').write('x')\nwhile not os.path.exists('{}'): time.sleep(0.01)"
    async with place.backend() as backend:
        steps = (writing("Above", code.format("sub/x.txt")), writing("Below", code.format("../x.txt"), cwd="sub"))
        plan = await ran(backend, *steps, commit=True)
    said = {step.commit for step in plan.steps}
    assert any("another run worked here at the same time" in each for each in said), said


async def test_steps_that_begin_together_keep_to_the_limit_of_runs(tmp_path: Path) -> None:
    place = Place(tmp_path)
    steps = []
    for name in "abc":
        (place.root / name).mkdir()
        steps.append(program(name, "true", cwd=name))
    async with place.backend() as backend:
        plan = await ran(backend, *steps, max_runs=2)
        assert (plan.state, plan.begun_runs, plan.counts.done) == ("paused", 2, 2)


async def test_a_plan_keeps_its_checklist(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name in ("A.md", "B.md"):
        (place.root / name).write_text("- [ ] reply with the single word one\n")
    async with place.backend() as backend:
        first = await backend.plans.create(NewPlan(title="A", checklist=Checklist(path="A.md")), ADA)
        other = PlanFields(title="A", checklist=Checklist(path="B.md"))
        with pytest.raises(Conflict, match="A plan keeps its checklist"):
            await backend.plans.edit(first.id, other, ADA)
        for wrong in (Checklist(path="A.md", retries=99), Checklist(path="A.md", verify=("a\0b",))):
            with pytest.raises(Invalid):
                await backend.plans.edit(first.id, PlanFields(title="A", checklist=wrong), ADA)
        await backend.plans.archive(first.id, ADA, archived=True)
        again = await backend.plans.create(NewPlan(title="Again", checklist=Checklist(path="A.md")), ADA)
        for start in (
            backend.plans.run(first.id, ADA),
            backend.plans.run_step(first.id, first.steps[0].id, ADA),
            backend.plans.archive(first.id, ADA, archived=False),
        ):
            with pytest.raises(Conflict, match="Another plan"):
                await start
        await backend.plans.archive(again.id, ADA, archived=True)
        await backend.plans.archive(first.id, ADA, archived=False)


@pytest.mark.parametrize(
    ("change", "said"),
    cases(
        (lambda root: (root / ".git").rename(root / "gone"), "this folder belongs to no git repository."),
        (lambda root: (root.parent / "home" / ".gitconfig").unlink(), "git does not know your name."),
        (lambda root: (root / ".git" / "MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD")), "a merge is in"),
    ),
)
async def test_what_no_agent_can_cure_fails_no_step(place: Place, change: Any, said: str) -> None:
    git(place.root, "config", "user.useConfigOnly", "true")
    change(place.root)
    async with place.backend() as backend:
        plan = await ran(backend, writing("Write", "open('a.txt', 'w').write('x')"), commit=True)
    assert plan.state == "done" and plan.steps[0].commit.startswith(f"Not committed: {said}"), plan.steps[0]


async def test_a_step_that_may_only_work_isolated_commits_nothing_outside(place: Place) -> None:
    async with place.backend() as backend:
        plan = await ran(backend, step("Write"), commit=True, isolate=True)
    assert "commits cannot be isolated" in plan.steps[0].reason


@pytest.mark.parametrize("title", ["Short", "w" * 100, "word " * 40, "a\x00b\x1b[31m"])
def test_the_message_is_the_title(title: str) -> None:
    first, _, rest = message_of(title).partition("\n\n")
    assert len(first) <= MAX_SUBJECT and first.isprintable()
    assert (rest or first).split() == "".join(c if c.isprintable() else " " for c in title).split()


async def test_a_plan_pauses_at_its_limit_of_runs_and_goes_on_when_it_is_run(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, *(program(key, "true") for key in "abc"), max_runs=2)
        assert (plan.state, states(plan)) == ("paused", {"a": "done", "b": "done", "c": "queued"})
        assert plan.reason == "2 runs have begun since it was started, which is its limit. Run the plan to continue."
        await backend.plans.run(plan.id, ADA)
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_a_plan_pauses_at_its_limit_of_time_and_says_so(tmp_path: Path) -> None:
    from jupyter_cabinet.plans.rules.transitions import run_all, within_limits

    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, program("a", "true"), max_minutes=1.5)
        begun = run_all(plan, now=backend.clock.now())
        assert within_limits(begun, None, now=backend.clock.now() + timedelta(seconds=89)) is begun
        late = within_limits(begun, None, now=backend.clock.now() + timedelta(seconds=90))
        assert (late.state, late.reason) == (
            "paused",
            "1.5 minutes have passed since it was started, which is its limit. Run the plan to continue.",
        )
        done = msgspec.structs.replace(begun, steps=(msgspec.structs.replace(begun.steps[0], state="running"),))
        assert within_limits(done, None, now=backend.clock.now() + timedelta(hours=1)) is done
        for name in ("max_runs", "max_minutes", "max_cost_usd"):
            for wrong in (0, 10**13):
                with pytest.raises(Invalid, match="A limit is a number above 0"):
                    await backend.plans.create(NewPlan(title="None", **{name: wrong}), ADA)
