"""The values of the room: a run, a session, what asks for a run, and the room's events.

The state table is in `states.py`. Everything here is also the wire format.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..core.events import Event
from ..core.people import Person, Visibility
from ..runtimes.model import AnswerOption, Failure, PermissionMode, RunMode, Usage
from ..runtimes.shared.tool_names import ToolPreset

RunState = Literal[
    "queued",
    "starting",
    "running",
    "waiting",
    "succeeded",
    "failed",
    "timed_out",
    "cancelled",
    "interrupted",
    "skipped",
]
RunKindName = Literal["manual", "editor"]
LISTED_CHARACTERS = 300  # of an answer, in lists


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what asked for a run."""

    kind: Literal["person", "program", "terminal"]  # terminal: typed into the CLI itself
    username: str
    display_name: str


class Attachment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of the open document that goes into the prompt."""

    kind: Literal["cell", "selection", "error"]
    title: str  # "Cell [3]", "Selection, 2 lines", "Last error: KeyError"
    text: str


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a run: the body of `POST runs`.

    `kind: editor` needs `session_id` or `path`. `mode` defaults to `terminal` for editor runs, else `headless`.
    """

    kind: RunKindName = "manual"
    instruction: str
    session_id: str | None = None
    path: str | None = None  # the document, relative to the server's root
    runtime: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    mode: RunMode | None = None
    cwd: str | None = None  # relative to the server's root
    attachments: tuple[Attachment, ...] = ()
    cols: int | None = None  # size of the pane, where the run opens a terminal
    rows: int | None = None
    terminal_id: str | None = None  # an open terminal in which the agent is started; the instruction may be empty then
    command: tuple[str, ...] | None = None  # the program and its arguments, for the runtime `command` alone
    # Read, Glob, Grep, Edit, Write, Bash, WebFetch, WebSearch, or names of the CLI's own; (): no tools at all
    allowed_tools: tuple[str, ...] | None = None
    tool_preset: ToolPreset | None = None  # instead of a list
    max_turns: int | None = None  # model calls after which it ends; None: the server's setting


class StartAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST terminals/{id}/agent`. Without an instruction the CLI opens and waits for one."""

    runtime: str | None = None  # None: the server's default
    command: tuple[str, ...] | None = None  # instead of a runtime: any program; nobody types until it ends
    instruction: str = ""
    model: str | None = None
    permission_mode: PermissionMode | None = None


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has to show. `cut`: in a list, where the text is only its beginning."""

    text: str
    cut: bool = False


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a runtime for one reason. Ends in exactly one final state, with a reason."""

    id: str
    number: int = 0  # grows from run to run, whatever the clock says: the order of queue and lists
    kind: RunKindName
    state: RunState
    reason: str = ""  # a sentence: why it waits, or how it ended
    failure: Failure | None = None
    instruction: str
    path: str | None = None
    cwd: str = "."
    runtime: str
    runtime_title: str
    model: str | None = None
    permission_mode: PermissionMode
    allowed_tools: tuple[str, ...] | None = None  # None: what the permission mode allows
    mode: RunMode
    session_id: str
    terminal_id: str | None = None
    trigger: Trigger
    owner: str
    visibility: Visibility
    isolated: bool = False  # no sandbox: the run has the power of the server's user
    attempt: int = 1
    position: int | None = None  # place in the queue, from 1, while queued
    result: RunResult | None = None
    usage: Usage | None = None
    cost_usd: float | None = None  # None: unknown
    warnings: tuple[str, ...] = ()
    queued_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_seconds: float | None = None  # measured, not from the times; None: not ended, or its server died


def in_list(run: Run) -> Run:
    """The run as a row of a list, without a long answer."""
    if run.result is None or len(run.result.text) <= LISTED_CHARACTERS:
        return run
    return msgspec.structs.replace(run, result=RunResult(text=run.result.text[:LISTED_CHARACTERS], cut=True))


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation of a runtime about one document; goes on over many runs."""

    id: str  # a UUID: chosen for the CLI too, where it lets us
    path: str
    told_path: str | None = None  # the document's path as the agent was last told of it
    title: str  # the first instruction; empty before
    runtime: str
    native_id: str | None = None  # the CLI's own id, once known
    native_cost_usd: float | None = None  # what the CLI counts for the whole session so far, where it does
    native_usage: Usage | None = None  # the same for tokens
    owner: str
    visibility: Visibility
    terminal_id: str | None = None  # set while the CLI is open
    created_at: datetime
    updated_at: datetime


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of runs is narrowed to. `query` is looked for in the instruction."""

    session_id: str | None = None
    path: str | None = None
    state: str | None = None
    query: str | None = None
    limit: int = 50
    cursor: str | None = None  # id of the last run of the page before


ApprovalState = Literal["waiting", "answered", "expired", "withdrawn"]
Risk = Literal["no_sandbox", "outside", "deletes", "network", "cut"]  # cut: not shown whole


class AskedPart(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of what an agent wants to do, whole."""

    label: str  # "Command", "File", …, else the argument's own name
    text: str


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


class NewAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST approvals/{id}`."""

    option: str  # id of one of the approval's options
    note: str = ""  # said to the agent with it


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


class RunChanged(Event, frozen=True, kw_only=True, tag="run_changed"):
    """Base of the events of one run: each carries the run as it is after the change."""

    run: Run


class RunQueued(RunChanged, frozen=True, kw_only=True, tag="run_queued"):
    """Accepted; waits for a place."""


class RunStarted(RunChanged, frozen=True, kw_only=True, tag="run_started"):
    """The process lives."""


class RunWaiting(RunChanged, frozen=True, kw_only=True, tag="run_waiting"):
    """The CLI asks something."""


class RunResumed(RunChanged, frozen=True, kw_only=True, tag="run_resumed"):
    """The question was answered."""


class RunUpdated(RunChanged, frozen=True, kw_only=True, tag="run_updated"):
    """Something but the state changed: place in the queue, cost, terminal."""


class RunFinished(RunChanged, frozen=True, kw_only=True, tag="run_finished"):
    """Final: `run.state` and `run.reason` say how."""


class SessionClosed(Event, frozen=True, kw_only=True, tag="session_closed"):
    """The session's CLI is no longer open. A further instruction resumes it."""

    session_id: str
    reason: str
