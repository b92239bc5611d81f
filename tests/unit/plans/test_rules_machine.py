"""Random plans, edits, results and faults against the pure rules, beside what must always hold.

The naive part: which steps have run, in which directory one works, and the edges of the graph as plain sets.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import msgspec
from harness.examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jupyter_cabinet.core.errors import Conflict, Invalid
from jupyter_cabinet.plans.model import AddSibling, InsertBetween, NewStep, Plan, Proposal, Step, StepReport
from jupyter_cabinet.plans.rules import graph, mutations, step_phases, transitions
from jupyter_cabinet.plans.rules.rest import resting
from jupyter_cabinet.plans.rules.step_phases import RunEnd, WorkEnd
from jupyter_cabinet.plans.rules.waiting import folder_of, startable, why_waiting

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FOLDERS = st.sampled_from([None, "a", "b/", "."])
PROBLEMS = st.sampled_from(["crashed", "no_result", "cancelled", "timeout", "interrupted"])
MAX_STEPS = 60


def skipped_by_ada(plan: Plan, step_id: str) -> Plan:
    return transitions.skip(plan, step_id, by="Ada")


class PlanMachine(RuleBasedStateMachine):
    """One plan, with everything that people, agents and faults do to it."""

    def __init__(self) -> None:
        super().__init__()
        self._ids = map("s{}".format, itertools.count())
        self._runs = map("run{}".format, itertools.count())
        self.plan = Plan(
            id="p",
            title="P",
            owner="ada",
            owner_name="Ada",
            visibility="server",
            created_at=NOW,
            updated_at=NOW,
            max_steps=MAX_STEPS,
        )

    def make_id(self) -> str:
        return next(self._ids)

    def attempt(self, change, *arguments, **named) -> bool:  # type: ignore[no-untyped-def]
        """Apply a change that a person asks for, as the service does. Return whether it was accepted."""
        before = self.plan
        try:
            self.plan = resting(change(self.plan, *arguments, **named))
        except (Conflict, Invalid) as refused:
            assert refused.message.endswith("."), "a refusal is a sentence"
            assert self.plan == before
            return False
        return True

    def one(self, data: st.DataObject, *states: str) -> str | None:
        found = [step.id for step in self.plan.steps if not states or step.state in states]
        return data.draw(st.sampled_from(found)) if found else None

    # --- people ------------------------------------------------------------------------------

    @rule(data=st.data(), count=st.integers(1, 5), evaluation=st.sampled_from(["off", "propose", "auto"]))
    def add(self, data: st.DataObject, count: int, evaluation: str) -> None:
        if len(self.plan.steps) + count > MAX_STEPS:
            return
        keys = [f"k{number}" for number in range(count)]
        names = [*keys, *(step.id for step in self.plan.steps)]
        new = [
            NewStep(
                key=key,
                title=key,
                cwd=data.draw(FOLDERS),
                depends_on=tuple(data.draw(st.lists(st.sampled_from(names), max_size=3))),
                verify=data.draw(st.sampled_from([(), ("true",)])),
                retries=data.draw(st.integers(0, 2)),
            )
            for key in keys
        ]
        self.plan = msgspec.structs.replace(self.plan, evaluation=evaluation, commit=data.draw(st.booleans()))
        self.attempt(graph.with_new_steps, new, self.make_id)

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if (id := self.one(data)) is not None:
            title = graph.step_of(self.plan, id).title
            losers = [step.id for step in graph.dependents(self.plan, id) if step.state in graph.UNBEGUN]
            if self.attempt(graph.removed, id):
                assert all(title in graph.step_of(self.plan, each).lost for each in losers)

    @rule(data=st.data(), in_order=st.booleans(), count=st.integers(2, 3))
    def split(self, data: st.DataObject, in_order: bool, count: int) -> None:
        if len(self.plan.steps) + count <= MAX_STEPS and (id := self.one(data)) is not None:
            new = [NewStep(title=f"part {number}") for number in range(count)]
            self.attempt(graph.split, id, new, self.make_id, in_order=in_order)

    @rule(data=st.data())
    def connect(self, data: st.DataObject) -> None:
        if (id := self.one(data)) is not None:
            step = graph.step_of(self.plan, id)
            other = data.draw(st.sampled_from([each.id for each in self.plan.steps]))
            self.attempt(graph.edited, id, msgspec.structs.replace(step, depends_on=(*step.depends_on, other)))

    @rule()
    def run_all(self) -> None:
        if self.attempt(transitions.run_all, now=NOW):
            assert self.plan.state == "running"

    @rule(data=st.data(), execution=st.sampled_from(["primary", "continuation"]))
    def run_one(self, data: st.DataObject, execution: str) -> None:
        if (id := self.one(data)) is not None:
            self.attempt(transitions.run_step, id, execution, now=NOW)

    @rule(data=st.data(), what=st.sampled_from([skipped_by_ada, transitions.restore, transitions.unqueue]))
    def set_one(self, data: st.DataObject, what) -> None:  # type: ignore[no-untyped-def]
        if (id := self.one(data)) is not None:
            self.attempt(what, id)

    @rule(runs=st.integers(1, 5))
    def reach_a_limit(self, runs: int) -> None:
        before = msgspec.structs.replace(self.plan, max_runs=runs)
        after = transitions.within_limits(before, None, now=NOW)
        reached = before.begun_runs >= runs and any(step.state == "queued" for step in before.steps)
        assert after.state == ("paused" if before.state == "running" and reached else before.state)
        self.plan = msgspec.structs.replace(after, max_runs=None)

    @rule()
    def pause(self) -> None:
        self.attempt(transitions.pause, by="Ada")

    @rule(data=st.data(), status=st.sampled_from(["done", "failed", "blocked"]), late=st.booleans())
    def report(self, data: st.DataObject, status: str, late: bool) -> None:
        if (id := self.one(data)) is None:
            return
        report = StepReport(status=status, summary="s", blocker="b" if status == "blocked" else "")
        step = graph.step_of(self.plan, id)
        run_id = step.work_run_id if late else None
        if self.attempt(transitions.reported, id, report, now=NOW, run_id=run_id):
            once = self.plan
            if run_id is not None:
                assert transitions.reported(once, id, report, now=NOW, run_id=run_id) == once, "repeated"
                assert transitions.reported(once, id, report, now=NOW, run_id="another") == once

    @rule(data=st.data(), decision=st.sampled_from(["apply", "refuse", "undo"]))
    @precondition(lambda self: self.plan.proposals)
    def decide(self, data: st.DataObject, decision: str) -> None:
        proposal = data.draw(st.sampled_from(self.plan.proposals))
        before = {step.id: step for step in self.plan.steps}
        if decision == "apply" and self.attempt(mutations.applied, proposal.id, self.make_id, by="Ada"):
            for id, step in before.items():
                if graph.step_of(self.plan, id).depends_on != step.depends_on:
                    assert step.state in graph.UNBEGUN
            if data.draw(st.booleans()) and self.attempt(mutations.undone, proposal.id, by="Ada"):
                assert {step.id: step.depends_on for step in self.plan.steps} == {
                    id: step.depends_on for id, step in before.items()
                }
        elif decision == "refuse":
            self.attempt(mutations.refused, proposal.id, reason="Ada")
        elif decision == "undo":
            self.attempt(mutations.undone, proposal.id, by="Ada")

    # --- the server --------------------------------------------------------------------------

    @rule()
    def advance(self) -> None:
        occupied = [folder_of(self.plan, step) for step in self.plan.steps if step.state == "running"]
        states = {step.id: step.state for step in self.plan.steps}
        for step in startable(self.plan, occupied):
            assert all(states[id] in ("done", "skipped") for id in step.depends_on)
            assert folder_of(self.plan, step) not in occupied
            occupied.append(folder_of(self.plan, step))
            self.plan = transitions.begun(self.plan, step.id, next(self._runs), now=NOW)
            try:
                transitions.begun(self.plan, step.id, "twice", now=NOW)
            except Conflict:
                continue
            raise AssertionError("a step began twice")

    @rule(data=st.data(), status=st.sampled_from(["done", "done", "failed", "blocked"]), problem=PROBLEMS)
    def end_work(self, data: st.DataObject, status: str, problem: str) -> None:
        if (step := self.running(data, "work")) is None:
            return
        failure = problem if status == "failed" else ""
        result = WorkEnd(status=status, reason="r", failure=failure, blocker="b" if status == "blocked" else "")
        end = RunEnd(run_id=step.run_id, state="succeeded", cost_usd=0.5)
        self.plan = step_phases.work_ended(self.plan, step.id, end, result, now=NOW)
        assert step_phases.work_ended(self.plan, step.id, end, result, now=NOW) == self.plan, "reported twice"
        after = graph.step_of(self.plan, step.id)
        if status == "failed" and after.state == "queued":
            assert step.attempts <= step.retries and problem not in step_phases.FOR_A_PERSON

    @rule(data=st.data(), phase=st.sampled_from(["verify", "commit", "handoff", "evaluate"]), good=st.booleans())
    def end_phase(self, data: st.DataObject, phase: str, good: bool) -> None:
        found = [s for s in self.plan.steps if s.state == "running" and s.phase == phase and s.run_id is None]
        for step in found:
            self.plan = step_phases.phase_begun(self.plan, step.id, phase, next(self._runs), now=NOW)
        if (step := self.running(data, phase)) is None:
            return
        end = RunEnd(run_id=step.run_id, state="succeeded" if good else "failed")
        if phase == "verify":
            problem = "" if good else "It failed."
            self.plan = step_phases.verify_ended(self.plan, step.id, end, problem=problem, failure="verify", now=NOW)
        elif phase == "commit":
            problem = "" if good else "Refused."
            self.plan = step_phases.commit_ended(self.plan, step.id, end, said="s", problem=problem, now=NOW)
        elif phase == "handoff":
            self.plan = step_phases.handoff_ended(self.plan, step.id, end, now=NOW)
        else:
            if good:
                self.propose(data, step.id)
            self.plan = step_phases.evaluated(self.plan, step.id, end, now=NOW)

    def propose(self, data: st.DataObject, step_id: str) -> None:
        kinds = data.draw(st.lists(st.sampled_from([InsertBetween, AddSibling]), max_size=3))
        proposal = Proposal(
            id=self.make_id(),
            step_id=step_id,
            run_id="r",
            verdict="NEEDS_REFINEMENT",
            mutations=tuple(kind(title="new") for kind in kinds),
            at=NOW,
        )
        self.plan = mutations.proposed(self.plan, proposal)

    @rule(data=st.data())
    def lose_run(self, data: st.DataObject) -> None:
        """The server was killed."""
        found = [s for s in self.plan.steps if s.state == "running" and s.run_id is not None]
        if found:
            step = data.draw(st.sampled_from(found))
            self.plan = step_phases.run_lost(self.plan, step.id, step.run_id, now=NOW)
            assert graph.step_of(self.plan, step.id).failure == "interrupted"

    def running(self, data, phase):  # type: ignore[no-untyped-def]
        found = [s for s in self.plan.steps if s.state == "running" and s.phase == phase and s.run_id is not None]
        return data.draw(st.sampled_from(found)) if found else None

    # --- what always holds -------------------------------------------------------------------

    @invariant()
    def no_cycle_and_no_unknown_dependency(self) -> None:
        edges = {step.id: set(step.depends_on) for step in self.plan.steps}
        assert all(ids <= edges.keys() for ids in edges.values())
        left = dict(edges)
        while free := [id for id, needs in left.items() if not needs & left.keys()]:
            for id in free:
                del left[id]
        assert not left, "a cycle"

    @invariant()
    def one_step_in_a_directory(self) -> None:
        folders = [folder_of(self.plan, step) for step in self.plan.steps if step.state == "running"]
        assert len(folders) == len(set(folders))

    @invariant()
    def phases_belong_to_running_steps(self) -> None:
        assert all((step.phase is not None) == (step.state == "running") for step in self.plan.steps)
        assert all(step.run_id is None for step in self.plan.steps if step.state != "running")

    @invariant()
    def a_plan_at_rest_says_why_and_one_at_work_can_go_on(self) -> None:
        plan = self.plan
        stuck = {step.state for step in plan.steps} & {"failed", "blocked"}
        if plan.state in ("paused", "failed", "blocked"):
            assert plan.reason.endswith("."), plan.reason
        if plan.state in ("failed", "blocked") and not any(step.state == "running" for step in plan.steps):
            assert plan.state == ("failed" if "failed" in stuck else "blocked") and plan.state in stuck
        if plan.state == "done":
            assert all(step.state in ("done", "skipped") for step in plan.steps)
        if plan.state == "running" and not any(step.state == "running" for step in plan.steps):
            decisions = any(each.state == "open" for each in plan.proposals)
            assert startable(plan, ()) or decisions, "it rests without a reason"

    @invariant()
    def every_queued_step_says_why_it_waits(self) -> None:
        for step in self.plan.steps:
            if step.state == "queued":
                assert why_waiting(self.plan, step, {each.id: each for each in self.plan.steps}, {}).endswith(".")

    def teardown(self) -> None:
        """Everything comes to rest if it only goes well from now on."""
        if not self.plan.steps:
            return
        for _ in range(20 * MAX_STEPS):
            self._decide_and_begin()
            self.advance()
            working = [step for step in self.plan.steps if step.state == "running"]
            if not working:
                break
            for step in working:
                self._succeed(step)
        assert self.plan.state != "running", why_not(self.plan)

    def _decide_and_begin(self) -> None:
        for proposal in [each for each in self.plan.proposals if each.state == "open"]:
            self.plan = mutations.refused(self.plan, proposal.id, reason="Ada")
        for step in self.plan.steps:
            if step.state == "running" and step.run_id is None and step.phase is not None:
                self.plan = step_phases.phase_begun(self.plan, step.id, step.phase, next(self._runs), now=NOW)

    def _succeed(self, step: Step) -> None:
        end = RunEnd(run_id=step.run_id or "", state="succeeded")
        if step.phase == "work":
            self.plan = step_phases.work_ended(self.plan, step.id, end, WorkEnd(status="done"), now=NOW)
        elif step.phase == "verify":
            self.plan = step_phases.verify_ended(self.plan, step.id, end, problem="", failure="", now=NOW)
        elif step.phase == "commit":
            self.plan = step_phases.commit_ended(self.plan, step.id, end, said="", problem="", now=NOW)
        elif step.phase == "handoff":
            self.plan = step_phases.handoff_ended(self.plan, step.id, end, now=NOW)
        else:
            self.plan = step_phases.evaluated(self.plan, step.id, end, now=NOW)


def why_not(plan: Plan) -> list[tuple[str, str]]:
    return [(step.id, step.state) for step in plan.steps]


TestPlanMachine = PlanMachine.TestCase
TestPlanMachine.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)
