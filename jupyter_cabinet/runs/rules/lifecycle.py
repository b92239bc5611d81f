"""The lifecycle of a run: its states, the events in each, and their consequences. All transitions are here. Pure.

Each function takes a life and returns a `RunTransition`: the life after the event, and what to do now. An event that is
impossible in a state changes nothing, because reports of a CLI arrive in any order. `records.py` stores each life.

    queued → starting → running ⇄ waiting → succeeded | failed | timed_out | cancelled | interrupted
       ├──→ cancelled | interrupted | failed | skipped
       └──← starting | running | waiting, for another attempt

Work has a single exit: `ended`. A person, a limit or the server that ends a run is noted first (`cancelled`,
`limit_passed`, `shut_down`). The final state follows once the work is known to be over, and names the cause.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ...runtimes.model import Failure, Outcome
from ..model import Run, RunChanged, RunFinished, RunResumed, RunStarted, RunState, RunUpdated, RunWaiting

ALLOWED: dict[RunState, frozenset[RunState]] = {
    "queued": frozenset({"starting", "cancelled", "skipped", "failed", "interrupted"}),
    "starting": frozenset(
        {"running", "failed", "cancelled", "interrupted", "timed_out", "succeeded", "skipped", "queued"}
    ),
    "running": frozenset({"waiting", "succeeded", "failed", "timed_out", "cancelled", "interrupted", "queued"}),
    "waiting": frozenset({"running", "succeeded", "failed", "timed_out", "cancelled", "interrupted", "queued"}),
    "succeeded": frozenset(),
    "failed": frozenset(),
    "timed_out": frozenset(),
    "cancelled": frozenset(),
    "interrupted": frozenset(),
    "skipped": frozenset(),
}
FINAL = frozenset(state for state, following in ALLOWED.items() if not following)
AT_WORK = frozenset({"starting", "running", "waiting"})
# An error that the model's service reported is more precise than the limit on its retries.
_SAID_BY_SERVICE = ("not_logged_in", "rate_limited", "model_unavailable")

FINISHED = "Finished."
SERVER_STOPPED = "The server was stopped while this run was working."
SERVER_DIED = "The server ended while this run was working."
UNKNOWN_END = "It ended for an unknown reason."


class Question(NamedTuple):
    """A question of the agent, with the CLI's own id."""

    id: str
    reason: str  # why the run waits, as a sentence


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a run as this server knows it. `state`, `reason` and `failure` are also on its record."""

    state: RunState = "queued"
    reason: str = ""  # why it waits, or how it ended
    failure: Failure | None = None
    recorded: bool = False  # it is stored in the database: the queue may start it
    claimed: bool = False  # it is being worked on or being ended; the queue must not start it
    questions: tuple[Question, ...] = ()  # unanswered, oldest first
    held: str = ""  # why it is held, as a sentence: its CLI was paused, or its instruction cannot be typed
    cancelled_by: str | None = None  # the person's name
    note: str = ""  # sentences added to the reason of a cancelled run
    limit: Failure | None = None  # the limit that was exceeded
    shutting_down: bool = False  # the server is shutting down
    lost: bool = False  # another server has taken it over, so this one must not touch it

    @property
    def over(self) -> bool:
        """Return whether the run is final or belongs to another server."""
        return self.state in FINAL or self.lost

    @property
    def stopping(self) -> bool:
        """Return whether something has decided that the run must end."""
        return self.cancelled_by is not None or self.limit is not None or self.shutting_down or self.lost


class RunTransition(msgspec.Struct, frozen=True, kw_only=True):
    """The life after an event, and what to do now."""

    life: Life
    stop: bool = False  # end its process; `ended` follows when that is confirmed
    interrupt: bool = False  # end its turn, and keep the CLI open if possible; `ended` or `not_interrupted` follows
    end_now: bool = False  # it has no process: `ended` may follow at once


def is_final(run: Run) -> bool:
    """Return whether the run has ended."""
    return run.state in FINAL


def is_at_work(run: Run) -> bool:
    """Return whether the run has begun and has not ended: it is `starting`, `running` or `waiting`."""
    return run.state in AT_WORK


# --- before it works -------------------------------------------------------------------------


def recorded(life: Life) -> RunTransition:
    """Return the life after the run was stored in the database."""
    return _changed(life, recorded=True)


def claimed(life: Life) -> RunTransition:
    """Return the life after the queue has chosen the run to start. Unchanged if it is claimed or over."""
    return RunTransition(life=life) if life.claimed or life.over else _changed(life, claimed=True)


def starting(life: Life) -> RunTransition:
    """Return the life of a run that is being prepared: its prompt is made, and its CLI is located."""
    return _moved(life, "starting")


def waits_to_start(life: Life, reason: str) -> RunTransition:
    """Return the life of a run whose CLI cannot start yet. Unchanged unless it is `starting`. `reason`: a sentence."""
    return _moved(life, "starting", reason=reason) if life.state == "starting" else RunTransition(life=life)


def begun(life: Life) -> RunTransition:
    """Return the life after the process of the run was started: `running`, unless the run is over.

    Questions of an earlier attempt are dropped, because its process is gone.
    """
    return _moved(msgspec.structs.replace(life, questions=(), held=""), "running")


# --- while it works --------------------------------------------------------------------------


def asked(life: Life, question: Question) -> RunTransition:
    """Return the life after the agent has asked a question, possibly while others are unanswered: `waiting`.

    A question with the same id is replaced. Unchanged unless the run is `running` or `waiting`.
    """
    others = tuple(each for each in life.questions if each.id != question.id)
    return _settled(life, questions=(*others, question)) if _is_working(life) else RunTransition(life=life)


def answered(life: Life, question_id: str) -> RunTransition:
    """Return the life after a question was answered, here or in the terminal. Unchanged for an unknown question.

    The run continues, or waits for another answer.
    """
    if all(each.id != question_id for each in life.questions):
        return RunTransition(life=life)
    return _settled(life, questions=tuple(each for each in life.questions if each.id != question_id))


def held(life: Life, reason: str) -> RunTransition:
    """Return the life after the CLI was paused, or while the instruction cannot be typed: `waiting`.

    `reason`: a sentence. Unchanged unless the run is `running` or `waiting`.
    """
    return _settled(life, held=reason) if _is_working(life) else RunTransition(life=life)


def released(life: Life, question: str | None = None) -> RunTransition:
    """Return the life of a run that is no longer held. Unchanged unless it is `running` or `waiting`.

    `question`: one that its terminal shows and that was not reported: the run then stays `waiting`.
    """
    if not _is_working(life):
        return RunTransition(life=life)
    step = _settled(life, held="")
    if question is not None and not life.questions:
        return _moved(step.life, "waiting", reason=question)
    return step


def put_back(life: Life) -> RunTransition:
    """Return the transition of a starting run back to the queue: another server works in its session or for its agent.

    The life is unchanged unless it is `starting`.
    """
    return (
        _moved(msgspec.structs.replace(life, claimed=False), "queued")
        if life.state == "starting"
        else RunTransition(life=life)
    )


def tried_again(life: Life, reason: str) -> RunTransition:
    """Return the life after work that failed: the run is queued again, because another attempt may help.

    Unchanged if a person, the server's shutdown or another server has ended the run. It stays claimed: see
    `released_to_queue`.
    """
    if life.cancelled_by is not None or life.shutting_down or life.lost:
        return RunTransition(life=life)
    return _moved(msgspec.structs.replace(life, questions=(), held="", limit=None), "queued", reason=reason)


def released_to_queue(life: Life) -> RunTransition:
    """Return the life after the next attempt was stored: the queue may start it, unless it is to be stopped."""
    return _changed(life, claimed=life.stopping or life.state != "queued")


# --- what is to end it -----------------------------------------------------------------------


def cancelled(life: Life, by: str, *, note: str = "") -> RunTransition:
    """Return the life after a person has ended the run, and what to do for that. Unchanged if it is over.

    The state changes only with `ended`. If the run was not claimed yet, it ends at once, and the queue does not start
    it meanwhile. `by`: a display name. `note`: sentences added to the reason.
    """
    if life.over:
        return RunTransition(life=life)
    after = msgspec.structs.replace(life, cancelled_by=by, note=life.note or note, claimed=True)
    return RunTransition(life=after, stop=life.claimed, end_now=not life.claimed)


def interrupted(life: Life, by: str) -> RunTransition:
    """Return the same as `cancelled`, but the turn is to be interrupted and the CLI kept open if possible."""
    step = cancelled(life, by)
    return msgspec.structs.replace(step, stop=False, interrupt=step.stop)


def not_interrupted(life: Life, note: str) -> RunTransition:
    """Return the life after the turn could not be interrupted: the CLI is to be closed.

    Unchanged if nobody cancelled the run. `note`: sentences added to the reason.
    """
    if life.over or life.cancelled_by is None:
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, note=note), stop=True)


def limit_passed(life: Life, failure: Failure) -> RunTransition:
    """Return the life of a run that has exceeded a limit. It is to be stopped. Keeps the newest limit.

    Unchanged if the run is queued or over.
    """
    if life.over or life.state == "queued":
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, limit=failure), stop=True)


def shut_down(life: Life) -> RunTransition:
    """Return the life of a run of a server that shuts down: if claimed, it is to be stopped, else it stays queued."""
    if life.over or not life.claimed:
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, shutting_down=True), stop=True)


def lost(life: Life) -> RunTransition:
    """Return the life of a run that another server has taken over, because it considered this one dead.

    A claimed run is to be stopped. After that, no transition changes its state.
    """
    return RunTransition(life=msgspec.structs.replace(life, lost=True), stop=life.claimed)


# --- the end ---------------------------------------------------------------------------------


def ended(life: Life, outcome: Outcome | None) -> RunTransition:
    """Return the life after the work is over: a final state with its reason. `outcome`: None if no work had begun.

    An outcome without a failure is a success, also if the run was to be stopped. Otherwise the cause is a person, a
    limit, the server's shutdown, or the failure of the outcome, in this order. Unchanged if the run is already over.
    """
    state, failure, reason = _ending(life, outcome)
    return _moved(life, state, reason=reason, failure=failure)


def skipped(life: Life, reason: str) -> RunTransition:
    """Return the life of a run that is not started, because that is no longer allowed: its budget is used up.

    Unchanged if it is `running`, `waiting` or over.
    """
    return _moved(life, "skipped", reason=reason)


def died(life: Life, reason: str = SERVER_DIED) -> RunTransition:
    """Return the life of a run whose server is gone, and so are its processes: `interrupted`.

    Unchanged if it is over.
    """
    return _moved(life, "interrupted", reason=reason)


def _ending(life: Life, outcome: Outcome | None) -> tuple[RunState, Failure | None, str]:
    """Return the final state, the failure and the reason.

    The causes count in this order: a person, a limit, the server's shutdown, the CLI itself. An answer that was
    complete before the run was stopped stays a success: `outcome` without a failure wins.
    """
    if outcome is not None and outcome.failure is None and life.state != "queued":
        return "succeeded", None, FINISHED
    if life.cancelled_by is not None:
        failure = Failure(kind="cancelled", message=f"Cancelled by {life.cancelled_by}. {life.note}".strip())
        return "cancelled", failure, failure.message
    named = outcome.failure if outcome else None
    if life.limit is not None:
        failure = life.limit
        if failure.kind == "model_unavailable" and named is not None and named.kind in _SAID_BY_SERVICE:
            failure = named
        return ("timed_out" if failure.kind in ("timeout", "stalled") else "failed"), failure, failure.message
    if life.shutting_down:
        return "interrupted", None, SERVER_STOPPED
    failure = named or Failure(kind="unknown", message=UNKNOWN_END)
    return "failed", failure, failure.message


# --- the record ------------------------------------------------------------------------------


def on_record(run: Run, life: Life, *, now: datetime, worked_seconds: float | None = None) -> Run:
    """Return the run with the changes that this life causes in its record. Stores nothing.

    `worked_seconds`: how long it has worked, on the monotonic clock; None if that was not measured. The start is noted
    once, the end and the duration in a final state.
    """
    changes: dict[str, Any] = {"state": life.state, "reason": life.reason, "failure": life.failure}
    if life.state != "queued":
        changes["position"] = None
    if life.state == "running" and run.started_at is None:
        changes["started_at"] = now
    if life.state in FINAL:
        changes |= {"finished_at": now, "duration_seconds": worked_seconds}
    return msgspec.structs.replace(run, **changes)


def event_of(before: Run, after: Run) -> RunChanged:
    """Return the event for a change of a run's record. `RunUpdated` if no other event fits."""
    if is_final(after):
        return RunFinished(run=after)
    if after.state == "waiting":
        return RunWaiting(run=after) if before.state != "waiting" else RunUpdated(run=after)
    if after.state == "running" and before.state != "running":
        return RunResumed(run=after) if before.state == "waiting" else RunStarted(run=after)
    return RunUpdated(run=after)


def of_record(run: Run) -> Life:
    """Return the life of a run that another server, or an earlier one, has stored. It is not claimed."""
    return Life(state=run.state, reason=run.reason, failure=run.failure, recorded=True)


# --- steps -----------------------------------------------------------------------------------


def _is_working(life: Life) -> bool:
    return life.state in ("running", "waiting") and not life.lost


def _changed(life: Life, **changes: Any) -> RunTransition:
    return RunTransition(life=msgspec.structs.replace(life, **changes))


def _settled(life: Life, **changes: Any) -> RunTransition:
    """Return the run as waiting or running. If it is held, that is the reason; otherwise the newest question is."""
    after = msgspec.structs.replace(life, **changes)
    reason = after.held or (after.questions[-1].reason if after.questions else "")
    waits = bool(after.held or after.questions)
    return _moved(after, "waiting" if waits else "running", reason=reason)


def _moved(life: Life, state: RunState, *, reason: str = "", failure: Failure | None = None) -> RunTransition:
    """Change the state if `ALLOWED` permits that. For the same state, only the reason and the failure change."""
    if life.lost or (state != life.state and state not in ALLOWED[life.state]):
        return RunTransition(life=life)
    if state == life.state and state in FINAL:
        return RunTransition(life=life)
    return _changed(life, state=state, reason=reason, failure=failure)
