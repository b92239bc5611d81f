"""Checklists: which lines are tasks, what changes in the file, and how people's marks count."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, Place
from harness.plans import at_rest, states
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid
from jupyter_cabinet.plans.model import Checklist, NewPlan, Plan, PlanView, Step
from jupyter_cabinet.plans.rules.checklist import followed, tasks_of, with_checklist, with_marks
from jupyter_cabinet.plans.rules.graph import with_step

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIST = Checklist(path="PLAN.md")
PLAN = Plan(id="p", title="P", owner="ada", owner_name="Ada", visibility="server", created_at=NOW, updated_at=NOW)

CASES = {
    "- [ ] a\n* [x] b\n+ [~] c\n1. [!] d\n12) [X] e": ["a ", "bx", "c~", "d!", "ex"],
    "  - [ ] in\n\t- [ ] deeper\r\n- [ ] last\r\n": ["in ", "deeper ", "last "],
    "- []\n- [ ]\n- [ ] \n-[ ] x\n- [y] x\n[ ] x\ntext - [ ] x": [],
    "> - [ ] quoted\n- [ ] free": ["free "],
    "```\n- [ ] code\n```\n- [ ] free": ["free "],
    "~~~ md\n- [ ] code\n```\n- [ ] code\n~~~~\n- [ ] free": ["free "],
    "- ```\n  - [ ] code\n  ```\n- [ ] free": ["free "],
    "````\n- [ ] code\n```\n- [ ] code": [],
    "``` not ` a fence\n- [ ] free": ["free "],
    "- [ ] same\n- [ ] same": ["same ", "same "],
}


@pytest.mark.parametrize("text", CASES)
def test_task_lines(text: str) -> None:
    assert [task.text + task.mark for task in tasks_of(text)] == CASES[text]


LINES = st.one_of(
    st.sampled_from(
        ["- [ ] a", "* [x] b\r", "  1. [~] c", "> - [ ] q", "```", "~~~", "- [ ] a", "", "\t+ [!] d", "- x"]
    ),
    st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12),
)


@given(st.lists(LINES, max_size=25), st.data())
def test_only_marks_change(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    tasks = tasks_of(text)
    marks = {task.key: data.draw(st.sampled_from(" ~x!")) for task in tasks}
    after = with_marks(text, marks)
    again = tasks_of(after)
    assert [task._replace(mark="") for task in again] == [task._replace(mark="") for task in tasks]
    assert {task.key: task.mark for task in again} == marks
    places = {task.place for task in tasks}
    assert len(after) == len(text)
    assert all(a == b for at, (a, b) in enumerate(zip(text, after, strict=True)) if at not in places)


def follow(plan: Plan, text: str) -> tuple[Plan, str]:
    ids = iter(f"s{number}" for number in range(len(plan.steps), 100))
    found = followed(plan, LIST, text, lambda: next(ids))
    return found.plan, with_marks(text, found.marks)


def test_lines_that_are_inserted_shift_nothing() -> None:
    plan, _ = follow(msgspec.structs.replace(PLAN, state="running"), "- [ ] a\n- [ ] b\n")
    plan = with_step(plan, plan.steps[0].id, state="running", phase="work", run_id="r", work_run_id="r")
    plan, text = follow(plan, "- [ ] new\n- [ ] a\n- [ ] b\n")
    assert [(step.title, step.state) for step in plan.steps] == [("new", "queued"), ("a", "running"), ("b", "queued")]
    assert text == "- [ ] new\n- [~] a\n- [ ] b\n"


@pytest.mark.parametrize(
    ("state", "mark", "written", "expected", "shown"),
    [
        ("pending", " ", "x", "skipped", "x"),  # somebody did it
        ("failed", "!", "x", "skipped", "x"),
        ("failed", "!", " ", "pending", " "),  # somebody wants it again
        ("done", "x", " ", "pending", " "),
        ("skipped", "x", " ", "pending", " "),
        ("done", "~", "~", "done", "x"),  # the server died before it wrote the mark
        ("done", "x", "~", "done", "x"),
        ("failed", "~", "~", "failed", "!"),
        ("pending", "~", "~", "pending", " "),
        ("running", "~", "x", "running", "~"),  # nothing counts before its run has ended
        ("done", "x", "X", "done", "X"),
    ],
)
def test_marks_of_people_count(state: str, mark: str, written: str, expected: str, shown: str) -> None:
    plan, _ = follow(PLAN, "- [ ] a\n- [ ] b\n")
    changes = {"state": state, "mark": mark, **({"phase": "work", "run_id": "r"} if state == "running" else {})}
    plan, text = follow(with_step(plan, plan.steps[0].id, **changes), f"- [{written}] a\n- [ ] b\n")
    assert (plan.steps[0].state, text) == (expected, f"- [{shown}] a\n- [ ] b\n")


def test_a_line_that_is_gone_is_skipped_and_a_done_one_is_not_added() -> None:
    plan, _ = follow(PLAN, "- [x] done before\n- [ ] a\n- [ ] b\n")
    assert [step.title for step in plan.steps] == ["a", "b"]
    plan, _ = follow(plan, "- [ ] b\n")
    assert [(step.title, step.state) for step in plan.steps] == [("b", "pending"), ("a", "skipped")]
    assert plan.steps[1].reason == "Its line is no longer in PLAN.md."


# --- at work -----------------------------------------------------------------------------------


async def worked(place: Place, **fields: object) -> PlanView:
    async with place.backend() as backend:
        checklist = Checklist(path="PLAN.md", **fields)  # type: ignore[arg-type]
        plan = await backend.plans.create(NewPlan(title="List", runtime="demo", checklist=checklist), ADA)
        await backend.plans.run(plan.id, ADA)
        plan = await at_rest(backend, plan.id)
        await backend.outbox.settled()
        return plan


async def test_tasks_are_worked_off_and_only_their_marks_change(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = place.root / "PLAN.md"
    file.write_bytes(b"# Plan\r\n\r\n- [x] before\r\n- [ ] reply with the single word one\r\n\ttext\r\n* [ ] fail\r\n")
    file.chmod(0o640)
    plan = await worked(place, retries=0)
    assert states(plan) == {"reply with the single word one": "done", "fail": "failed"}
    assert file.read_bytes() == (
        b"# Plan\r\n\r\n- [x] before\r\n- [x] reply with the single word one\r\n\ttext\r\n* [!] fail\r\n"
    )
    assert file.stat().st_mode & 0o777 == 0o640
    learnt = (place.root / "progress.md").read_text()
    assert learnt.count("\n## ") == 1 and learnt.startswith("## ")
    assert "reply with the single word one: done" in learnt and "\n\none\n" in learnt


async def test_a_later_task_receives_what_was_learnt_and_a_line_added_meanwhile_is_worked_off(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = place.root / "PLAN.md"
    file.write_text("- [ ] reply with the single word plum\n")
    async with place.backend() as backend:
        plan = await backend.plans.create(NewPlan(title="List", runtime="demo", checklist=LIST), ADA)
        await backend.plans.run(plan.id, ADA)
        await at_rest(backend, plan.id)
        await backend.outbox.settled()
        assert [line.checklist for line in await backend.plans.find(ADA)] == ["PLAN.md"]
        with pytest.raises(Conflict, match=r"Another plan already works through PLAN\.md"):
            await backend.plans.create(NewPlan(title="Second", checklist=LIST), ADA)
        file.write_text(file.read_text() + "- [ ] reply with the single word pear\n")
        await backend.plans.run(plan.id, ADA)
        plan = await at_rest(backend, plan.id)
        await backend.outbox.settled()
        assert file.read_text() == "- [x] reply with the single word plum\n- [x] reply with the single word pear\n"
        _, prompt = await backend.runs.files.prompt(plan.steps[1].work_run_id or "", ADA)
        assert "--- progress.md ---\n## " in prompt and "\n\nplum\n" in prompt


async def test_a_file_that_is_no_checklist_is_refused_and_one_that_vanishes_pauses_the_plan(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file = place.root / "PLAN.md"
    file.write_text("# Nothing\n")
    outside = tmp_path / "outside.md"
    outside.write_text("- [ ] a\n")
    (place.root / "link.md").symlink_to(outside)
    async with place.backend() as backend:
        for path, problem in (
            ("PLAN.md", "has no task line"),
            ("gone.md", "no file"),
            ("link.md", "link"),
            ("../outside.md", "out of the server's root"),
        ):
            new = NewPlan(title="List", checklist=Checklist(path=path))
            with pytest.raises((Invalid, CabinetError), match=problem):
                await backend.plans.create(new, ADA)
        file.write_text("- [ ] reply with the single word one\n- [ ] wait for the file go.txt\n")
        plan = await backend.plans.create(NewPlan(title="List", runtime="demo", checklist=LIST), ADA)
        await backend.plans.run(plan.id, ADA)
        while (await backend.plans.get(plan.id, ADA)).steps[1].state != "running":
            await asyncio.sleep(0.01)
        file.unlink()
        (place.root / "go.txt").write_text("")
        plan = await at_rest(backend, plan.id)
        with pytest.raises(CabinetError, match=r"There is no file PLAN\.md\. Restore it, or locate it"):
            await backend.plans.run(plan.id, ADA)
        assert outside.read_text() == "- [ ] a\n"


async def test_a_plan_continues_with_its_file_at_another_path(tmp_path: Path) -> None:
    place = Place(tmp_path)
    file, renamed = place.root / "PLAN.md", place.root / "notes" / "TODO.md"
    renamed.parent.mkdir()
    (place.root / "other.md").write_text("- [ ] another task\n")
    file.write_text("- [ ] reply with the single word one\n- [ ] wait for the file go.txt\n- [ ] fail\n")
    async with place.backend() as backend:
        new = NewPlan(title="List", runtime="demo", checklist=Checklist(path="PLAN.md", retries=0))
        plan = await backend.plans.create(new, ADA)
        assert not plan.checklist_missing
        with pytest.raises(Conflict, match=r"PLAN\.md still exists"):
            await backend.plans.choose_checklist(plan.id, "other.md", ADA)
        await backend.plans.run(plan.id, ADA)
        while (await backend.plans.get(plan.id, ADA)).steps[1].state != "running":
            await asyncio.sleep(0.01)
        file.rename(renamed)
        with pytest.raises(Conflict, match="This plan is running"):
            await backend.plans.choose_checklist(plan.id, "notes/TODO.md", ADA)
        (place.root / "go.txt").write_text("")
        plan = await at_rest(backend, plan.id)
        assert (plan.state, plan.checklist_missing) == ("paused", True)
        assert plan.reason == ("There is no file PLAN.md. Restore it, or locate it if it was renamed or moved.")
        for path, problem in (
            ("gone.md", r"no file gone\.md"),
            ("other.md", r"other\.md has none of the tasks of this plan"),
            ("../PLAN.md", "out of the server's root"),
        ):
            with pytest.raises(CabinetError, match=problem):
                await backend.plans.choose_checklist(plan.id, path, ADA)
        plan = await backend.plans.choose_checklist(plan.id, "notes/TODO.md", ADA)
        assert (plan.reason, plan.checklist_missing) == (
            "It now works through notes/TODO.md. Run the plan to continue.",
            False,
        )
        assert [step.state for step in plan.steps[:2]] == ["done", "done"]
        await backend.plans.run(plan.id, ADA)
        plan = await at_rest(backend, plan.id)
        await backend.outbox.settled()
        assert list(states(plan).values()) == ["done", "done", "failed"]
        assert renamed.read_text() == (
            "- [x] reply with the single word one\n- [x] wait for the file go.txt\n- [!] fail\n"
        )
        assert not file.exists()


async def test_only_one_plan_can_choose_a_file(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name in ("PLAN.md", "SECOND.md"):
        (place.root / name).write_text("- [ ] a\n")
    async with place.backend() as backend:
        first = await backend.plans.create(NewPlan(title="List", checklist=LIST), ADA)
        await backend.plans.create(NewPlan(title="Second", checklist=Checklist(path="SECOND.md")), ADA)
        (place.root / "PLAN.md").unlink()
        with pytest.raises(Conflict, match=r"Another plan already works through SECOND\.md"):
            await backend.plans.choose_checklist(first.id, "SECOND.md", ADA)
        without = await backend.plans.create(NewPlan(title="No list"), ADA)
        with pytest.raises(Conflict, match="works through no checklist"):
            await backend.plans.choose_checklist(without.id, "SECOND.md", ADA)


async def test_a_plan_pauses_when_it_has_cost_too_much(tmp_path: Path) -> None:
    from jupyter_cabinet.plans.rules.transitions import within_limits

    plan = msgspec.structs.replace(PLAN, state="running", max_cost_usd=1.5)
    assert within_limits(plan, 1.4, now=NOW) is plan
    assert within_limits(plan, None, now=NOW) is plan
    assert within_limits(plan, 1.5, now=NOW).reason == (
        "Its runs have cost 1.50 USD, and the limit is 1.50 USD. Raise the cost limit of the plan to continue."
    )


def test_other_settings_of_a_checklist_apply_to_tasks_that_have_not_begun_and_were_not_changed() -> None:
    before = Checklist(path="PLAN.md", verify=("true",))
    states = {"a": "queued", "b": "done", "c": "pending", "d": "pending"}
    steps = [Step(id=id, title=id, task=id, verify=("true",), retries=2, state=state) for id, state in states.items()]
    steps[2] = msgspec.structs.replace(steps[2], verify=("mine",))
    steps[3] = msgspec.structs.replace(steps[3], task=None)
    plan = msgspec.structs.replace(PLAN, steps=tuple(steps), checklist=before)
    after = with_checklist(plan, Checklist(path="PLAN.md", verify=("make",), retries=1))
    assert [(step.verify, step.retries) for step in after.steps] == [
        (("make",), 1),
        (("true",), 2),
        (("mine",), 1),
        (("true",), 2),
    ]
