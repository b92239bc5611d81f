"""The possible answers to a question, the one of a person or by default, and the sentence about its outcome. Pure."""

from __future__ import annotations

from ..core.durations import spelled
from ..core.errors import Invalid
from ..runtimes.model import AnswerOption, QuestionAsked
from .model import Approval, NewAnswer
from .rule_evaluation import Decision
from .rules import Effect

LONGEST_NOTE = 4000  # characters
NOT_ALWAYS = (
    "This cannot be allowed from now on. Only a command that can be read with certainty and is shown completely can."
)


def option_of(approval: Approval, option_id: str) -> AnswerOption | None:
    """Return the option with this id; None if the question does not have it."""
    return next((option for option in approval.options if option.id == option_id), None)


def needs_words(option: AnswerOption) -> bool:
    """Return whether a choice needs a note of the person."""
    return option.kind == "choice" and option.takes_note


def chosen(approval: Approval, new: NewAnswer) -> AnswerOption:
    """Return the option that a person has chosen. Does not check who answers, or whether the question is open.

    Raises `Invalid` if the question does not allow this answer: an unknown option, a note that is missing or longer
    than `LONGEST_NOTE`, or `always` where nothing can be allowed from now on.
    """
    option = option_of(approval, new.option)
    if option is None:
        raise Invalid("This question has no such answer.", field="option")
    if len(new.note) > LONGEST_NOTE:
        raise Invalid(f"The note is longer than {LONGEST_NOTE} characters.", field="note")
    if needs_words(option) and not new.note.strip():
        raise Invalid("This answer needs a note.", field="note")
    if new.always is not None and not (approval.always and option.kind == "allow_once"):
        raise Invalid(NOT_ALWAYS, field="always")
    return option


def refusal(asked: Approval | QuestionAsked) -> AnswerOption | None:
    """Return the option that denies, for a question that no one answers; None if it has no such option."""
    return next((option for option in asked.options if option.kind == "deny"), None)


def unanswered(asked: Approval | QuestionAsked) -> str:
    """Return the id of the default answer, which denies; empty if there is none, or the terminal asks it too."""
    denial = None if asked.in_terminal else refusal(asked)
    return denial.id if denial else ""


def by_rule(asked: QuestionAsked, effect: Effect, *, cut: bool) -> AnswerOption | None:
    """Return a rule's answer; None if a person is asked.

    That is: because the rules require it, the question does not have the answer, or it is `cut` and not everything to
    be allowed is shown. An allowing rule answers only for once.
    """
    if effect == "allow" and not cut:
        return next((option for option in asked.options if option.kind == "allow_once"), None)
    return refusal(asked) if effect == "deny" else None


def why_by_rule(asked: QuestionAsked, decision: Decision, *, cut: bool) -> str:
    """Return a sentence without its full stop: why a person is asked, or which rule has answered."""
    if decision.effect == "ask" or by_rule(asked, decision.effect, cut=cut) is not None:
        return decision.because
    against = "not all of it can be shown" if decision.effect == "allow" and cut else "this answer is not possible here"
    return f"{decision.because}, but asked because {against}"


def outcome_of(option: AnswerOption, note: str, *, days: int = 0) -> str:
    """Return the outcome without the person's name, which is shown next to it.

    `days`: how long its new rule is valid; 0: no rule was made.
    """
    said = f": {note.replace(chr(10), '; ')}" if note else ""
    match option.kind:
        case "allow_once":
            return f"Allowed by a new rule for {days} {'day' if days == 1 else 'days'}" if days else "Allowed once"
        case "allow_session":
            return "Allowed for this session"
        case "deny":
            return f"Denied{said}"
        case "terminal":
            return "Left to the terminal"
    return f"Answered{said}" if needs_words(option) else f"Answered {option.label}{said}"


def overruled(*, done: bool) -> str:
    """Return the outcome of a question that was answered in the terminal before the answer given here arrived."""
    return f"{'Allowed' if done else 'Denied'} in the terminal, before the answer given here arrived"


def was_denied(approval: Approval) -> bool:
    """Return whether it was denied: by a person, a rule, the time limit, or in the terminal. False while it waits."""
    if approval.outcome in (overruled(done=True), overruled(done=False)):
        return approval.outcome == overruled(done=False)
    option = option_of(approval, approval.option or "")
    return option is not None and option.kind == "deny"


def expired(approval: Approval, seconds: float) -> str:
    """Return the outcome of a question that nobody answered within so many seconds."""
    if approval.in_terminal or refusal(approval) is None:
        return f"Nobody answered in {spelled(seconds)}, it is left to the terminal"
    return f"Denied, nobody answered in {spelled(seconds)}"
