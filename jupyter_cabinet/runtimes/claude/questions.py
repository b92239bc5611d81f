"""Claude Code's questions, their possible answers, and the wording of the answers. Pure; facts: 2.1.329.

Answers go over two channels: the control protocol of a headless run (`can_use_tool`) and the PermissionRequest hook of
an open CLI (`shared/question_hook.py`). Called by `stream.py` and `terminal.py`.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..model import AnswerOption, QuestionAsked, WordedQuestion
from ..requested_actions import AnyAction, Choice, ChoiceAnswer, ChoiceQuestion, Command, Edit
from ..shared.messages.content_blocks import blocks
from ..shared.question_hook import ALLOW, ALLOW_ONCE, PLAIN, REFUSE, plain_decision
from ..shared.tool_table import CommandTool, EditTool, FetchTool, FileTool, ToolTable, asked_for, rest

SESSION, WORDS = "session", "words"
QUESTION_TOOL = "AskUserQuestion"
TOOLS: ToolTable = {
    "Bash": CommandTool(),
    "Edit": EditTool(path="file_path", old="old_string", new="new_string"),
    "MultiEdit": EditTool(path="file_path", old="old_string", new="new_string", each="edits"),
    "Write": EditTool(path="file_path", new="content"),
    "NotebookEdit": EditTool(
        path="notebook_path", new="new_source", cell="cell_id", cell_mode="edit_mode", cell_type="cell_type"
    ),
    "WebFetch": FetchTool(url="url"),
    "WebSearch": FetchTool(query="query"),
    "Read": FileTool(paths=("file_path",)),
    "Glob": FileTool(paths=("path",)),
    "Grep": FileTool(paths=("path",)),
}
_IN_WORDS = AnswerOption(id=WORDS, label="Answer in words", kind="choice", takes_note=True)
_CHOICE = "choice-"
# The limits of a form; larger questions get one answer in text.
MOST_QUESTIONS = 10
MOST_CHOICES = 20
LONGEST_CHOICE = 200  # characters


def asked_of(tool: str, arguments: dict[str, Any], tools: ToolTable = TOOLS) -> AnyAction:
    """Return the action of a tool call. `tools`: those of the demo agent have other arguments."""
    return _choice(arguments) if tool == QUESTION_TOOL else asked_for(tools, tool, arguments)


def options(title: str, tool: str, arguments: dict[str, Any], asks: AnyAction) -> tuple[AnswerOption, ...]:
    """Return the possible answers to a question about a tool, in the order in which they are shown.

    `title` is the name of the agent, `asks` the action of the call. An answer for the whole session is offered only if
    what it allows can be said exactly.
    """
    if tool == QUESTION_TOOL:
        together = _together(arguments)
        words = msgspec.structs.replace(_IN_WORDS, label="Answer", questions=together) if together else _IN_WORDS
        return (*_choices(arguments), words, REFUSE)
    grants = _grants(title, tool, asks)
    if not grants:
        return PLAIN
    return (
        ALLOW_ONCE,
        AnswerOption(id=SESSION, label="Allow for this session", kind="allow_session", grants=grants),
        REFUSE,
    )


def decision(option: str, asked: QuestionAsked, note: str) -> dict[str, Any]:
    """Return the answer to this question in the form that both channels use. An unknown option denies."""
    arguments = asked.input
    if option == WORDS or option.startswith(_CHOICE):
        answers = _in_words(note, arguments) if option == WORDS else _answers(option, arguments)
        return {"behavior": "allow", "updatedInput": {**arguments, "answers": answers}}
    decided = plain_decision(option, arguments, note, allowing=(ALLOW, SESSION))
    return {**decided, "updatedPermissions": [_grant(asked.tool, asked.asks)]} if option == SESSION else decided


def control_reply(question_id: str, decided: dict[str, Any]) -> bytes:
    """Return one line for the control protocol's stdin."""
    reply = {"subtype": "success", "request_id": question_id, "response": decided}
    return json.dumps({"type": "control_response", "response": reply}).encode() + b"\n"


def control_refusal(question_id: str) -> bytes:
    """Return one line that refuses a control request that we do not know: without it the CLI would wait forever."""
    reply = {"subtype": "error", "request_id": question_id, "error": "Not supported."}
    return json.dumps({"type": "control_response", "response": reply}).encode() + b"\n"


def _grants(title: str, tool: str, asks: AnyAction) -> str:
    """Describe what an answer for the whole session allows; empty if that would be more than people expect."""
    match asks:
        case Edit():
            return f"{title} edits files in its folder without asking, until this session ends."
        case Command(text=text):
            # in a rule `*` stands for anything, `:*` for every beginning
            exact = text.strip() and "*" not in text
            return f"{title} runs exactly this command without asking, until this session ends." if exact else ""
    # a rule in an unexpected form would be granted without being shown
    return (
        ""
        if isinstance(TOOLS.get(tool), CommandTool | EditTool)
        else f"{title} uses {tool} without asking, until this session ends."
    )


def _grant(tool: str, asks: AnyAction) -> dict[str, Any]:
    match asks:
        case Edit():
            return {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
        case Command(text=text):
            rule = {"toolName": tool, "ruleContent": text}
        case _:
            rule = {"toolName": tool}
    return {"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}


class _Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    label: str
    description: str = ""


class _Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Read a question as Claude Code asks it. One with extra fields is shown unchanged: nothing may be hidden."""

    question: str
    options: list[_Answer]
    header: str = ""
    multiSelect: bool = False  # noqa: N815  # its name on the wire

    def plain(self) -> ChoiceQuestion:
        answers = tuple(ChoiceAnswer(label=each.label, description=each.description) for each in self.options)
        return ChoiceQuestion(question=self.question, header=self.header, answers=answers, several=self.multiSelect)


def _choice(arguments: dict[str, Any]) -> Choice:
    try:
        asked = msgspec.convert(arguments.get("questions"), list[_Question])
    except msgspec.ValidationError:
        return Choice(more=rest(arguments))
    return Choice(
        questions=tuple(each.plain() for each in asked), more=rest(arguments, *(["questions"] if asked else []))
    )


def _choices(arguments: dict[str, Any]) -> tuple[AnswerOption, ...]:
    """Return the options of one question with one answer, a button each; more than that is answered in text."""
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
    """Return the form for several questions, or for one with several answers.

    Empty: one question with one answer, or more than a form can hold.
    """
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
    """Read one line per question; other text answers all of them."""
    asked = [str(question.get("question", "")) for question in blocks(arguments.get("questions"))]
    lines = [line.strip() for line in note.split("\n")]
    return dict(zip(asked, lines if len(lines) == len(asked) else [note] * len(asked), strict=True))


def _answers(option: str, arguments: dict[str, Any]) -> dict[str, str]:
    question = next(iter(blocks(arguments.get("questions"))), {})
    offered = list(blocks(question.get("options")))
    place = int(option.removeprefix(_CHOICE)) if option.removeprefix(_CHOICE).isdigit() else -1
    label = str(offered[place].get("label", "")) if 0 <= place < len(offered) else ""
    return {str(question.get("question", "")): label}
