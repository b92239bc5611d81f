"""What becomes of an ACP agent's question in each permission mode. Pure; called by `client.py`."""

from __future__ import annotations

from ..model import AnswerOption, OptionKind, PermissionAsked, ToolCall

Options = list[tuple[str, str, str]]  # id, label, the protocol's kind
_KINDS: dict[str, OptionKind] = {
    "allow_once": "allow_once",
    "allow_always": "allow_session",
    "reject_once": "deny",
    "reject_always": "deny",
}


def chosen(options: Options, *, granted: bool) -> str | None:
    """The answer that nobody gives: as little as possible. None: it takes no such answer."""
    kinds = ("allow_once", "allow_always") if granted else ("reject_once", "reject_always")
    return next((option for kind in kinds for option, _, of_kind in options if of_kind == kind), None)


def is_refusal(option: str, options: Options) -> bool:
    """Whether this answer is a no; so is none at all."""
    return next((kind for known, _, kind in options if known == option), "reject_once").startswith("reject")


def question(question_id: str, title: str, call: ToolCall, options: Options) -> PermissionAsked:
    """The question with the agent's own answers."""
    return PermissionAsked(
        question_id=question_id,
        question=f"{title} asks to use {described(call)}",
        tool=call.tool,
        input=call.input,
        options=tuple(
            AnswerOption(
                id=option,
                label=label,
                kind=_KINDS[kind],
                grants=f"In the words of {title}: {label}" if kind == "allow_always" else "",
            )
            for option, label, kind in options
        ),
    )


def described(call: ToolCall) -> str:
    return f"{call.tool}: {call.summary}" if call.summary else f"{call.tool}."
