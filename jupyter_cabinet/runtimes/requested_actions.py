"""The actions that a CLI asks permission for, as values. Their readers need to know no CLI and no argument names.

Each value is complete: it contains everything that the CLI sent with its question, except the agent's reason
(`QuestionAsked.why`). Each is hashable, and equal to another for the same action. The `questions.py` of a CLI maps its
tools; `approvals` shows the values and determines their risks.
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
    more: tuple[Argument, ...] = ()  # everything else that the CLI sent
    is_title: bool = False  # `text` is only the agent's title for it


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a file, as replaced text or as a diff."""

    new: str = ""
    old: str | None = None  # None: the whole file is written
    diff: str = ""  # in the CLI's own form
    cell: str = ""  # id of the notebook's cell; empty: the text of the file
    cell_mode: CellMode = "replace"  # `insert`: a new cell after `cell`, or where the CLI puts it by default
    cell_type: str = ""  # the CLI's own name; empty: not given


class Edit(RequestedAction, frozen=True, kw_only=True, tag="edit"):
    """Change files."""

    paths: tuple[str, ...]
    changes: tuple[Change, ...] = ()  # empty: not given by the CLI
    more: tuple[Argument, ...] = ()


class Fetch(RequestedAction, frozen=True, kw_only=True, tag="fetch"):
    """Fetch a page, or search the web: an address or a query."""

    url: str = ""
    query: str = ""
    more: tuple[Argument, ...] = ()


class ToolUse(RequestedAction, frozen=True, kw_only=True, tag="tool"):
    """Use any other tool, including one that the adapter does not know."""

    tool: str  # the CLI's name for it
    server: str = ""  # the tool server that it belongs to; empty: none, or unknown
    paths: tuple[str, ...] = ()  # the files that it is about, if the adapter knows them
    arguments: tuple[Argument, ...] = ()  # all other arguments


class ChoiceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One of the answers that an agent suggests."""

    label: str
    description: str = ""


class ChoiceQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a person."""

    question: str
    header: str = ""
    answers: tuple[ChoiceAnswer, ...] = ()
    several: bool = False  # whether more than one option may be chosen


class Choice(RequestedAction, frozen=True, kw_only=True, tag="choice"):
    """No action: a person decides or answers. Without questions, the sentence of the question says everything."""

    questions: tuple[ChoiceQuestion, ...] = ()
    more: tuple[Argument, ...] = ()


AnyAction = Command | Edit | Fetch | ToolUse | Choice
