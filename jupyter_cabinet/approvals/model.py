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
Risk = Literal["no_sandbox", "outside", "deletes", "network", "cut"]  # cut: not shown whole


class AskedPart(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of what an agent wants to do, whole."""

    label: str  # "Command", "File", …, else the argument's own name
    text: str
    changes: bool = False  # it is what a file gains or loses


class ShownCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One of the commands that a line for a shell runs, as it stands there. `how`: it reads the output of the one
    before, or its own output becomes words or a file of another one."""

    text: str
    how: Literal["", "pipe", "substitution"] = ""


class ProposedEdit(msgspec.Struct, frozen=True, kw_only=True):
    """A change that an agent asks for, at its place. `path` is relative to the server's root."""

    path: str
    cell: str = ""  # id of the cell whose source changes; empty: the text of the file
    old: str  # what is replaced; the whole text where the file is written anew
    new: str


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a run that waits for a person, or has been answered. `risks` are hints, not a wall."""

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
    runs: tuple[ShownCommand, ...] = ()  # of a line for a shell with several commands, in their order
    edits: tuple[ProposedEdit, ...] = ()  # what the parts that change something say; empty where they say more
    why: str = ""  # the reason that the agent gives
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
    outcome: str = ""  # a sentence: what became of it, without who; empty while it waits
    because: str = ""  # why a person is asked, a sentence without its full stop
    rule_id: str | None = None  # of the rule that answered it, or made that it is asked
    rule: str = ""  # that rule as people read it
    always: tuple[NewRule, ...] = ()  # what an answer may make that allows exactly this from now on
    always_days: int = 0  # for how long the rules hold that the answer has made; 0: it has made none


class Always(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Makes the rules with an answer that the approval names as `always`."""

    days: Annotated[int, msgspec.Meta(ge=1, le=MOST_DAYS)]


class Shown(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person has seen of a question: all of it that says what would be done."""

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
    note: str = ""  # said to the agent with it
    always: Always | None = None  # only with an answer that allows once
    shown: Shown | None = None  # refused where the agent asks anything else than this


class ApprovalFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of approvals is narrowed to."""

    waiting: bool | None = None
    run_id: str | None = None
    limit: int = 50
    cursor: str | None = None  # id of the last approval of the page before


class ApprovalRequested(Event, frozen=True, kw_only=True, tag="approval_requested"):
    """An agent asks."""

    approval: Approval


class ApprovalClosed(Event, frozen=True, kw_only=True, tag="approval_closed"):
    """The question is no longer open: `approval.state` and `approval.outcome` say why."""

    approval: Approval


class AskingRun(msgspec.Struct, frozen=True, kw_only=True):
    """What an approval shows of the run that asks. `folder` is absolute: where its CLI works."""

    id: str
    session_id: str
    terminal_id: str | None
    path: str | None
    runtime: str  # its name
    runtime_title: str
    instruction: str
    folder: str
    isolated: bool
    agent: str | None = None  # slug of the named agent that it is a run of
    owner: str
    owner_name: str
    visibility: Visibility
