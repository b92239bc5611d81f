"""The rules of plans as tables of cases: readiness, results, reports, proposals, blocks of answers, files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plans.model import AddSibling, InsertBetween, NewStep, Plan, Proposal, Step, StepReport
from jupyter_cabinet.plans.plan_file import plan_of, text_of
from jupyter_cabinet.plans.rules import graph, mutations, step_phases, transitions
from jupyter_cabinet.plans.rules.answer_blocks import evaluation_block, plan_block, step_block
from jupyter_cabinet.plans.rules.rest import resting
from jupyter_cabinet.plans.rules.results import Finished, judged
from jupyter_cabinet.plans.rules.step_phases import NO_RESULT, RunEnd, WorkEnd
from jupyter_cabinet.plans.views import cost, in_list

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAN = Plan(id="p", title="P", owner="ada", owner_name="Ada", visibility="server", created_at=NOW, updated_at=NOW)


def plan(*steps: Step, **fields: Any) -> Plan:
    return msgspec.structs.replace(PLAN, steps=steps, **fields)


def step(id: str, *after: str, **fields: Any) -> Step:
    return Step(id=id, title=id.upper(), depends_on=after, **fields)


def at_work(**fields: Any) -> Plan:
    working: dict[str, Any] = {"state": "running", "phase": "work", "run_id": "r", "work_run_id": "r", "attempts": 1}
    return plan(step("a", **working, **fields), step("b", "a", state="queued"), state="running")


# --- readiness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dependency", "may_queue", "may_run"),
    [
        ("pending", True, False),
        ("queued", True, False),
        ("running", True, False),
        ("done", True, True),
        ("skipped", True, True),
        ("failed", False, False),
        ("blocked", False, False),
        (None, False, False),  # it is missing
    ],
)
def test_a_step_may_be_queued_before_it_may_run(dependency: Any, may_queue: bool, may_run: bool) -> None:
    first = () if dependency is None else (step("a", state=dependency),)
    found = plan(*first, step("b", "a"))
    assert (graph.obstacle_to_queue(found, found.steps[-1]) == "") is may_queue
    assert graph.is_ready(found.steps[-1], graph.settled_ids(found)) is may_run


def test_a_step_may_not_be_queued_behind_one_that_failed_further_before() -> None:
    chain = (step("a", state="failed"), step("b", "a", state="queued"), step("c", "b"))
    found = plan(*chain, state="failed")
    assert graph.obstacle_to_queue(found, found.steps[-1]) == (
        "“C” waits for “A”, which failed. Run that step again, or skip it."
    )
    gone = plan(step("b", "gone"), step("c", "b"))
    assert "does not exist any more" in graph.obstacle_to_queue(gone, gone.steps[-1])
    settled = plan(step("a", state="failed"), step("b", "a", state="done"), step("c", "b"))
    assert graph.obstacle_to_queue(settled, settled.steps[-1]) == ""


# --- what people start and stop ----------------------------------------------------------------


def test_run_starts_what_has_failed_again_if_nothing_else_can_begin() -> None:
    failed = step("a", state="failed", reason="No table.", work_run_id="r", attempts=2)
    blocked = step("d", state="blocked", blocker="Give me a key.", finished_at=NOW)
    found = transitions.run_all(plan(failed, step("b", "a", state="queued"), blocked, state="failed"), now=NOW)
    first, behind, last = found.steps
    assert (found.state, {each.state for each in found.steps}) == ("running", {"queued"})
    assert (first.execution, first.reason, first.attempts) == ("retry", "No table.", 0)
    assert (last.execution, last.blocker, last.finished_at) == ("primary", "", None)
    assert behind == step("b", "a", state="queued")


def test_run_leaves_what_has_failed_if_other_steps_can_begin() -> None:
    found = transitions.run_all(plan(step("a", state="failed"), step("b"), state="failed"), now=NOW)
    assert (found.state, [each.state for each in found.steps]) == ("running", ["failed", "queued"])


def test_run_of_a_plan_that_is_done_says_what_can_be_done() -> None:
    with pytest.raises(Conflict, match="All steps are done or skipped"):
        transitions.run_all(plan(step("a", state="done"), state="done"), now=NOW)


def test_a_pause_and_a_skipped_step_name_the_person() -> None:
    assert transitions.pause(at_work(), by="Ada").reason == "Paused by Ada."
    assert transitions.skip(plan(step("a")), "a", by="Ada").steps[0].reason == "Skipped by Ada."


@pytest.mark.parametrize(
    ("commits", "said"),
    [((), ""), (("Committed 1 file.",), "1 commit was made."), (("Committed 1 file.",) * 2, "2 commits were made.")],
)
def test_the_reason_of_a_done_plan_repeats_no_number_of_steps(commits: tuple[str, ...], said: str) -> None:
    steps = [step(f"s{at}", state="done", commit=commit) for at, commit in enumerate(("Not committed: x.", *commits))]
    found = resting(plan(*steps, step("z", state="skipped"), state="running"))
    assert (found.state, found.reason) == ("done", said)


def test_a_plan_is_blocked_if_its_steps_are_blocked_and_none_has_failed() -> None:
    blocked = step("a", state="blocked", blocker="Log in.\nThen tell me.")
    behind = (step("b", "a", state="queued"), step("c", "b", state="queued"))
    found = resting(plan(blocked, *behind, state="running"))
    assert (found.state, found.reason) == (
        "blocked",
        "“A” is blocked: Log in. “B” and 1 more wait for it. "
        "Resolve this, then run the step again, report it as done, or skip it.",
    )
    two = resting(plan(blocked, step("d", state="blocked"), behind[0], state="running"))
    assert two.reason == (
        "“A” is blocked: Log in. Another step needs you too. “B” waits for them. "
        "Resolve this, then run these steps again, report them as done, or skip them."
    )
    can_continue = plan(blocked, *behind, step("d", state="queued"), state="running")
    assert resting(can_continue) == can_continue


def test_the_state_of_a_plan_at_rest_follows_its_steps() -> None:
    blocked, failed = step("a", state="blocked", blocker="Log in."), step("b", state="failed", reason="It broke.")
    found = resting(plan(blocked, failed, state="running"))
    assert (found.state, found.reason) == ("failed", "“B” failed: It broke. Another step needs you too.")
    found = transitions.skip(found, "b", by="Ada")
    assert (found.state, found.reason.partition(". ")[0]) == ("blocked", "“A” is blocked: Log in")
    assert transitions.skip(found, "a", by="Ada").state == "done"
    again = transitions.run_all(found, now=NOW)
    assert (again.state, again.steps[0].state) == ("running", "queued")


def test_a_plan_that_only_waits_for_a_decision_says_so() -> None:
    proposal = Proposal(id="q", step_id="a", run_id="r", verdict="NEEDS_REFINEMENT", at=NOW)
    done, behind, free = step("a", state="done"), step("b", "a", state="queued"), step("c", state="queued")
    ada = Principal(username="ada", display_name="Ada")

    def reason(*steps: Step, **fields: Any) -> str:
        found = plan(*steps, **{"state": "running", "proposals": (proposal,), **fields})
        return in_list(found, ada, waiting=0).reason

    assert reason(done, behind) == "Waits for your decision on a proposal."
    assert reason(done, behind, free) == ""
    assert reason(done, behind, step("c", state="running")) == ""
    assert reason(done, behind, state="paused", reason="Paused by Ada.") == "Paused by Ada."


def test_the_cost_of_removed_steps_counts() -> None:
    found = plan(step("a", cost_usd=1.0), step("b", cost_usd=0.25), step("c"), state="running", max_cost_usd=1.2)
    for id in ("a", "b", "c"):
        found = graph.removed(found, id)
    assert (found.steps, cost(found)) == ((), 1.25)
    assert transitions.within_limits(found, cost(found), now=NOW).state == "paused"
    assert cost(graph.removed(plan(step("a")), "a")) is None


# --- results -----------------------------------------------------------------------------------

BLOCK = "Text.\n\n```step n0\nstatus: {}\nsummary: from the block\n```"


@pytest.mark.parametrize(
    ("text", "succeeded", "report", "changed", "expected"),
    [
        ("Text.", True, None, 0, ("done", "")),
        ("", True, None, 0, ("failed", NO_RESULT)),
        ("", True, None, None, ("failed", NO_RESULT)),
        ("", True, None, 2, ("done", "")),
        ("", True, "done", 0, ("done", "by the tool")),
        (BLOCK.format("done"), True, None, 0, ("done", "from the block")),
        (BLOCK.format("Failed."), True, None, 0, ("failed", "from the block")),
        (BLOCK.format("blocked"), True, "done", 0, ("done", "by the tool")),  # the tool counts more
        (BLOCK.format("done"), False, None, 0, ("failed", "It ended.")),  # the answer of a failed run is no result
        ("", False, "done", 0, ("done", "by the tool")),  # it had reported before it was ended
        (BLOCK.format("done").replace("n0", "n1"), True, None, 0, ("done", "")),  # a block that somebody else wrote
        (BLOCK.format("maybe"), True, None, 0, ("done", "")),
    ],
)
def test_what_counts_as_the_result(text: str, succeeded: bool, report: Any, changed: Any, expected: Any) -> None:
    run = Finished(succeeded=succeeded, reason="It ended.", failure="crashed", text=text, changed_files=changed)
    said = StepReport(status=report, summary="by the tool") if report else None
    found = judged(run, said, nonce="n0")
    assert (found.status, found.reason) == expected


def test_a_program_needs_no_output() -> None:
    run = Finished(succeeded=True, reason="", failure="", text="", changed_files=0, is_command=True)
    assert judged(run, None, nonce="n").status == "done"


def test_a_late_report_corrects_a_failure_and_a_repeated_one_changes_nothing() -> None:
    end = RunEnd(run_id="r", state="timed_out")
    failed = step_phases.work_ended(
        at_work(retries=0), "a", end, WorkEnd(status="failed", reason="Too long.", failure="timeout"), now=NOW
    )
    assert (failed.state, failed.steps[0].state) == ("failed", "failed")
    report = StepReport(status="done", summary="It was done.\nMore.")
    late = transitions.reported(failed, "a", report, now=NOW, run_id="r")
    assert (late.steps[0].state, late.steps[0].reason) == ("done", "It was done.")
    assert transitions.reported(late, "a", StepReport(status="failed"), now=NOW, run_id="r") is late
    assert transitions.reported(failed, "a", report, now=NOW, run_id="of another step") is failed


@pytest.mark.parametrize(
    ("status", "state", "problem"),
    [
        ("done", "succeeded", None),
        ("failed", "succeeded", "reported_failed"),
        ("blocked", "succeeded", "reported_blocked"),
        ("failed", "timed_out", None),  # its state says already that it was not done
    ],
)
def test_a_run_that_succeeded_keeps_what_the_step_reported(status: Any, state: str, problem: str | None) -> None:
    run = Finished(succeeded=state == "succeeded", reason="", failure="", text="Text.", changed_files=0)
    result = judged(run, StepReport(status=status, summary="s", blocker="b"), nonce="n")
    found = transitions.begun(plan(step("a", state="queued", retries=0), state="running"), "a", "r", now=NOW)
    found = step_phases.work_ended(found, "a", RunEnd(run_id="r", state=state), result, now=NOW)
    (listed,) = found.steps[0].runs
    assert (listed.state, listed.problem) == (state, problem)


def test_a_run_without_a_result_says_so_until_it_reports() -> None:
    found = transitions.begun(plan(step("a", state="queued", retries=0), state="running"), "a", "r", now=NOW)
    result = judged(Finished(succeeded=True, reason="", failure="", text="", changed_files=0), None, nonce="n")
    found = step_phases.work_ended(found, "a", RunEnd(run_id="r", state="succeeded"), result, now=NOW)
    assert found.steps[0].runs[0].problem == "no_result"
    late = transitions.reported(found, "a", StepReport(status="done", summary="s"), now=NOW, run_id="r")
    assert (late.steps[0].state, late.steps[0].runs[0].problem) == ("done", None)


def test_an_interrupted_verify_command_is_started_again_and_no_work_is_lost() -> None:
    result = WorkEnd(status="done", answer="x")
    found = step_phases.work_ended(
        at_work(verify=("true",)), "a", RunEnd(run_id="r", state="succeeded"), result, now=NOW
    )
    found = step_phases.phase_begun(found, "a", "verify", "v", now=NOW)
    end = RunEnd(run_id="v", state="interrupted")
    found = step_phases.verify_ended(found, "a", end, problem="It ended.", failure="interrupted", now=NOW)
    assert (found.steps[0].state, found.steps[0].phase, found.steps[0].run_id) == ("running", "verify", None)
    with pytest.raises(Conflict, match="is being checked"):
        transitions.reported(
            step_phases.phase_begun(found, "a", "verify", "w", now=NOW), "a", StepReport(status="done"), now=NOW
        )


@pytest.mark.parametrize(
    ("failure", "retries", "again"),
    [("crashed", 1, True), ("verify", 1, True), ("crashed", 0, False), ("cancelled", 3, False), ("limit", 3, False)],
)
def test_only_failures_where_it_helps_are_repeated(failure: str, retries: int, again: bool) -> None:
    result = WorkEnd(status="failed", reason="It failed.", failure=failure)
    after = step_phases.work_ended(at_work(retries=retries), "a", RunEnd(run_id="r", state="failed"), result, now=NOW)
    assert after.steps[0].state == ("queued" if again else "failed")


@pytest.mark.parametrize(
    ("fields", "report", "phases"),
    [
        ({}, None, ["handoff"]),
        ({}, StepReport(status="done", summary="All."), []),
        ({}, StepReport(status="done"), ["handoff"]),
        ({"verify": ("true",)}, None, ["verify", "handoff"]),
        ({"command": ("true",), "verify": ("true",)}, None, ["verify"]),
    ],
)
def test_phases_of_a_step(fields: dict[str, Any], report: StepReport | None, phases: list[str]) -> None:
    found = at_work(**fields)
    result = WorkEnd(status="done", answer="x", report=report)
    found = step_phases.work_ended(found, "a", RunEnd(run_id="r", state="succeeded"), result, now=NOW)
    seen = []
    while (phase := found.steps[0].phase) is not None:
        seen.append(phase)
        found = step_phases.phase_begun(found, "a", phase, f"{phase}-run", now=NOW)
        end = RunEnd(run_id=f"{phase}-run", state="succeeded")
        if phase == "verify":
            found = step_phases.verify_ended(found, "a", end, problem="", failure="", now=NOW)
        else:
            found = step_phases.handoff_ended(found, "a", end, now=NOW)
    assert (seen, found.steps[0].state) == (phases, "done")


# --- proposals ---------------------------------------------------------------------------------


def proposal(*kinds: Any, step_id: str = "a") -> Proposal:
    made = tuple(kind(title=f"N{number}") for number, kind in enumerate(kinds))
    return Proposal(id="q", step_id=step_id, run_id="r", verdict="NEEDS_REFINEMENT", mutations=made, at=NOW)


def applied(found: Plan, *kinds: Any) -> dict[str, tuple[str, ...]]:
    ids = iter(("n0", "n1", "n2"))
    after = mutations.applied(mutations.proposed(found, proposal(*kinds)), "q", lambda: next(ids), by="Ada")
    return {each.id: each.depends_on for each in after.steps}


def test_inserts_make_a_chain_and_siblings_stand_beside() -> None:
    found = plan(step("z", state="done"), step("a", "z", state="done"), step("b", "a"), step("c", "a", "z"))
    assert applied(found, InsertBetween, InsertBetween) == {
        "z": (),
        "a": ("z",),
        "n0": ("a",),
        "n1": ("n0",),
        "b": ("n1",),
        "c": ("n1", "z"),
    }
    assert applied(found, AddSibling) == {"z": (), "a": ("z",), "n0": ("z",), "b": ("a", "n0"), "c": ("a", "z", "n0")}
    assert applied(found, InsertBetween, AddSibling)["b"] == ("n0", "n1")


@pytest.mark.parametrize("state", ["running", "done", "failed", "blocked", "skipped"])
def test_nothing_is_put_before_a_step_that_has_begun(state: Any) -> None:
    found = plan(step("a", state="done"), step("b", "a", state=state))
    with pytest.raises(Conflict, match="has begun already"):
        applied(found, InsertBetween)


def test_a_proposal_keeps_to_the_limit_of_steps() -> None:
    found = plan(step("a", state="done"), step("b", "a"), max_steps=3)
    assert len(applied(found, InsertBetween)) == 3
    with pytest.raises(Invalid, match="limit of 3 steps"):
        applied(found, InsertBetween, InsertBetween)


# --- blocks and files --------------------------------------------------------------------------


def test_agents_cannot_write_commands() -> None:
    for field in ("command", "verify", "cwd", "runtime"):
        text = f'```plan n\n{{"steps": [{{"title": "x", "{field}": ["rm"]}}]}}\n```'
        with pytest.raises(Invalid, match="unknown field"):
            plan_block(text, nonce="n")
    mutation = '{"kind": "INSERT_BETWEEN", "title": "x", "command": []}'
    text = f'```evaluation n\n{{"verdict": "COMPLETE", "mutations": [{mutation}]}}\n```'
    assert not hasattr(evaluation_block(text, nonce="n").mutations[0], "command")


@given(st.text(), st.sampled_from(["", "```step n\nstatus: done\n", "```plan n\n", "```evaluation n\n{"]))
def test_no_answer_breaks_the_readers(text: str, before: str) -> None:
    answer = before + text
    report, _ = step_block(answer, nonce="n")
    assert report is None or report.status in ("done", "failed", "blocked")
    for read in (plan_block, evaluation_block):
        try:
            read(answer, nonce="n")
        except CabinetError as problem:
            assert problem.message


@pytest.mark.parametrize("text", ["0E0", "1e3", "-2", "0o17", "0x1F", "1.5", ".5", ".inf", "9" * 31, "null", "no", "~"])
def test_a_text_that_looks_like_a_number_is_still_text_in_the_file(text: str) -> None:
    made = graph.with_new_steps(PLAN, [NewStep(title=text, prompt=text, verify=(text,))], lambda: "s1")
    step = plan_of(text_of(made)).steps[0]
    assert (step.title, step.prompt, step.verify) == (text, text, (text,))


def test_the_file_of_a_plan_does_not_depend_on_tasks_that_it_leaves_out() -> None:
    ids = iter(("task", "after"))
    new = [NewStep(key="a", title="A task of the checklist"), NewStep(title="After it", depends_on=("a",))]
    made = graph.with_new_steps(PLAN, new, lambda: next(ids))
    task = msgspec.structs.replace(made.steps[0], task="key of its line")
    made = msgspec.structs.replace(made, steps=(task, *made.steps[1:]))
    assert [(each.title, each.depends_on) for each in plan_of(text_of(made)).steps] == [("After it", ())]


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(str.strip)


@given(st.lists(st.tuples(TEXTS, st.text(max_size=20), st.lists(st.integers(0, 9), max_size=3)), max_size=8))
def test_a_plan_survives_its_file(parts: list[tuple[str, str, list[int]]]) -> None:
    new = [
        NewStep(key=f"k{at}", title=title, prompt=prompt, depends_on=tuple(f"k{n}" for n in needs if n < at))
        for at, (title, prompt, needs) in enumerate(parts)
        if prompt.isprintable()
    ]
    known = {each.key for each in new}
    new = [msgspec.structs.replace(each, depends_on=tuple(k for k in each.depends_on if k in known)) for each in new]
    ids = iter(f"s{number}" for number in range(100))
    made = graph.with_new_steps(PLAN, new, lambda: next(ids))
    read = plan_of(text_of(made))
    assert [(each.title, each.prompt) for each in read.steps] == [(each.title, each.prompt) for each in made.steps]
    places = {each.id: f"s{at}" for at, each in enumerate(made.steps, start=1)}
    assert [each.depends_on for each in read.steps] == [
        tuple(places[id] for id in each.depends_on) for each in made.steps
    ]
