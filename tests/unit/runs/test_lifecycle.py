"""The life of a run: whatever happens, in whatever order, it ends once, with a reason, and its record follows."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from harness.examples import examples
from harness.values import NOW, example_run
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_cabinet.runs.model import (
    Run,
    RunFinished,
    RunResumed,
    RunStarted,
    RunState,
    RunUpdated,
    RunWaiting,
)
from jupyter_cabinet.runs.rules import lifecycle
from jupyter_cabinet.runs.rules.lifecycle import ALLOWED, FINAL, Life, Question, RunTransition, is_final
from jupyter_cabinet.runtimes.model import Failure, FailureKind, Outcome

STATES: list[RunState] = list(get_args(RunState))
TIMEOUT = Failure(kind="timeout", message="It worked for 30 min and was stopped.")
CRASH = Outcome(failure=Failure(kind="crashed", message="It crashed."))
DONE = Outcome(text="done")
LIMITS = st.sampled_from(["timeout", "stalled", "output_limit", "model_unavailable"]).map(
    lambda kind: Failure(kind=kind, message=f"{kind}.")
)
OUTCOMES = st.one_of(
    st.just(DONE),
    st.sampled_from(get_args(FailureKind)).map(lambda kind: Outcome(failure=Failure(kind=kind, message=f"{kind}."))),
)
IDS = st.sampled_from(["a", "b", "c"])


def working(**changes: object) -> Life:
    return msgspec.structs.replace(Life(state="running", recorded=True, claimed=True), **changes)


def test_the_table_knows_every_state() -> None:
    assert set(ALLOWED) == set(STATES)
    assert {"succeeded", "failed", "timed_out", "cancelled", "interrupted", "skipped"} == FINAL


class Lives(RuleBasedStateMachine):
    """One run, with everything that can happen to it; beside it a process that works on it, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.life = Life()
        self.run: Run = example_run()
        self.ends = 0
        self.stops = 0
        self.asked: dict[str, str] = {}

    def take(self, step: RunTransition) -> None:
        before, self.life = self.life, step.life
        after = lifecycle.on_record(self.run, self.life, now=NOW, worked_seconds=1.0)
        if before.over:
            assert self.life.state == before.state
            assert not step.end_now
        if after.state != self.run.state:
            assert after.state in ALLOWED[self.run.state]
        self.ends += is_final(after) and not is_final(self.run)
        self.stops += step.stop
        if step.stop or step.end_now or step.interrupt:
            assert self.life.stopping
        if not is_final(self.run):
            self.run = after

    @initialize(recorded=st.booleans())
    def submit(self, recorded: bool) -> None:
        if recorded:
            self.take(lifecycle.recorded(self.life))

    @rule()
    def claim(self) -> None:
        self.take(lifecycle.claimed(self.life))

    @precondition(lambda self: self.life.claimed)
    @rule()
    def start(self) -> None:
        self.take(lifecycle.starting(self.life))

    @precondition(lambda self: self.life.state != "queued")
    @rule()
    def begin(self) -> None:
        self.take(lifecycle.begun(self.life))

    @rule(id=IDS, reason=st.sampled_from(["May I?", "And this?"]))
    def ask(self, id: str, reason: str) -> None:
        self.take(lifecycle.asked(self.life, Question(id, reason)))

    @rule(id=IDS)
    def answer(self, id: str) -> None:
        self.take(lifecycle.answered(self.life, id))
        assert all(each.id != id for each in self.life.questions)

    @rule(reason=st.sampled_from(["Paused by Ben.", "Something is written in its input box."]))
    def hold(self, reason: str) -> None:
        self.take(lifecycle.held(self.life, reason))

    @rule(question=st.sampled_from([None, "", "It shows a menu."]))
    def release(self, question: str | None) -> None:
        self.take(lifecycle.released(self.life, question))
        assert self.life.over or not self.life.held

    @rule(by=st.sampled_from(["Ada", "Ben"]))
    def cancel(self, by: str) -> None:
        step = lifecycle.cancelled(self.life, by)
        assert step.stop + step.end_now == (0 if self.life.over else 1)
        self.take(step)

    @rule(by=st.sampled_from(["Ada", "Ben"]))
    def interrupt(self, by: str) -> None:
        step = lifecycle.interrupted(self.life, by)
        assert not step.stop and step.interrupt + step.end_now == (0 if self.life.over else 1)
        self.take(step)

    @rule(note=st.sampled_from(["It could not be interrupted.", "It was closed."]))
    def fail_to_interrupt(self, note: str) -> None:
        asked = self.life.cancelled_by is not None and not self.life.over
        step = lifecycle.not_interrupted(self.life, note)
        assert step.stop == asked
        self.take(step)

    @rule(failure=LIMITS)
    def pass_limit(self, failure: Failure) -> None:
        self.take(lifecycle.limit_passed(self.life, failure))

    @rule()
    def shut_down(self) -> None:
        was_queued = not self.life.claimed
        self.take(lifecycle.shut_down(self.life))
        assert not (was_queued and self.life.shutting_down)

    @rule()
    def lose_lease(self) -> None:
        self.take(lifecycle.lost(self.life))

    @precondition(lambda self: self.life.claimed)
    @rule(outcome=st.one_of(st.none(), OUTCOMES))
    def end(self, outcome: Outcome | None) -> None:
        self.take(lifecycle.ended(self.life, outcome))
        assert self.life.over, "there is no work that does not end"

    @precondition(lambda self: self.life.claimed and not self.life.over)
    @rule()
    def try_again(self) -> None:
        stopped = self.life.cancelled_by is not None or self.life.shutting_down
        self.take(lifecycle.tried_again(self.life, "It crashed."))
        assert (self.life.state == "queued") != (stopped and self.run.state != "queued")
        if self.life.state == "queued":
            self.take(lifecycle.released_to_queue(self.life))
            assert self.life.claimed == self.life.stopping

    @precondition(lambda self: self.life.state == "starting" and not self.life.stopping)
    @rule()
    def put_back(self) -> None:
        self.take(lifecycle.put_back(self.life))
        assert (self.life.state, self.life.claimed) == ("queued", False)

    @precondition(lambda self: self.life.claimed)
    @rule()
    def skip(self) -> None:
        self.take(lifecycle.skipped(self.life, "Its budget is used up."))

    @rule()
    def server_dies(self) -> None:
        """What is queued stays so; what worked is interrupted by the next server, which knows the record alone."""
        if is_final(self.run) or self.run.state == "queued":
            return
        step = lifecycle.died(lifecycle.of_record(self.run))
        assert (step.life.state, step.life.reason) == ("interrupted", lifecycle.SERVER_DIED)

    @invariant()
    def it_ends_at_most_once_and_says_why(self) -> None:
        assert self.ends <= 1
        if is_final(self.run):
            assert self.run.reason
            assert self.run.finished_at == NOW
            assert self.run.position is None

    @invariant()
    def it_waits_exactly_while_something_holds_it(self) -> None:
        if self.life.state == "running" and not self.life.over:
            assert not self.life.held
            assert not self.life.questions

    @invariant()
    def its_record_says_what_its_life_says(self) -> None:
        if not self.life.lost:
            assert (self.run.state, self.run.reason) == (self.life.state, self.life.reason)


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=examples(40), stateful_step_count=30, deadline=None)


@pytest.mark.parametrize(
    ("life", "outcome", "state", "reason"),
    [
        (working(cancelled_by="Ada"), CRASH, "cancelled", "Cancelled by Ada."),
        (working(limit=TIMEOUT), CRASH, "timed_out", "It worked for 30 min and was stopped."),
        (working(shutting_down=True), CRASH, "interrupted", "The server was stopped while this run was working."),
        (working(), CRASH, "failed", "It crashed."),
        (working(), None, "failed", "It ended for an unknown reason."),
        (working(cancelled_by="Ada", note="It was closed."), CRASH, "cancelled", "Cancelled by Ada. It was closed."),
        (working(cancelled_by="Ada"), DONE, "succeeded", "Finished."),
        (working(cancelled_by="Ada", limit=TIMEOUT, shutting_down=True), None, "cancelled", "Cancelled by Ada."),
    ],
)
def test_why_a_run_ended_counts_in_order(life: Life, outcome: Outcome | None, state: str, reason: str) -> None:
    after = lifecycle.ended(life, outcome).life
    assert (after.state, after.reason) == (state, reason)


def test_the_cli_itself_knows_best_why_its_service_did_not_answer() -> None:
    gave_up = working(limit=Failure(kind="model_unavailable", message="12 times in a row."))
    named = Outcome(failure=Failure(kind="rate_limited", message="The limit is reached."))
    stopped = Outcome(failure=Failure(kind="cancelled", message="It was stopped."))
    assert lifecycle.ended(gave_up, named).life.reason == "The limit is reached."
    assert lifecycle.ended(gave_up, stopped).life.reason == "12 times in a row."


def test_only_what_is_being_started_is_put_back() -> None:
    assert lifecycle.put_back(working()) == RunTransition(life=working())


def test_another_attempt_begins_without_what_the_one_before_has_left() -> None:
    failed = working(state="waiting", questions=(Question("1", "May I?"),), held="Paused.", limit=TIMEOUT)
    life = lifecycle.tried_again(failed, "It worked for 30 min and was stopped.").life
    assert life == Life(recorded=True, claimed=True, reason="It worked for 30 min and was stopped.")
    assert lifecycle.released_to_queue(life).life.claimed is False
    cancelled = lifecycle.cancelled(life, "Ada").life
    assert lifecycle.released_to_queue(cancelled).life.claimed is True


def test_what_holds_it_is_said_before_what_it_asks_and_the_newest_question_before_an_older_one() -> None:
    life = lifecycle.asked(working(), Question("1", "May I?")).life
    life = lifecycle.asked(life, Question("2", "And this?")).life
    assert (life.state, life.reason) == ("waiting", "And this?")
    life = lifecycle.held(life, "Paused by Ben.").life
    assert life.reason == "Paused by Ben."
    life = lifecycle.answered(life, "2").life
    assert (life.state, life.reason) == ("waiting", "Paused by Ben.")
    life = lifecycle.released(life).life
    assert (life.state, life.reason) == ("waiting", "May I?")
    life = lifecycle.answered(life, "1").life
    assert (life.state, life.reason) == ("running", "")


def test_a_question_that_only_its_terminal_shows_holds_it_when_it_is_released() -> None:
    life = lifecycle.released(working(state="waiting", held="Paused by Ben."), "It shows a menu.").life
    assert (life.state, life.reason) == ("waiting", "It shows a menu.")
    assert lifecycle.released(life).life.state == "running"


def test_a_queued_run_that_is_cancelled_ends_without_work_and_is_not_started_meanwhile() -> None:
    step = lifecycle.cancelled(Life(recorded=True), "Ada")
    assert (step.end_now, step.stop, step.life.claimed) == (True, False, True)
    assert lifecycle.ended(step.life, None).life.state == "cancelled"


@pytest.mark.parametrize(
    ("before", "after", "event"),
    [
        ("starting", "running", RunStarted),
        ("running", "waiting", RunWaiting),
        ("waiting", "waiting", RunUpdated),
        ("waiting", "running", RunResumed),
        ("running", "running", RunUpdated),
        ("running", "failed", RunFinished),
        ("queued", "cancelled", RunFinished),
        ("queued", "starting", RunUpdated),
    ],
)
def test_every_change_of_a_record_has_its_event(before: RunState, after: RunState, event: type) -> None:
    assert type(lifecycle.event_of(example_run(state=before), example_run(state=after))) is event


@pytest.mark.parametrize("life", [Life(), working(state="succeeded")])
def test_a_run_that_is_queued_or_over_passes_no_limit(life: Life) -> None:
    assert lifecycle.limit_passed(life, Failure(kind="timeout", message="Too long.")) == RunTransition(life=life)


def test_a_run_that_passes_a_limit_is_stopped_and_keeps_which() -> None:
    failure = Failure(kind="timeout", message="Too long.")
    assert lifecycle.limit_passed(working(), failure) == RunTransition(life=working(limit=failure), stop=True)


def test_an_interruption_leaves_the_cli_open_until_it_is_known_to_have_failed() -> None:
    step = lifecycle.interrupted(working(), "Ada")
    assert (step.interrupt, step.stop, step.end_now) == (True, False, False)
    failed = lifecycle.not_interrupted(step.life, "It was closed.")
    assert failed.stop and lifecycle.ended(failed.life, CRASH).life.reason == "Cancelled by Ada. It was closed."
    assert lifecycle.ended(lifecycle.not_interrupted(working(), "Unasked.").life, CRASH).life.reason == "It crashed."


def test_the_first_note_of_a_cancelled_run_stays() -> None:
    life = lifecycle.cancelled(working(), "Ada", note="The session was ended.").life
    again = lifecycle.cancelled(life, "Ben", note="Something else.").life
    assert lifecycle.ended(again, CRASH).life.reason == "Cancelled by Ben. The session was ended."
