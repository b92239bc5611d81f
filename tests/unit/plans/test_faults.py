"""Plans when something is in the way: budgets, agents, trust, the disk, deleted runs, damaged rows, foreign folders."""

from __future__ import annotations

import shutil
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from harness import agents
from harness.backend import ADA, Place
from harness.examples import cases
from harness.plans import at_rest, eventually, make, named, program, ran, states, step
from sqlalchemy import text

from jupyter_cabinet.agents.run_kinds.agent_runs import AgentRuns
from jupyter_cabinet.core.errors import Conflict, Invalid, NotTrusted, OverBudget
from jupyter_cabinet.plans import work
from jupyter_cabinet.plans.model import Breakdown, StepReport
from jupyter_cabinet.runs.model import RunFilter

OVER = "The budget of this day is used up."
WAITS = "wait for the file go.txt"


async def _begun(backend, plan, title):  # type: ignore[no-untyped-def]
    """Wait until the run of this step works."""

    async def found() -> bool:
        run_id = named(await backend.plans.get(plan.id, ADA), title).run_id
        return run_id is not None and (await backend.runs.get(run_id, ADA)).state == "running"

    await eventually(found)


async def _shown(backend, plan, title, **fields):  # type: ignore[no-untyped-def]
    """Wait until the step has these fields, and return it."""

    async def found():  # type: ignore[no-untyped-def]
        it = named(await backend.plans.get(plan.id, ADA), title)
        return it if all(getattr(it, name) == value for name, value in fields.items()) else None

    return await eventually(found)


async def test_a_budget_that_is_used_up_by_a_step_leaves_the_end_of_its_answer_as_the_handoff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        await agents.make(backend, "bot")
        plan = await make(backend, step("a", f"{WAITS}\nreport nothing"), step("b", None, "a"), agent="bot")
        await backend.plans.run(plan.id, ADA)
        await _begun(backend, plan, "a")

        async def over(*_: object, **__: object) -> None:
            raise OverBudget(OVER)

        monkeypatch.setattr(AgentRuns, "check_budget", over)
        (place.root / "go.txt").write_text("")
        await _shown(backend, plan, "a", state="done")
        assert (await _shown(backend, plan, "b", waits=OVER)).state == "queued"


async def test_a_step_says_that_all_work_is_paused(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        plan = await make(backend, step("a"))
        await backend.plans.run(plan.id, ADA)
        await _shown(backend, plan, "a", phase="work", waits=f"All agents are paused by {ADA.display_name}.")
        assert (await backend.plans.queue(ADA))[0].step.waits == f"All agents are paused by {ADA.display_name}."
        for shown in (await backend.plans.get(plan.id, ADA), *await backend.plans.find(ADA)):
            assert (shown.counts.running, shown.counts.waiting) == (1, 1)
        await backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_a_step_waits_for_an_agent_that_is_paused_and_says_so(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await agents.make(backend, "bot")
        await backend.agents.pause("bot", ADA)
        plan = await make(backend, step("a"), agent="bot")
        await backend.plans.run(plan.id, ADA)

        async def reason() -> str:
            waits = named(await backend.plans.get(plan.id, ADA), "a").waits
            return waits if waits != "Begins next." else ""

        assert "pause" in await eventually(reason)
        await backend.agents.resume("bot", ADA)
        backend.plans._work.advance_soon()
        assert (await at_rest(backend, plan.id)).state == "done"


@pytest.mark.parametrize("way", cases("skip", "report", "go on"))
async def test_a_step_whose_verify_command_may_not_be_queued_says_why_and_can_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        plan = await make(backend, step("a", WAITS, verify=(sys.executable, "-c", "")), step("b", None, "a"))
        await backend.plans.run(plan.id, ADA)
        await _begun(backend, plan, "a")

        async def no() -> None:
            raise NotTrusted

        with monkeypatch.context() as withdrawn:
            withdrawn.setattr(backend.runs._trust, "require", no)
            (place.root / "go.txt").write_text("")
            a = await _shown(backend, plan, "a", phase="verify", waits=NotTrusted().message)
            if way == "skip":
                assert states(await backend.plans.skip_step(plan.id, a.id, ADA))["a"] == "skipped"
            elif way == "report":
                report = StepReport(status="done", summary="Seen.")
                assert states(await backend.plans.report(plan.id, a.id, report, ADA))["a"] == "done"
        backend.plans._work.advance_soon()
        plan = await at_rest(backend, plan.id)
        assert plan.state == "done" and named(plan, "a").phase is None


@pytest.mark.parametrize("phase", cases("work", "verify"))
async def test_a_full_disk_fails_no_step_and_stops_no_other_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        plan = await make(backend, step("a", verify=(sys.executable, "-c", "")))
        other = await make(backend, program("other", "true"), title="Other", cwd=".")
        submit = work.PlanWork._submit

        async def full(self, plan, new):  # type: ignore[no-untyped-def]
            if plan.title != "Other" and (phase == "work" or type(new).__name__ == "NewVerifyRun"):
                raise OSError(28, "No space left on device")
            return await submit(self, plan, new)

        with monkeypatch.context() as disk:
            disk.setattr(work.PlanWork, "_submit", full)
            await backend.plans.run(plan.id, ADA)
            await _shown(backend, plan, "a", waits=work.NOT_STORED)
            await backend.plans.run(other.id, ADA)
            if phase == "work":
                assert (await at_rest(backend, other.id)).state == "done"
        backend.plans._work.advance_soon()
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_a_breakdown_that_cannot_be_asked_for_again_has_failed_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        submit = work.PlanWork._submit

        async def over(self, plan, new):  # type: ignore[no-untyped-def]
            if getattr(new, "correction", ""):
                raise OverBudget(OVER)
            return await submit(self, plan, new)

        monkeypatch.setattr(work.PlanWork, "_submit", over)
        await backend.plans.break_down(plan.id, Breakdown(instruction="Nothing to do"), ADA)

        async def failed():  # type: ignore[no-untyped-def]
            status = (await backend.plans.get(plan.id, ADA)).breakdown
            return status if status is not None and status.state == "failed" else None

        assert (await eventually(failed)).problem == OVER


async def test_another_server_on_the_folder_carries_on_when_one_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "AGAIN_SECONDS", 0.3)
    place = Place(tmp_path)
    async with AsyncExitStack() as first:
        leaving = await first.enter_async_context(place.backend())
        plan = await make(leaving, step("a", WAITS, retries=0), step("beside"), step("c", None, "beside"))
        await leaving.plans.run(plan.id, ADA)
        await _begun(leaving, plan, "a")  # before there is another server, which might begin it
        async with place.backend() as staying:
            await first.aclose()
            plan = await at_rest(staying, plan.id)
    assert states(plan) == {"a": "failed", "beside": "done", "c": "done"}


async def test_a_verify_command_that_does_not_exist_repeats_no_work(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("a", verify=("no-such-program",)))
        a = named(plan, "a")
        assert a.attempts == 1
        assert a.reason == "The verify command failed. The program was not found."


async def test_a_step_that_reports_a_blocker_without_saying_which_is_asked(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, step("a", WAITS))
        await backend.plans.run(plan.id, ADA)
        await _begun(backend, plan, "a")
        run = await backend.runs.get(named(await backend.plans.get(plan.id, ADA), "a").run_id or "", ADA)
        with pytest.raises(Invalid, match="what a person has to do"):
            await backend._plan_room.tools.call(run, "step_report", {"status": "blocked"})


async def test_a_run_that_was_deleted_is_not_continued(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("a", "report failed: not yet", retries=0))
        a = named(plan, "a")
        await backend.runs.delete(a.work_run_id or "", ADA)
        await backend.plans.run_step(plan.id, a.id, ADA, resume=True)
        plan = await at_rest(backend, plan.id)
        assert named(plan, "a").reason.startswith("Its last run was deleted, so it cannot be continued.")


async def test_a_step_that_may_only_work_isolated_has_no_verify_command_outside(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await agents.make(backend, "bot", isolate=True)
        verified = step("a", verify=(sys.executable, "-c", "open('outside.txt', 'w')"))
        plan = await ran(backend, verified, agent="bot")
        assert "commits cannot be isolated" in named(plan, "a").reason
        assert await backend.runs.find(RunFilter(), ADA) == []


async def test_a_plan_that_grants_more_than_its_agent_has_says_so(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await agents.make(backend, "bot", permission_mode="ask")
        plan = await ran(backend, step("a"), agent="bot", permission_mode="edit")
        assert named(plan, "a").reason.startswith("The plan's permission mode grants more than the agent bot has.")


@pytest.mark.long(reason="damaged rows of runs are tried in the quick tier")
async def test_a_damaged_step_is_named_by_those_that_depend_on_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        about = {"evaluation": "propose", "description": "after a: insert reply with the single word check"}
        plan = await make(backend, step("a"), step("b", None, "a"), **about)
        await backend.plans.run(plan.id, ADA)

        async def proposed() -> bool:
            return bool((await backend.plans.get(plan.id, ADA)).proposals)

        await eventually(proposed)
        await backend.database.write(
            lambda c: c.execute(text("UPDATE plan_steps SET body = '{' WHERE title = 'a'")) and None
        )
        assert [each.step.title for each in await backend.plans.queue(ADA)] == ["b"]
        (b,) = (await backend.plans.get(plan.id, ADA)).steps
        assert b.waits == "Waits for a step that does not exist any more. Change the steps that it depends on."
        with pytest.raises(Conflict, match="“b” depends on a step that does not exist any more"):
            await backend.plans.run(plan.id, ADA)
        await backend.plans.edit_step(plan.id, b.id, step("b"), ADA)
        await backend.plans.run(plan.id, ADA)
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_running_an_archived_plan_takes_it_out_of_the_archive(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, step("a"))
        await backend.plans.archive(plan.id, ADA, archived=True)
        await backend.plans.run(plan.id, ADA)
        assert [each.id for each in await backend.plans.find(ADA)] == [plan.id]


async def test_a_report_of_any_length_is_kept_like_a_handoff(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, step("a"))
        long = StepReport(status="failed", summary="x" * 1_000_000)
        plan = await backend.plans.report(plan.id, plan.steps[0].id, long, ADA)
        assert plan.steps[0].report is not None and len(plan.steps[0].report.summary) == 4_000
        plan = await backend.plans.report(plan.id, plan.steps[0].id, StepReport(status="failed"), ADA)
        assert plan.steps[0].reason == "It was reported as failed."


@pytest.mark.parametrize("title", ["a\rb", "a\u2028## b", "a\x1b[2Jb", "a\0b", "a\x85b"])
async def test_a_title_has_no_line_breaks_and_no_control_characters(tmp_path: Path, title: str) -> None:
    async with Place(tmp_path).backend() as backend:
        with pytest.raises(Invalid, match="A title is one line"):
            await make(backend, step(title))
        with pytest.raises(Invalid, match="A title is one line"):
            await make(backend, title=title)


async def test_the_plans_of_a_foreign_folder_wait_for_a_person_whatever_its_first_start_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = Place(_made(tmp_path / "theirs"))
    async with theirs.backend() as backend:
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        asked = await make(backend, title="Asked")
        queued = await make(backend, program("first", "true"), program("evil", "touch", "evil.txt"), title="Queued")
        await backend.plans.run(queued.id, ADA)
        await eventually(lambda: backend.runs.find(RunFilter(), ADA))
        await backend.plans.break_down(asked.id, Breakdown(instruction="- x"), ADA)
    mine = tmp_path / "mine"
    shutil.copytree(theirs.folder, mine)
    place = Place(mine)

    async def dies(self: object, **_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as first:
        first.setattr(work.PlanWork, "open", dies)
        with pytest.raises(RuntimeError, match="killed"):
            await place.open()
    async with place.backend() as backend:
        await backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        await backend.outbox.settled()
        found = {each.title: each for each in await backend.plans.find(ADA)}
        assert (found["Queued"].state, found["Queued"].reason) == ("paused", work.FOREIGN)
        assert not (place.root / "evil.txt").exists()
        status = (await backend.plans.get(asked.id, ADA)).breakdown
        assert status is not None and (status.state, status.problem) == ("failed", "Its run was interrupted.")
        await backend.plans.break_down(asked.id, Breakdown(instruction="- x"), ADA)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
