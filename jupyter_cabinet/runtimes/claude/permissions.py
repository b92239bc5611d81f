"""What Claude Code may be answered when it asks, and the words of the answers. Pure; facts: 2.1.329.

Two channels take them: the control protocol of a headless run (`can_use_tool`) and the PermissionRequest hook of
an open CLI (`shared/permission_hook.py`). Called by `stream.py` and `terminal.py`.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..model import AnswerOption, WordedQuestion
from ..shared.content_blocks import blocks
from ..shared.permission_hook import ALLOW_ONCE, PLAIN, REFUSE, plain_decision

SESSION, WORDS = "session", "words"
QUESTION_TOOL = "AskUserQuestion"
EDITING = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_IN_WORDS = AnswerOption(id=WORDS, label="Answer in words", kind="choice", takes_note=True)
_CHOICE = "choice-"
# What a form can hold; more is answered with the same words for all.
MOST_QUESTIONS = 10
MOST_CHOICES = 20
LONGEST_CHOICE = 200  # characters


def options(title: str, tool: str, arguments: dict[str, Any]) -> tuple[AnswerOption, ...]:
    """The answers that a question for a tool takes. `title` names who asks."""
    if tool == QUESTION_TOOL:
        together = _together(arguments)
        words = msgspec.structs.replace(_IN_WORDS, label="Answer", questions=together) if together else _IN_WORDS
        return (*_choices(arguments), words, REFUSE)
    grants = _grants(tool, arguments).format(title=title)
    if not grants:
        return PLAIN
    return (
        ALLOW_ONCE,
        AnswerOption(id=SESSION, label="Allow for this session", kind="allow_session", grants=grants),
        REFUSE,
    )


def decision(option: str, tool: str, arguments: dict[str, Any], note: str) -> dict[str, Any]:
    """The answer, as both channels spell it."""
    if option == WORDS or option.startswith(_CHOICE):
        answers = _in_words(note, arguments) if option == WORDS else _answers(option, arguments)
        return {"behavior": "allow", "updatedInput": {**arguments, "answers": answers}}
    decided = plain_decision(option, arguments, note)
    return {**decided, "updatedPermissions": [_grant(tool, arguments)]} if option == SESSION else decided


def control_reply(request_id: str, decided: dict[str, Any]) -> bytes:
    """One line for the control protocol's stdin."""
    reply = {"subtype": "success", "request_id": request_id, "response": decided}
    return json.dumps({"type": "control_response", "response": reply}).encode() + b"\n"


def control_refusal(request_id: str) -> bytes:
    """The answer to a control request that we do not know: without one the CLI would wait for ever."""
    reply = {"subtype": "error", "request_id": request_id, "error": "Not supported."}
    return json.dumps({"type": "control_response", "response": reply}).encode() + b"\n"


def _grants(tool: str, arguments: dict[str, Any]) -> str:
    """What an answer for the whole session allows; empty where that would be more than people think."""
    if tool in EDITING:
        return "{title} edits files in its folder without asking, until this session ends."
    if tool == "Bash":
        command = arguments.get("command")
        # in a rule `*` stands for anything, `:*` for every beginning
        exact = isinstance(command, str) and command.strip() and "*" not in command
        return "{title} runs this very command without asking, until this session ends." if exact else ""
    return "{title} uses " + tool.replace("{", "").replace("}", "") + " without asking, until this session ends."


def _grant(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if tool in EDITING:
        return {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    rule = {"toolName": tool}
    if tool == "Bash":
        rule["ruleContent"] = str(arguments.get("command"))
    return {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}


def _choices(arguments: dict[str, Any]) -> tuple[AnswerOption, ...]:
    """The options of one question with one answer, a button each; whatever is more takes words."""
    asked = list(blocks(arguments.get("questions")))
    if len(asked) != 1 or asked[0].get("multiSelect"):
        return ()
    offered = list(blocks(asked[0].get("options")))
    if len(offered) > MOST_CHOICES:
        return ()
    return tuple(
        AnswerOption(id=f"{_CHOICE}{place}", label=str(each.get("label", "")), kind="choice", grants=_description(each))
        for place, each in enumerate(offered)
        if each.get("label")
    )


def _description(option: dict[str, Any]) -> str:
    return str(option.get("description") or "")


def _together(arguments: dict[str, Any]) -> tuple[WordedQuestion, ...]:
    """Several questions at once, or one that takes several answers. Empty: one answer, or more than a form can hold."""
    asked = tuple(_worded(each) for each in blocks(arguments.get("questions")))
    one_answer = len(asked) == 1 and not asked[0].several
    fits = len(asked) <= MOST_QUESTIONS and all(len(each.choices) <= MOST_CHOICES for each in asked)
    short = all(len(choice) <= LONGEST_CHOICE for each in asked for choice in each.choices)
    return asked if fits and short and not one_answer else ()


def _worded(question: dict[str, Any]) -> WordedQuestion:
    labels = (" ".join(str(each.get("label", "")).split()) for each in blocks(question.get("options")))
    return WordedQuestion(
        question=str(question.get("question", "")),
        choices=tuple(dict.fromkeys(label for label in labels if label)),
        several=question.get("multiSelect") is True,
    )


def _in_words(note: str, arguments: dict[str, Any]) -> dict[str, str]:
    """A line for each question; other words answer all of them alike."""
    asked = [str(question.get("question", "")) for question in blocks(arguments.get("questions"))]
    lines = [line.strip() for line in note.split("\n")]
    return dict(zip(asked, lines if len(lines) == len(asked) else [note] * len(asked), strict=True))


def _answers(option: str, arguments: dict[str, Any]) -> dict[str, str]:
    question = next(iter(blocks(arguments.get("questions"))), {})
    offered = list(blocks(question.get("options")))
    place = int(option.removeprefix(_CHOICE)) if option.removeprefix(_CHOICE).isdigit() else -1
    label = str(offered[place].get("label", "")) if 0 <= place < len(offered) else ""
    return {str(question.get("question", "")): label}
