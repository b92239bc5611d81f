"""The life of a run: every state, what may happen in it, and what follows. All transitions are in this file. Pure.

Each function takes a life and what happened and returns a `RunTransition`: the life afterwards and what is to be done.
What cannot happen in a state changes nothing: news of a CLI comes in any order. `records.py` puts each life on record.

    queued → starting → running ⇄ waiting → succeeded | failed | timed_out | cancelled | interrupted
       ├──→ cancelled | interrupted | failed | skipped
       └──← starting | running | waiting, when it is tried again

There is one way out of work: `ended`. Whatever is to end a run, a person, a limit or the server, is noted first
(`cancelled`, `limit_passed`, `shut_down`); its end follows when its work is known to be over, and says why.
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
# what the service of a model says is more exact than that it did not answer
_SAID_BY_SERVICE = ("not_logged_in", "rate_limited", "model_unavailable")

FINISHED = "Finished."
SERVER_STOPPED = "The server was stopped while this run was working."
SERVER_DIED = "The server ended while this run was working."
UNKNOWN_END = "It ended for an unknown reason."


class Question(NamedTuple):
    """Something the agent asks, by the CLI's own id."""

    id: str
    reason: str  # in a sentence


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """What this server knows of where a run stands. `state`, `reason` and `failure` are what its record says."""

    state: RunState = "queued"
    reason: str = ""  # why it waits, or how it ended
    failure: Failure | None = None
    recorded: bool = False  # it is stored in the database: the queue may start it
    claimed: bool = False  # somebody works on it, or on its end; it is no longer for the queue to start
    questions: tuple[Question, ...] = ()  # that wait for an answer, in order
    held: str = ""  # its CLI was paused, or its instruction cannot be typed: in a sentence
    cancelled_by: str | None = None  # the person's name
    note: str = ""  # what else the end of a cancelled run says, in sentences
    limit: Failure | None = None  # that was passed
    shutting_down: bool = False  # the server ends
    lost: bool = False  # another server has taken it over: nothing of it is this one's any more

    @property
    def over(self) -> bool:
        """Final, or no longer this server's."""
        return self.state in FINAL or self.lost

    @property
    def stopping(self) -> bool:
        """Somebody or something has decided that it shall end."""
        return self.cancelled_by is not None or self.limit is not None or self.shutting_down or self.lost


class RunTransition(msgspec.Struct, frozen=True, kw_only=True):
    """The life after something happened."""

    life: Life
    stop: bool = False  # end what works on it; `ended` follows when that is confirmed
    interrupt: bool = False  # end its turn, and leave the CLI open where it can; `ended` or `not_interrupted` follows
    end_now: bool = False  # nothing works on it: `ended` may follow at once


def is_final(run: Run) -> bool:
    """Whether the run has ended."""
    return run.state in FINAL


# --- before it works -------------------------------------------------------------------------


def recorded(life: Life) -> RunTransition:
    """It is stored in the database."""
    return _changed(life, recorded=True)


def claimed(life: Life) -> RunTransition:
    """Its turn has come."""
    return RunTransition(life=life) if life.claimed or life.over else _changed(life, claimed=True)


def starting(life: Life) -> RunTransition:
    """Its prompt is being made and its CLI looked for."""
    return _moved(life, "starting")


def begun(life: Life) -> RunTransition:
    """Its process lives. Where one lived before, it is another try: that one asks nothing any more."""
    return _moved(msgspec.structs.replace(life, questions=(), held=""), "running")


# --- while it works --------------------------------------------------------------------------


def asked(life: Life, question: Question) -> RunTransition:
    """The agent asks something, perhaps beside what it asks already."""
    others = tuple(each for each in life.questions if each.id != question.id)
    return _settled(life, questions=(*others, question)) if _is_working(life) else RunTransition(life=life)


def answered(life: Life, question_id: str) -> RunTransition:
    """A question was answered, wherever. It continues, or waits for the answer to another one."""
    if all(each.id != question_id for each in life.questions):
        return RunTransition(life=life)
    return _settled(life, questions=tuple(each for each in life.questions if each.id != question_id))


def held(life: Life, reason: str) -> RunTransition:
    """It was paused, or its instruction cannot be typed now."""
    return _settled(life, held=reason) if _is_working(life) else RunTransition(life=life)


def released(life: Life, question: str | None = None) -> RunTransition:
    """It is no longer held. `question`: what its terminal shows and has not been reported."""
    if not _is_working(life):
        return RunTransition(life=life)
    step = _settled(life, held="")
    if question is not None and not life.questions:
        return _moved(step.life, "waiting", reason=question)
    return step


def put_back(life: Life) -> RunTransition:
    """It was about to be started, and another server works on something that it must not run beside."""
    return (
        _moved(msgspec.structs.replace(life, claimed=False), "queued")
        if life.state == "starting"
        else RunTransition(life=life)
    )


def tried_again(life: Life, reason: str) -> RunTransition:
    """Its work failed, and another attempt may help: it waits in the queue once more. Not where it is to end."""
    if life.cancelled_by is not None or life.shutting_down or life.lost:
        return RunTransition(life=life)
    return _moved(msgspec.structs.replace(life, questions=(), held="", limit=None), "queued", reason=reason)


def released_to_queue(life: Life) -> RunTransition:
    """The next attempt is stored in the database: the queue may start it."""
    return _changed(life, claimed=life.stopping or life.state != "queued")


# --- what is to end it -----------------------------------------------------------------------


def cancelled(life: Life, by: str, *, note: str = "") -> RunTransition:
    """A person wants its end. What nobody works on yet ends at once, and is not started meanwhile. `note`: what else
    its end says."""
    if life.over:
        return RunTransition(life=life)
    after = msgspec.structs.replace(life, cancelled_by=by, note=life.note or note, claimed=True)
    return RunTransition(life=after, stop=life.claimed, end_now=not life.claimed)


def interrupted(life: Life, by: str) -> RunTransition:
    """A person wants the end of its turn, not of its CLI."""
    step = cancelled(life, by)
    return msgspec.structs.replace(step, stop=False, interrupt=step.stop)


def not_interrupted(life: Life, note: str) -> RunTransition:
    """Its turn could not be ended, so its CLI is."""
    if life.over or life.cancelled_by is None:
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, note=note), stop=True)


def limit_passed(life: Life, failure: Failure) -> RunTransition:
    """It has taken too long, or written too much."""
    if life.over or life.state == "queued":
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, limit=failure), stop=True)


def shut_down(life: Life) -> RunTransition:
    """The server ends: what works is interrupted, what is queued stays so."""
    if life.over or not life.claimed:
        return RunTransition(life=life)
    return RunTransition(life=msgspec.structs.replace(life, shutting_down=True), stop=True)


def lost(life: Life) -> RunTransition:
    """Another server took this one for dead, and has taken the run over."""
    return RunTransition(life=msgspec.structs.replace(life, lost=True), stop=life.claimed)


# --- the end ---------------------------------------------------------------------------------


def ended(life: Life, outcome: Outcome | None) -> RunTransition:
    """Its work is over; None where nothing had begun. The one way into a final state."""
    state, failure, reason = _ending(life, outcome)
    return _moved(life, state, reason=reason, failure=failure)


def skipped(life: Life, reason: str) -> RunTransition:
    """What allows it now is gone, its budget for example: it is not started."""
    return _moved(life, "skipped", reason=reason)


def died(life: Life, reason: str = SERVER_DIED) -> RunTransition:
    """The server that had it is gone, and everything that worked on it."""
    return _moved(life, "interrupted", reason=reason)


def _ending(life: Life, outcome: Outcome | None) -> tuple[RunState, Failure | None, str]:
    """Why it ended counts in this order: a person, a limit, the server's end, the CLI itself.

    An answer that was complete before anybody stopped the run stays a success: `outcome` without a failure wins.
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
    """The run as its record says after this.

    `worked_seconds`: how long it has worked by a clock that is never set; None where nobody has measured it.
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
    """What the change of a record is called."""
    if is_final(after):
        return RunFinished(run=after)
    if after.state == "waiting":
        return RunWaiting(run=after) if before.state != "waiting" else RunUpdated(run=after)
    if after.state == "running" and before.state != "running":
        return RunResumed(run=after) if before.state == "waiting" else RunStarted(run=after)
    return RunUpdated(run=after)


def of_record(run: Run) -> Life:
    """The life of a run that another server, or an earlier one, has put on record."""
    return Life(state=run.state, reason=run.reason, failure=run.failure, recorded=True)


# --- steps -----------------------------------------------------------------------------------


def _is_working(life: Life) -> bool:
    return life.state in ("running", "waiting") and not life.lost


def _changed(life: Life, **changes: Any) -> RunTransition:
    return RunTransition(life=msgspec.structs.replace(life, **changes))


def _settled(life: Life, **changes: Any) -> RunTransition:
    """Running or waiting, as what holds it and what it asks say: being held comes first, then the newest question."""
    after = msgspec.structs.replace(life, **changes)
    reason = after.held or (after.questions[-1].reason if after.questions else "")
    waits = bool(after.held or after.questions)
    return _moved(after, "waiting" if waits else "running", reason=reason)


def _moved(life: Life, state: RunState, *, reason: str = "", failure: Failure | None = None) -> RunTransition:
    """In another state, if the table has that; the same state again changes its reason alone."""
    if life.lost or (state != life.state and state not in ALLOWED[life.state]):
        return RunTransition(life=life)
    if state == life.state and state in FINAL:
        return RunTransition(life=life)
    return _changed(life, state=state, reason=reason, failure=failure)
