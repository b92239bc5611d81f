"""The lifecycle of an open CLI: its states, the possible inputs, and their effects. All transitions are here. Pure.

Each function takes a life and an input, and returns a `CliTransition`: the next life and the steps to do. `open_cli.py`
calls them and does the steps. Inputs come in any order, because hooks, the screen, the transcript and people are
independent. An input that is impossible in a state changes nothing.

    free ⇄ working ⇄ interrupting
      └───────┴──────────┴──→ ended

An order ends in one way, `_order_ended`, and for one of three reasons: its turn has ended, its turn was interrupted, or
the CLI is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from ...runtimes.model import AnswerFinished, AnyAgentEvent, Failure, Outcome, PromptSubmitted, SessionStarted
from ...runtimes.port import InputState

CliState = Literal["free", "working", "interrupting", "ended"]

ALLOWED: dict[CliState, frozenset[CliState]] = {
    "free": frozenset({"working", "ended"}),
    "working": frozenset({"free", "interrupting", "ended"}),
    "interrupting": frozenset({"free", "working", "ended"}),
    "ended": frozenset(),
}
ENTERED_SECONDS = 1.0  # a CLI that does not react to a person's Enter within this time is considered idle
UNSENT = Outcome(failure=Failure(kind="cancelled", message="It was stopped before its instruction was sent."))
WITHDRAWN = Failure(kind="cancelled", message="It was stopped while it asked a question.")
TERMINAL_CLOSED = "Its terminal was closed. {}"


class Shown(NamedTuple):
    """The agent state that the terminal shows: "running" blocks typing; "waiting" allows it, because of `reason`."""

    state: Literal["running", "waiting"]
    reason: str = ""


class CliLife(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an open CLI, as far as it is known."""

    state: CliState = "free"  # working: an order waits for its answer
    opens_only: bool = False  # there is no first instruction: the first order is answered when the session has started
    closing_reason: str = ""  # why it is being closed, or was closed
    held: str = ""  # who has paused it, as a sentence
    entered: bool = False  # a person has pressed Enter, and there is no reaction yet
    submitted: bool = False  # the CLI has reported that it received the last instruction
    unheard: bool = False  # the CLI has reported nothing since the instruction was typed
    left_unheard: bool = False  # the CLI ended by itself before it had read the instruction
    in_turn: bool = False  # processes that the CLI starts now belong to a turn
    cut_short: Outcome | None = None  # the outcome of the turn that is being interrupted, once that turn has ended

    @property
    def at_work(self) -> bool:
        """Return whether an order waits for its answer."""
        return self.state in ("working", "interrupting")


class CliTransition(msgspec.Struct, frozen=True, kw_only=True):
    """The life after an input, and the steps to do, in this order."""

    life: CliLife
    begins_turn: bool = False  # processes that start from now on belong to a turn
    shown: Shown | None = None
    outcome: Outcome | None = None  # the outcome of the order that has ended


# --- orders ----------------------------------------------------------------------------------


def expected(life: CliLife) -> CliTransition:
    """Return the life after a new order was assigned: everything that happens from now on belongs to it."""
    return CliTransition(life=_moved(life, "working"))


def given_up(life: CliLife) -> CliTransition:
    """Return the life after the answer to the current order is no longer wanted: the CLI is free. No outcome is set."""
    return CliTransition(life=_changed(_moved(life, "free"), cut_short=None))


def went(life: CliLife) -> CliTransition:
    """Return the life after the process of the CLI was released. The terminal shows that it runs, if an order waits."""
    return _showing(life, Shown("running")) if life.at_work else CliTransition(life=life)


def instructed(life: CliLife) -> CliTransition:
    """Return the life of a CLI into which an instruction is about to be typed: a turn begins."""
    step = _turn_begun(_changed(life, unheard=True, submitted=False))
    return _also(step, _showing(step.life, Shown("running")))


def held_up(life: CliLife, reason: str) -> CliTransition:
    """Return what to show while the instruction cannot be typed; an empty reason means that it can."""
    return _showing(life, Shown("waiting", reason) if reason else Shown("running"))


def interrupting(life: CliLife) -> CliTransition:
    """Return the life of a CLI whose turn is being interrupted. Nobody may type meanwhile.

    Unchanged unless it is `working`.
    """
    if life.state != "working":
        return CliTransition(life=life)
    return _showing(_moved(life, "interrupting"), Shown("running"))


def not_interrupted(life: CliLife) -> CliTransition:
    """Return the life after an interruption has failed: it is `working` again. Unchanged unless it was `interrupting`.

    The turn did not end, or some of its processes are still running.
    """
    return CliTransition(life=_moved(life, "working")) if life.state == "interrupting" else CliTransition(life=life)


def interrupted(life: CliLife, *, asked: bool) -> CliTransition:
    """Return the life and the outcome after the turn was interrupted, and its processes have ended.

    `asked`: the CLI showed a question at that time. Unchanged unless it was `interrupting`.
    """
    if life.state != "interrupting":
        return CliTransition(life=life)
    outcome = life.cut_short or UNSENT
    if asked and outcome.failure is None:  # pi treats an unanswered question as a denial, and continues
        outcome = msgspec.structs.replace(outcome, failure=WITHDRAWN)
    return _order_ended(life, "free", outcome)


# --- what comes in ---------------------------------------------------------------------------


def came(life: CliLife, events: Sequence[AnyAgentEvent]) -> CliTransition:
    """Return the life after the runtime has read new input, which may contain no events. It may begin a turn."""
    after = _changed(life, unheard=life.unheard and not events)
    # Once there is a session, the CLI itself has started: it started the processes that it needs before.
    begins = not after.in_turn and any(isinstance(event, SessionStarted | PromptSubmitted) for event in events)
    return _turn_begun(after) if begins else CliTransition(life=after)


def has_ended_turn(life: CliLife, events: Sequence[AnyAgentEvent]) -> bool:
    """Return whether the CLI waits for the next instruction after these events."""
    opened = life.opens_only and any(isinstance(event, SessionStarted) for event in events)
    return opened or any(isinstance(event, AnswerFinished) for event in events)


def prompt_submitted(life: CliLife) -> CliTransition:
    """Return the life after the CLI has received an instruction.

    It is the one typed by Cabinet or, if no order waits, one from a person.
    """
    after = _changed(life, submitted=True)
    return CliTransition(life=after) if life.at_work else _showing(after, Shown("running"))


def asks(life: CliLife, question: str) -> CliTransition:
    """Return what to show when the CLI shows a question in its terminal: people may type."""
    return _showing(life, Shown("waiting", question))


def answered(life: CliLife, next_question: str | None) -> CliTransition:
    """Return what to show after a question was answered.

    The CLI continues to work, or waits for the answer to `next_question`.
    """
    return _showing(life, Shown("running") if next_question is None else Shown("waiting", next_question))


def turn_ended(life: CliLife, outcome: Outcome | None, *, opened: bool = False) -> CliTransition:
    """Return the life of a CLI that waits for the next instruction, and the outcome of its order, if that has ended.

    An interrupted turn is over only when its empty input box is back: see `interrupted`. `outcome`: None if no order
    waits for one. `opened`: the session has started.
    """
    after = _changed(life, opens_only=life.opens_only and not opened)
    if life.state == "interrupting":
        return CliTransition(life=_changed(after, cut_short=outcome))
    if life.state == "working" and outcome is not None:
        return _order_ended(after, "free", outcome)
    return _showing(_changed(after, in_turn=False), Shown("waiting"))


def entered(life: CliLife) -> CliTransition:
    """Return the life after a person has pressed Enter.

    Keys that follow at once must not reach what the CLI shows next.
    """
    step = CliTransition(life=life) if life.at_work else _turn_begun(life)
    step = _also(step, _showing(step.life, Shown("running")))
    return msgspec.structs.replace(step, life=_changed(step.life, entered=True))


def rested(life: CliLife, seconds: float, shows: InputState, question: str) -> CliTransition:
    """Return what to show if the screen has been still for `seconds` since a person has pressed Enter.

    Unchanged if no Enter waits for a reaction.
    """
    came_to_rest = shows == "other" or (shows != "busy" and seconds >= ENTERED_SECONDS)
    return _showing(life, Shown("waiting", question)) if life.entered and came_to_rest else CliTransition(life=life)


# --- pauses and the end ----------------------------------------------------------------------


def paused(life: CliLife, reason: str) -> CliTransition:
    """Return the life after a person has paused all processes of the CLI. `reason`: who, as a sentence."""
    return CliTransition(life=_changed(life, held=reason))


def resumed(life: CliLife) -> CliTransition:
    """Return the life of a CLI that is no longer paused."""
    return CliTransition(life=_changed(life, held=""))


def closing(life: CliLife, reason: str) -> CliTransition:
    """Return the life of a CLI that is being closed. Only the first reason is kept. Its state changes with `exited`."""
    return CliTransition(life=_changed(life, closing_reason=life.closing_reason or reason))


def exited(life: CliLife, outcome: Outcome, *, code: int | None, terminal_closed: str) -> CliTransition:
    """Return the life after the process of the CLI is gone, and the outcome of its order, if one waited.

    `outcome`: the end as the runtime reads it. `terminal_closed`: why the terminal was closed; empty: it is open.
    """
    left_unheard = life.unheard and code == 0 and not life.closing_reason
    if outcome.failure is not None and not life.closing_reason and terminal_closed:
        failure = Failure(kind="cancelled", message=TERMINAL_CLOSED.format(terminal_closed))
        outcome = msgspec.structs.replace(outcome, failure=failure)
        life = _changed(life, closing_reason=terminal_closed)
    return _order_ended(_changed(life, left_unheard=left_unheard), "ended", life.cut_short or outcome)


# --- steps -----------------------------------------------------------------------------------


def _order_ended(life: CliLife, state: Literal["free", "ended"], outcome: Outcome) -> CliTransition:
    """End the current order. If there is none, only change the state. Every order ends here."""
    after = _changed(_moved(life, state), in_turn=False, cut_short=None)
    step = CliTransition(life=after) if state == "ended" else _showing(after, Shown("waiting"))
    return msgspec.structs.replace(step, outcome=outcome if life.at_work else None)


def _turn_begun(life: CliLife) -> CliTransition:
    return CliTransition(life=_changed(life, in_turn=True), begins_turn=True)


def _showing(life: CliLife, shown: Shown) -> CliTransition:
    """Set the state that the terminal shows. Every new state counts as the reaction to a person's Enter."""
    return CliTransition(life=_changed(life, entered=False), shown=shown)


def _also(before: CliTransition, after: CliTransition) -> CliTransition:
    return msgspec.structs.replace(after, begins_turn=before.begins_turn or after.begins_turn)


def _changed(life: CliLife, **changes: Any) -> CliLife:
    return msgspec.structs.replace(life, **changes)


def _moved(life: CliLife, state: CliState) -> CliLife:
    return _changed(life, state=state) if state in ALLOWED[life.state] else life
