"""Plans carried out by real processes: order, results, handoffs, retries, evaluation, breakdown."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import msgspec
import pytest
from harness.backend import ADA, BOUND_SECONDS, Place, ended
from harness.plans import at_rest, eventually, make, named, program, ran, states, step

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, Invalid, NotAllowed, NotFound
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plans.kinds.breakdown_kind import BreakdownKind
from jupyter_cabinet.plans.model import Breakdown, NewPlan, PlanView, StepReport
from jupyter_cabinet.runs.model import RunFilter

EVE = Principal(username="eve", display_name="Eve")


async def test_steps_run_after_their_dependencies_and_leave_handoffs(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("one"), step("two", None, "one"), step("three", None, "one", "two"))
        assert (plan.state, states(plan)) == ("done", {"one": "done", "two": "done", "three": "done"})
        detail = await backend.plans.step(plan.id, named(plan, "three").id, ADA)
        assert [each.text for each in detail.receives] == ["one", "two"]
        run = await backend.runs.get(named(plan, "three").work_run_id or "", ADA)
        assert (run.plan_id, run.step_id, run.kind) == (plan.id, named(plan, "three").id, "step")
        _, prompt = await backend.runs.files.prompt(run.id, ADA)
        assert "--- From the step “two” ---\ntwo\n" in prompt


async def test_a_program_and_a_verify_command(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "check.py").write_text("print('checked')")
    async with place.backend() as backend:
        plan = await ran(
            backend,
            program("make", sys.executable, "-c", "print('made it')"),
            step("check", None, "make", verify=(sys.executable, "check.py")),
        )
        assert plan.state == "done"
        detail = await backend.plans.step(plan.id, named(plan, "check").id, ADA)
        assert [each.text for each in detail.receives] == ["made it"]
        assert [each.text.strip() for each in detail.artifacts if each.kind == "test_report"] == ["checked"]


async def test_a_failed_verify_command_is_told_to_the_next_attempt_and_then_fails_the_step(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "check.py").write_text("import sys; print('three tests failed'); sys.exit(3)")
    async with place.backend() as backend:
        plan = await ran(backend, step("work", verify=(sys.executable, "check.py")), step("after", None, "work"))
        work = named(plan, "work")
        assert (plan.state, work.state, work.failure, work.attempts) == ("failed", "failed", "verify", 2)
        assert "ended with code 3" in work.reason
        assert named(plan, "after").waits == "Waits because “work” failed."
        _, prompt = await backend.runs.files.prompt(work.work_run_id or "", ADA)
        assert "--- It failed ---\nThe verify command failed." in prompt
        assert "three tests failed" in prompt


async def test_after_a_failure_the_rest_goes_on_and_the_step_can_be_run_again(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        gate = program("gate", sys.executable, "-c", "open('gate.txt')", retries=0)
        plan = await ran(backend, gate, step("behind", None, "gate"), step("beside"))
        assert states(plan) == {"gate": "failed", "behind": "queued", "beside": "done"}
        assert plan.reason.startswith("“gate” failed: ") and plan.reason.endswith("“behind” waits for it.")
        with pytest.raises(Conflict, match="“behind” waits for “gate”, which failed"):
            await backend.plans.run_step(plan.id, named(plan, "behind").id, ADA)
        (place.root / "gate.txt").write_text("")
        await backend.plans.run_step(plan.id, named(plan, "gate").id, ADA)
        plan = await at_rest(backend, plan.id)
        assert (plan.state, named(plan, "gate").runs[-1].execution) == ("done", "retry")


async def test_a_blocked_step_says_what_a_person_has_to_do(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("key", "report blocked: Give me a key."), step("use", None, "key"))
        assert (plan.state, named(plan, "key").state) == ("blocked", "blocked")
        assert plan.reason == (
            "“key” is blocked: Give me a key. “use” waits for it. "
            "Resolve this, then run the step again, report it as done, or skip it."
        )
        assert named(plan, "key").blocker == "Give me a key."
        await backend.plans.report(plan.id, named(plan, "key").id, StepReport(status="done", summary="It is 7."), ADA)
        await backend.plans.run(plan.id, ADA)
        plan = await at_rest(backend, plan.id)
        assert plan.state == "done"
        detail = await backend.plans.step(plan.id, named(plan, "use").id, ADA)
        assert [each.text for each in detail.receives] == ["It is 7."]


async def test_one_step_at_a_time_in_a_directory_and_others_beside_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name in ("left", "right"):
        (place.root / name).mkdir()
    waits = "wait for the file go.txt"
    async with place.backend() as backend:
        first = await make(backend, step("a", waits, cwd="left"), step("b", waits, cwd="right"))
        other = await make(backend, step("c", None, cwd="left/"), title="Other")
        await backend.plans.run(first.id, ADA)
        await _running(backend, 2)
        await backend.plans.run(other.id, ADA)
        queue = await backend.plans.queue(ADA)
        assert [(each.step.title, each.step.state) for each in queue] == [
            ("a", "running"),
            ("b", "running"),
            ("c", "queued"),
        ]
        assert queue[2].step.waits == "Waits because “a” works in left."
        for name in ("left", "right"):
            (place.root / name / "go.txt").write_text("")
        assert (await at_rest(backend, first.id)).state == "done"
        assert (await at_rest(backend, other.id)).state == "done"


async def test_a_pause_lets_the_running_step_finish(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        plan = await make(backend, step("a", "wait for the file go.txt"), step("b", None, "a"))
        await backend.plans.run(plan.id, ADA)
        await _running(backend, 1)
        await backend.plans.pause(plan.id, ADA)
        (place.root / "go.txt").write_text("")
        plan = await at_rest(backend, plan.id)
        assert (plan.state, states(plan)) == ("paused", {"a": "done", "b": "queued"})
        assert named(plan, "b").waits == "The plan is paused."
        await backend.plans.run(plan.id, ADA)
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_a_cancelled_run_is_not_repeated(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, step("a", "wait for the file go.txt"))
        await backend.plans.run(plan.id, ADA)
        (running,) = await _running(backend, 1)
        await backend.runs.cancel(running.step.run_id or "", ADA)
        plan = await at_rest(backend, plan.id)
        assert (plan.state, named(plan, "a").failure, named(plan, "a").attempts) == ("failed", "cancelled", 1)


async def test_go_on_continues_the_session(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("a", "remember the word plum\nreport failed: not yet", retries=0))
        a = named(plan, "a")
        await backend.plans.edit_step(plan.id, a.id, step("a", "what did I tell you", retries=0), ADA)
        await backend.plans.run_step(plan.id, a.id, ADA, resume=True)
        plan = await at_rest(backend, plan.id)
        detail = await backend.plans.step(plan.id, a.id, ADA)
        assert plan.state == "done"
        assert [each.execution for each in detail.step.runs] == ["primary", "continuation"]
        assert "the word plum" in detail.artifacts[0].text


async def test_an_evaluation_proposes_and_a_person_decides(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        about = {"evaluation": "propose", "description": "after a: insert reply with the single word check"}
        plan = await make(backend, step("a"), step("b", None, "a"), **about)
        await backend.plans.run(plan.id, ADA)
        async with asyncio.timeout(BOUND_SECONDS):
            while not plan.proposals:
                await asyncio.sleep(0.01)
                plan = await backend.plans.get(plan.id, ADA)
        assert named(plan, "b").waits == "Waits for your decision on the proposal after “a”."
        (review,) = await backend.reviews.find(ADA)
        assert (review.kind, review.name, review.title, review.count) == ("plan", plan.id, plan.title, 1)
        assert review.since == plan.proposals[0].at and review.may_decide
        plan = await backend.plans.decide(plan.id, plan.proposals[0].id, "apply", ADA)
        assert await backend.reviews.find(ADA) == []
        assert [each.title for each in plan.steps] == ["a", "reply with the single word check", "b"]
        plan = await at_rest(backend, plan.id)
        assert plan.state == "done"
        assert all(each.finished_at for each in plan.steps)


@pytest.mark.long(reason="a person decides about an evaluation in the quick tier")
async def test_an_automatic_evaluation_adds_a_step_before_its_dependents_begin(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        about = {"evaluation": "auto", "description": "after a: add reply with the single word check"}
        plan = await ran(backend, step("a"), step("b", None, "a"), **about)
        added = named(plan, "reply with the single word check")
        assert (plan.state, added.added_by) == ("done", named(plan, "a").id)
        assert added.id in named(plan, "b").depends_on
        assert (plan.proposals[0].state, plan.proposals[0].reason[:8]) == ("applied", "Applied ")


async def test_an_agent_breaks_work_into_steps(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        work = "- reply with the single word one\n- reply with the single word two"
        await ended(backend, await backend.plans.break_down(plan.id, Breakdown(instruction=work), ADA))
        plan = await backend.plans.get(plan.id, ADA)
        assert plan.breakdown is not None and plan.breakdown.state == "added"
        assert [len(each.depends_on) for each in plan.steps] == [0, 1]
        assert plan.state == "draft"
        await backend.plans.run(plan.id, ADA)
        assert (await at_rest(backend, plan.id)).state == "done"


async def test_of_two_requests_at_the_same_moment_one_breaks_the_work_down(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        wanted = [Breakdown(instruction=f"- reply with the single word {word}") for word in ("one", "two")]
        asked = (backend.plans.break_down(plan.id, each, ADA) for each in wanted)
        runs = [each for each in await asyncio.gather(*asked, return_exceptions=True) if not isinstance(each, Conflict)]
        (run,) = runs
        assert not isinstance(run, BaseException)
        assert len(await backend.runs.find(RunFilter(kind="breakdown"), ADA)) == 1
        await ended(backend, run)
        plan = await backend.plans.get(plan.id, ADA)
        assert plan.breakdown is not None and (plan.breakdown.run_id, plan.breakdown.state) == (run.id, "added")


async def test_the_demo_agent_breaks_a_sentence_into_its_parts(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        work = Breakdown(
            instruction="Collect the open points, check v1.2 of the names and write a summary. Then publish it."
        )
        await ended(backend, await backend.plans.break_down(plan.id, work, ADA))
        plan = await eventually(lambda: added(backend, plan.id))
        assert [each.title for each in plan.steps] == [
            "Collect the open points",
            "Check v1.2 of the names",
            "Write a summary",
            "Publish it",
        ]


async def test_the_cost_of_a_breakdown_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_end = BreakdownKind.put_end

    def with_cost(self, connection, run, outcome):  # type: ignore[no-untyped-def]
        put_end(self, connection, msgspec.structs.replace(run, cost_usd=0.5), outcome)

    monkeypatch.setattr(BreakdownKind, "put_end", with_cost)
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        await ended(backend, await backend.plans.break_down(plan.id, Breakdown(instruction="- a"), ADA))
        assert (await eventually(lambda: added(backend, plan.id))).cost_usd == 0.5


async def added(backend: Backend, plan_id: str) -> PlanView | None:
    plan = await backend.plans.get(plan_id, ADA)
    return plan if plan.steps else None


@pytest.mark.long(reason="two attempts of a run")
async def test_steps_that_are_refused_are_asked_for_once_more(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend)
        await ended(backend, await backend.plans.break_down(plan.id, Breakdown(instruction="Nothing to do"), ADA))
        async with asyncio.timeout(BOUND_SECONDS):
            while plan.breakdown is None or plan.breakdown.state != "failed":
                await asyncio.sleep(0.01)
                plan = await backend.plans.get(plan.id, ADA)
        runs = await backend.runs.find(RunFilter(kind="breakdown"), ADA)
        _, prompt = await backend.runs.files.prompt(runs[0].id, ADA)
        assert len(runs) == 2
        assert "Your last answer was refused\n\nThe answer has no steps." in prompt


async def test_only_the_owner_changes_a_plan_and_only_who_may_see_it_reads_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        alone = Principal(username="ada", display_name="Ada")
        plan = await backend.plans.create(NewPlan(title="Mine", steps=(step("a"),)), alone)
        with pytest.raises(NotFound):
            await backend.plans.get(plan.id, EVE)
        with pytest.raises(NotFound):
            await backend.plans.run(plan.id, EVE)
        shared = await make(backend, step("a"))
        assert (await backend.plans.get(shared.id, EVE)).may_change is False
        for act in (backend.plans.run, backend.plans.delete, backend.plans.pause):
            with pytest.raises(NotAllowed):
                await act(shared.id, EVE)


async def test_nobody_requests_the_run_of_a_step_by_hand(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await make(backend, step("a"))
        body = {"kind": "step", "instruction": "x", "plan_id": plan.id, "step_id": plan.steps[0].id}
        with pytest.raises(Invalid, match="only started by Cabinet itself"):
            backend.runs.kinds.convert(body)


async def test_a_step_whose_cli_is_missing_fails_with_the_reason(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        plan = await ran(backend, step("a", runtime="no-such-cli"), step("b"))
        assert states(plan) == {"a": "failed", "b": "done"}
        assert named(plan, "a").reason == "There is no runtime no-such-cli."


async def _running(backend, count):  # type: ignore[no-untyped-def]
    """Wait until so many steps are running, and return them."""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            found = [each for each in await backend.plans.queue(ADA) if each.step.state == "running"]
            if len(found) == count:
                return found
            await asyncio.sleep(0.01)
