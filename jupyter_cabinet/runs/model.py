"""The values of the room: a run, what asks for one, and the room's events. Also the wire format.

What may follow what is in `rules/lifecycle.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..changes.model import ChangeCounts
from ..core.events import Event
from ..core.people import Person, Visibility
from ..runtimes.model import Failure, PermissionMode, RunMode, Usage
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
LISTED_CHARACTERS = 300  # of an answer, in lists
MAX_DEPTH = 8  # links of a chain of runs that started each other

# terminal: typed into the CLI itself; run: another run has ended, or an agent in it has asked; event: a file has
# changed, a goal is behind; webhook: a signed request from outside
TriggerKind = Literal["person", "program", "terminal", "schedule", "run", "event", "webhook", "message"]
UNATTENDED: frozenset[TriggerKind] = frozenset({"schedule", "run", "event", "webhook", "message"})


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what asked for a run. `username` is who answers for it, where no person asked."""

    kind: TriggerKind
    username: str
    display_name: str
    source: str = ""  # what exactly: "heartbeat of ada at 08:00", a play, a file
    chain: tuple[str, ...] = ()  # what started each other before it, oldest first: "play/triage", "ada", …

    @property
    def depth(self) -> int:
        """How many links came before it; 0 for what a person or a schedule has asked for."""
        return len(self.chain)

    @property
    def person(self) -> Person:
        """Who it was."""
        return Person(username=self.username, display_name=self.display_name)


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The fields that all requests for runs share. Each kind has its own body, registered by the room that owns it:
    fields that are left out are resolved when the run is accepted, and are on the `Run`."""

    instruction: str
    session_id: str | None = None
    runtime: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    mode: RunMode | None = None  # None: as its kind and the runtime have it
    cwd: str | None = None  # relative to the server's root
    cols: int | None = None  # size of the pane, where the run opens a terminal
    rows: int | None = None
    # Read, Glob, Grep, Edit, Write, Bash, WebFetch, WebSearch, or names of the CLI's own; (): no tools at all
    allowed_tools: tuple[str, ...] | None = None
    tool_preset: ToolPreset | None = None  # instead of a list
    max_turns: int | None = None  # model calls after which it ends; None: the server's setting


class NewManualRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="manual"):
    """A bare instruction, or a program or an agent that is started in a terminal; the instruction may be empty then."""

    path: str | None = None  # a document that it is listed with, relative to the server's root
    terminal_id: str | None = None  # an open terminal in which the agent is started
    command: tuple[str, ...] | None = None  # the program and its arguments, for the runtime `command` alone


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


PERSON, CHANNEL, TASK, SCHEDULE = range(4)  # priorities of runs: lower goes first


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a runtime for one reason. Ends in exactly one final state, with a reason."""

    id: str
    number: int = 0  # grows from run to run, whatever the clock says: the order of queue and lists
    revision: int = 0  # grows with each change on record: which of two answers about a run is the newer one
    kind: str  # of those that are registered
    state: RunState
    reason: str = ""  # a sentence: why it waits, or how it ended
    failure: Failure | None = None
    instruction: str
    attached: tuple[str, ...] = ()  # titles of the pieces that go into the prompt with it: "Cell [3]"
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
    agent: str | None = None  # slug of the named agent that it is a run of
    priority: int = PERSON  # lower goes first
    parallel: int = 1  # runs that its agent may have at once
    exclusive: bool = False  # writes its agent's memory: never beside another one that does
    isolated: bool = False  # no sandbox: the run has the power of the server's user
    tainted: bool = False  # text of strangers stood in its prompt
    attempt: int = 1
    max_attempts: int = 1
    not_before: datetime | None = None  # when it is tried again
    timeouts: tuple[float, ...] = ()  # seconds of work, of each attempt; else the server's limit
    own_tools: tuple[str, ...] = ()  # groups of our tools that it has
    allow_unenforced: bool = False  # what its CLI cannot keep of its configuration was accepted
    ahead: int = 0  # more than another queued run of its session: it goes before that one
    position: int | None = None  # place in the queue, from 1, while queued
    result: RunResult | None = None
    usage: Usage | None = None
    cost_usd: float | None = None  # None: unknown
    changed: ChangeCounts | None = None  # in the workspace; None: not compared
    denied: int = 0  # questions of it that ended with no, counted at its end: by a person, a rule or the time limit
    warnings: tuple[str, ...] = ()
    queued_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_seconds: float | None = None  # measured, not from the times; None: not ended, or its server died


def revised(before: Run, run: Run) -> Run:
    """The run as it is put on record: another revision, where anything has changed."""
    return run if run == before else msgspec.structs.replace(run, revision=before.revision + 1)


def in_list(run: Run) -> Run:
    """The run as a row of a list, without a long answer."""
    if run.result is None or len(run.result.text) <= LISTED_CHARACTERS:
        return run
    return msgspec.structs.replace(run, result=RunResult(text=run.result.text[:LISTED_CHARACTERS], cut=True))


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of runs is narrowed to. `query` is looked for in the instruction; `path` is a document, `below` a
    folder of documents or one of them; `since` and `until` are about when it was asked for, the second one excluded.
    """

    session_id: str | None = None
    path: str | None = None
    state: str | None = None
    query: str | None = None
    agent: str | None = None
    kind: str | None = None
    runtime: str | None = None
    asked_by: str | None = None  # user name, or whole words of the display name
    below: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    changed: bool = False  # only those that have changed files
    limit: int = 50
    cursor: str | None = None  # id of the last run of the page before


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


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """Whether work is paused on this root directory. `by` is the display name of who has switched last."""

    paused: bool = False
    by: str = ""
    at: datetime | None = None


class WorkPaused(Event, frozen=True, kw_only=True, tag="work_paused"):
    """Nothing is started any more."""

    by: str


class WorkResumed(Event, frozen=True, kw_only=True, tag="work_resumed"):
    """What waits is started again."""

    by: str


class TurnSwitch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST switch`."""

    paused: bool
    now: bool = False  # with `paused`: what works in this server is ended too
