"""What a CLI asks for, as values that its adapter makes: who reads them knows no CLI and no name of an argument.

Each value is complete: whatever the CLI gave with its question stands in it, but for the reason of the agent
(`QuestionAsked.why`). Each is hashable, and equal to another that asks for the same. The `questions.py` of a CLI maps
its tools; `approvals` shows the values and finds their risks.
"""

from __future__ import annotations

from typing import Literal

import msgspec

CellMode = Literal["replace", "insert", "delete"]


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a tool, as the CLI named it."""

    name: str
    value: str
    is_json: bool = False  # `value` is JSON; else the text itself


class RequestedAction(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of the closed union `AnyAction`."""


class Command(RequestedAction, frozen=True, kw_only=True, tag="command"):
    """Run a program: a line for a shell (`text`), or a program with its arguments (`argv`)."""

    text: str = ""
    argv: tuple[str, ...] = ()
    cwd: str = ""  # empty: the folder of the run
    more: tuple[Argument, ...] = ()  # what else the CLI gave
    is_title: bool = False  # `text` is only what the agent calls it


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a file: by what is replaced, or by a difference."""

    new: str = ""
    old: str | None = None  # None: the whole file is written
    diff: str = ""  # in the CLI's own form
    cell: str = ""  # id of the notebook's cell that is meant; empty: the text of the file
    cell_mode: CellMode = "replace"  # `insert`: a new cell after `cell`, wherever the CLI puts it without one
    cell_type: str = ""  # as the CLI named it; empty: it did not say


class Edit(RequestedAction, frozen=True, kw_only=True, tag="edit"):
    """Change files."""

    paths: tuple[str, ...]
    changes: tuple[Change, ...] = ()  # empty: the CLI does not say
    more: tuple[Argument, ...] = ()


class Fetch(RequestedAction, frozen=True, kw_only=True, tag="fetch"):
    """Get a page, or search the web: an address or a query."""

    url: str = ""
    query: str = ""
    more: tuple[Argument, ...] = ()


class ToolUse(RequestedAction, frozen=True, kw_only=True, tag="tool"):
    """Use any other tool, also one that the adapter does not know."""

    tool: str  # as the CLI names it
    server: str = ""  # the tool server that it belongs to; empty: none, or nobody knows
    paths: tuple[str, ...] = ()  # files that it is about, where the adapter knows
    arguments: tuple[Argument, ...] = ()  # all others


class ChoiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One of the answers that an agent suggests."""

    label: str
    description: str = ""


class ChoiceQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a person."""

    question: str
    header: str = ""
    answers: tuple[ChoiceAnswer, ...] = ()
    several: bool = False  # whether more than one of them may be chosen


class Choice(RequestedAction, frozen=True, kw_only=True, tag="choice"):
    """Nothing is to be done: a person decides or answers. Without questions the sentence of the question says all."""

    questions: tuple[ChoiceQuestion, ...] = ()
    more: tuple[Argument, ...] = ()


AnyAction = Command | Edit | Fetch | ToolUse | Choice
