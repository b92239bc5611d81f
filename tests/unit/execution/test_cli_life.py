"""The life of an open CLI: whatever happens, in whatever order, each order gets one outcome, and people may type when
the terminal says so."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from harness.examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_cabinet.execution.interactive import cli_life
from jupyter_cabinet.execution.interactive.cli_life import (
    ALLOWED,
    UNSENT,
    WITHDRAWN,
    CliLife,
    CliState,
    CliTransition,
    Shown,
)
from jupyter_cabinet.runtimes.model import AnswerFinished, AnyAgentEvent, Failure, Outcome, PromptSubmitted
from jupyter_cabinet.runtimes.model import SessionStarted as Started
from jupyter_cabinet.runtimes.port import InputState

DONE = Outcome(text="done")
CRASHED = Outcome(failure=Failure(kind="crashed", message="It crashed."))
OUTCOMES = st.sampled_from([DONE, CRASHED])
EVENTS: list[AnyAgentEvent] = [Started(native_id="x"), PromptSubmitted(text="x"), AnswerFinished()]
WORKING = CliLife(state="working", in_turn=True)
INTERRUPTING = CliLife(state="interrupting", in_turn=True)


def test_the_table_knows_every_state() -> None:
    assert set(ALLOWED) == set(get_args(CliState))


class Lives(RuleBasedStateMachine):
    """One CLI with everything that can happen to it, and the order that waits for its answer."""

    def __init__(self) -> None:
        super().__init__()
        self.life = CliLife()
        self.shown = Shown("waiting")
        self.waits = False  # an order does
        self.turns = 0

    def take(self, step: CliTransition) -> None:
        before, self.life = self.life, step.life
        assert self.life.state == before.state or self.life.state in ALLOWED[before.state]
        self.turns += step.begins_turn
        if step.begins_turn:
            assert self.life.in_turn
        if step.shown is not None:
            self.shown = step.shown
        if step.outcome is not None:
            assert self.waits, "an outcome for nobody"
            self.waits = False

    @initialize(opens_only=st.booleans())
    def open(self, opens_only: bool) -> None:
        self.life = CliLife(opens_only=opens_only)

    @precondition(lambda self: self.life.state == "free")
    @rule(types=st.booleans())
    def order(self, types: bool) -> None:
        self.take(cli_life.expected(self.life))
        self.waits = True
        self.take(cli_life.instructed(self.life) if types else cli_life.went(self.life))
        assert self.shown == Shown("running")

    @rule(reason=st.sampled_from(["", "It shows a menu."]))
    def hold_up(self, reason: str) -> None:
        self.take(cli_life.held_up(self.life, reason))

    @rule(events=st.lists(st.sampled_from(EVENTS), max_size=2))
    def hear(self, events: list[AnyAgentEvent]) -> None:
        self.take(cli_life.came(self.life, events))
        assert not (events and self.life.unheard)
        if cli_life.has_ended_turn(self.life, events):
            opened = any(isinstance(event, Started) for event in events)
            interrupting = self.life.state == "interrupting"
            self.take(cli_life.turn_ended(self.life, DONE if self.life.at_work else None, opened=opened))
            assert self.waits == interrupting

    @rule()
    def submit(self) -> None:
        self.take(cli_life.prompt_submitted(self.life))
        assert self.life.submitted

    @rule(question=st.sampled_from(["May I?", ""]))
    def ask(self, question: str) -> None:
        self.take(cli_life.asks(self.life, question))

    @rule(following=st.sampled_from([None, "And this?"]))
    def answer(self, following: str | None) -> None:
        self.take(cli_life.answered(self.life, following))
        assert self.shown == (Shown("running") if following is None else Shown("waiting", following))

    @rule()
    def enter(self) -> None:
        self.take(cli_life.entered(self.life))
        assert self.life.entered and self.shown == Shown("running")

    @rule(seconds=st.sampled_from([0.3, 1.0, 5.0]), shows=st.sampled_from(get_args(InputState)))
    def rest(self, seconds: float, shows: InputState) -> None:
        was_entered = self.life.entered
        self.take(cli_life.rested(self.life, seconds, shows, "May I?"))
        if was_entered and shows != "busy" and seconds >= 1.0:
            assert self.shown == Shown("waiting", "May I?")

    @rule()
    def begin_interrupting(self) -> None:
        self.take(cli_life.interrupting(self.life))

    @rule()
    def fail_to_interrupt(self) -> None:
        waited = self.waits
        self.take(cli_life.not_interrupted(self.life))
        assert self.waits == waited

    @rule(asked=st.booleans())
    def interrupt(self, asked: bool) -> None:
        was = self.life.state
        self.take(cli_life.interrupted(self.life, asked=asked))
        assert was != "interrupting" or (self.shown == Shown("waiting") and not self.waits)

    @rule(reason=st.sampled_from(["Paused by Ben.", "Paused by Ada."]))
    def pause(self, reason: str) -> None:
        self.take(cli_life.paused(self.life, reason))

    @rule()
    def resume(self) -> None:
        self.take(cli_life.resumed(self.life))
        assert not self.life.held

    @rule()
    def close(self) -> None:
        first = self.life.closing_reason
        self.take(cli_life.closing(self.life, "It was opened again."))
        assert self.life.closing_reason == (first or "It was opened again.")

    @rule()
    def give_up(self) -> None:
        self.take(cli_life.given_up(self.life))
        self.waits = False

    @rule(outcome=OUTCOMES, code=st.sampled_from([0, 1, None]), closed=st.sampled_from(["", "Ben closed it."]))
    def exit(self, outcome: Outcome, code: int | None, closed: str) -> None:
        self.take(cli_life.exited(self.life, outcome, code=code, terminal_closed=closed))
        assert self.life.state == "ended" and not self.waits

    @invariant()
    def an_order_waits_exactly_while_it_is_at_work(self) -> None:
        assert self.life.at_work == self.waits

    @invariant()
    def what_was_cut_short_belongs_to_an_order_that_waits(self) -> None:
        assert self.life.cut_short is None or self.waits

    @invariant()
    def an_enter_of_which_nothing_came_shows_it_running(self) -> None:
        assert not self.life.entered or self.shown.state == "running"


Lives.TestCase.settings = settings(max_examples=examples(200), stateful_step_count=40)
TestLives = Lives.TestCase


# --- examples --------------------------------------------------------------------------------


def test_an_answer_ends_the_order_and_people_may_type() -> None:
    step = cli_life.turn_ended(WORKING, DONE)
    assert (step.life.state, step.life.in_turn, step.shown, step.outcome) == ("free", False, Shown("waiting"), DONE)


def test_a_turn_that_is_being_interrupted_is_over_when_the_input_box_is_back() -> None:
    step = cli_life.turn_ended(INTERRUPTING, DONE)
    assert (step.life.state, step.outcome) == ("interrupting", None)
    assert cli_life.interrupted(step.life, asked=False).outcome == DONE


def test_an_interruption_before_the_instruction_was_sent_says_so() -> None:
    assert cli_life.interrupted(INTERRUPTING, asked=False).outcome == UNSENT


def test_what_went_on_after_its_question_was_withdrawn_is_no_success() -> None:
    cut_short = cli_life.turn_ended(INTERRUPTING, DONE).life
    outcome = cli_life.interrupted(cut_short, asked=True).outcome
    assert outcome is not None and (outcome.text, outcome.failure) == ("done", WITHDRAWN)


def test_the_answer_counts_where_the_cli_ends_while_it_is_interrupted() -> None:
    cut_short = cli_life.turn_ended(INTERRUPTING, DONE).life
    assert cli_life.exited(cut_short, CRASHED, code=1, terminal_closed="").outcome == DONE


@pytest.mark.parametrize(
    ("code", "closing", "unheard", "left"),
    [(0, "", True, True), (1, "", True, False), (0, "It was closed.", True, False), (0, "", False, False)],
)
def test_a_cli_leaves_unheard_only_of_its_own_accord(code: int, closing: str, unheard: bool, left: bool) -> None:
    life = msgspec.structs.replace(WORKING, unheard=unheard, closing_reason=closing)
    assert cli_life.exited(life, CRASHED, code=code, terminal_closed="").life.left_unheard == left


def test_a_closed_terminal_is_why_a_cli_failed_but_takes_no_success_away() -> None:
    failed = cli_life.exited(WORKING, CRASHED, code=None, terminal_closed="Ben closed it.")
    assert failed.outcome is not None and failed.outcome.failure is not None
    assert failed.outcome.failure.message == "Its terminal was closed. Ben closed it."
    assert failed.life.closing_reason == "Ben closed it."
    assert cli_life.exited(WORKING, DONE, code=0, terminal_closed="Ben closed it.").outcome == DONE


def test_without_a_first_instruction_the_session_itself_is_the_answer_once() -> None:
    opening = CliLife(state="working", opens_only=True)
    assert cli_life.has_ended_turn(opening, [EVENTS[0]])
    step = cli_life.turn_ended(opening, DONE, opened=True)
    assert step.outcome == DONE and not cli_life.has_ended_turn(step.life, [EVENTS[0]])


def test_a_person_who_types_while_nothing_waits_begins_a_turn() -> None:
    assert cli_life.entered(CliLife()).begins_turn
    assert not cli_life.entered(WORKING).begins_turn
