"""The values of the room, also the wire format, and its events."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from ..core.events import Event
from ..core.people import Person, Visibility
from ..runtimes.model import AnswerOption
from .rules import MOST_DAYS, NewRule

ApprovalState = Literal["waiting", "answered", "expired", "withdrawn"]
Risk = Literal["no_sandbox", "outside", "deletes", "network", "cut"]  # cut: not shown completely


class AskedPart(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of the requested action, complete."""

    label: str  # "Command", "File", …, else the argument's own name
    text: str
    changes: bool = False  # it is text that a file gains or loses


class ShownCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One of the commands that a line for a shell runs, unchanged.

    `how`: it reads the output of the previous command, or its own output becomes words or a file of another.
    """

    text: str
    how: Literal["", "pipe", "substitution"] = ""


class ProposedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A change that an agent requests, at its position. `path` is relative to the server's root."""

    path: str
    cell: str = ""  # id of the cell whose source changes; empty: the text of the file
    old: str  # the replaced text; the whole text if the file is rewritten
    new: str


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a run that waits for a person, or has been answered. `risks` are hints, not a barrier."""

    id: str
    number: int = 0  # grows from question to question, whatever the clock says: the order of lists
    state: ApprovalState = "waiting"
    run_id: str
    question_id: str  # the CLI's own, within the run
    session_id: str
    terminal_id: str | None = None
    path: str | None = None  # the document of the run
    runtime_title: str
    instruction: str  # of the run
    kind: Literal["command", "edit", "tool", "question"]
    title: str  # "Claude Code asks to run a command"
    question: str  # the CLI's own sentence
    tool: str = ""
    parts: tuple[AskedPart, ...] = ()
    runs: tuple[ShownCommand, ...] = ()  # of a shell line with several commands, in their order
    edits: tuple[ProposedEdit, ...] = ()  # the content of the parts that change something; empty if they contain more
    why: str = ""  # the agent's own reason
    folder: str
    isolated: bool = False
    risks: tuple[Risk, ...] = ()
    options: tuple[AnswerOption, ...]
    in_terminal: bool = False  # it can be answered in the terminal too: the first answer counts
    owner: str
    owner_name: str
    visibility: Visibility
    asked_at: datetime
    expires_at: datetime
    option: str | None = None  # id of the answer
    note: str = ""
    answered_by: Person | None = None
    closed_at: datetime | None = None
    outcome: str = ""  # a sentence: the result, without the person; empty while it waits
    because: str = ""  # why a person is asked, a sentence without its full stop
    rule_id: str | None = None  # of the rule that answered it, or that requires asking
    rule: str = ""  # that rule as people read it
    always: tuple[NewRule, ...] = ()  # what an answer may allow in exactly this form from now on
    always_days: int = 0  # for how long the rules of the answer are valid; 0: it has made none


class Always(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Makes the rules with an answer that the approval names as `always`."""

    days: Annotated[int, msgspec.Meta(ge=1, le=MOST_DAYS)]


class Shown(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person has seen of a question: every part that describes the action."""

    title: str
    question: str
    tool: str
    parts: tuple[AskedPart, ...]
    runs: tuple[ShownCommand, ...]
    edits: tuple[ProposedEdit, ...]
    folder: str
    options: tuple[AnswerOption, ...]


class NewAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST approvals/{id}`."""

    option: str  # id of one of the approval's options
    note: str = ""  # sent to the agent with the answer
    always: Always | None = None  # only with an answer that allows once
    shown: Shown | None = None  # refused if the agent asks anything else


class ApprovalFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of a list of approvals."""

    waiting: bool | None = None
    run_id: str | None = None
    limit: int = 50
    cursor: str | None = None  # id of the last approval of the previous page


class ApprovalRequested(Event, frozen=True, kw_only=True, tag="approval_requested"):
    """An agent asks."""

    resource = "cabinet-approvals"

    approval: Approval


class ApprovalClosed(Event, frozen=True, kw_only=True, tag="approval_closed"):
    """The question is no longer open: `approval.state` and `approval.outcome` say why."""

    resource = "cabinet-approvals"

    approval: Approval


class AskingRun(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about the asking run that an approval shows. `folder` is absolute: where its CLI works."""

    id: str
    session_id: str
    terminal_id: str | None
    path: str | None
    runtime: str  # its name
    runtime_title: str
    instruction: str
    folder: str
    isolated: bool
    agent: str | None = None  # slug of the named agent whose run it is
    owner: str
    owner_name: str
    visibility: Visibility
