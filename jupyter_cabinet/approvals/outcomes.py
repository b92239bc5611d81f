"""The answers that a question takes, the one that nobody gives, and the sentence that says how it ended. Pure."""

from __future__ import annotations

from ..core.durations import spelled
from ..runtimes.model import AnswerOption, QuestionAsked
from .model import Approval

LONGEST_NOTE = 4000  # characters


def option_of(approval: Approval, option_id: str) -> AnswerOption | None:
    """The option with this id; None where the question does not take it."""
    return next((option for option in approval.options if option.id == option_id), None)


def needs_words(option: AnswerOption) -> bool:
    """A choice that is nothing without what the person says with it."""
    return option.kind == "choice" and option.takes_note


def refusal(asked: Approval | QuestionAsked) -> AnswerOption | None:
    """What a question is answered with when nobody answers it."""
    return next((option for option in asked.options if option.kind == "deny"), None)


def unanswered(asked: Approval | QuestionAsked) -> str:
    """The answer that nobody gives: no, or none where the terminal asks it too."""
    denial = None if asked.in_terminal else refusal(asked)
    return denial.id if denial else ""


def outcome_of(option: AnswerOption, note: str) -> str:
    """Without who: that stands beside it."""
    said = f": {note.replace(chr(10), '; ')}" if note else ""
    match option.kind:
        case "allow_once":
            return "Allowed once"
        case "allow_session":
            return "Allowed for this session"
        case "deny":
            return f"Denied{said}"
        case "terminal":
            return "Left to the terminal"
    return f"Answered{said}" if needs_words(option) else f"Answered {option.label}{said}"


def expired(approval: Approval, seconds: float) -> str:
    """How a question ended that nobody answered in time, which was so many seconds."""
    if approval.in_terminal or refusal(approval) is None:
        return f"Nobody answered in {spelled(seconds)}, it is left to the terminal"
    return f"Denied, nobody answered in {spelled(seconds)}"
