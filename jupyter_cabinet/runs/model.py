"""The data types of runs: a run, the requests for one, and the events. Also the wire format.

The transitions between states are in `rules/lifecycle.py`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ..changes.model import ChangeCounts
from ..core.events import Event
from ..core.people import Person, Visibility
from ..runners.port import RunnerName, Where
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
LISTED_CHARACTERS = 300  # longest answer in a list
MAX_DEPTH = 8  # longest chain of runs that started each other

# terminal: typed into the CLI itself; run: another run has ended, or its agent requested this one; event: a file has
# changed or a goal is behind its target; webhook: a signed request from outside
TriggerKind = Literal["person", "program", "terminal", "schedule", "run", "event", "webhook", "message"]
UNATTENDED: frozenset[TriggerKind] = frozenset({"schedule", "run", "event", "webhook", "message"})


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """Who or what requested a run. `username` is the user responsible for it, also if no person requested it."""

    kind: TriggerKind
    username: str
    display_name: str
    source: str = ""  # details: "heartbeat of ada at 08:00", a play, a file
    chain: tuple[str, ...] = ()  # the plays and agents that led to it, oldest first: "play/triage", "ada", …
    run_id: str = ""  # the run whose agent has started it by a tool; empty: none
    ancestors: tuple[str, ...] = ()  # that run, the one that has started it, and so on, the nearest last

    @property
    def depth(self) -> int:
        """Return the length of the chain of agents and plays that led to the run; 0 if there is none."""
        return len(self.chain)

    @property
    def person(self) -> Person:
        """Return the user responsible for the run."""
        return Person(username=self.username, display_name=self.display_name)


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The fields that all requests for runs share. Each kind has its own body, defined by the package that owns the
    kind.

    Fields that are left out are resolved when the run is accepted, and are then set on the `Run`.
    """

    instruction: str
    session_id: str | None = None
    runtime: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    mode: RunMode | None = None  # None: the default of the kind and the runtime
    cwd: str | None = None  # relative to the server's root
    cols: int | None = None  # size of the pane, if the run opens a terminal
    rows: int | None = None
    # Read, Glob, Grep, Edit, Write, Bash, WebFetch, WebSearch, or names of the CLI's own tools; (): no tools at all
    allowed_tools: tuple[str, ...] | None = None
    tool_preset: ToolPreset | None = None  # instead of a list
    max_turns: int | None = None  # model calls after which it ends; None: the server's setting
    isolate: bool | None = None  # true: work in a sandbox or not at all; None: as the server's setting says
    runner: RunnerName | None = None  # where it starts: local, dask (a cluster), docker (a container); None: a setting


class NewManualRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="manual"):
    """A request with only an instruction, or to start a program or an agent CLI in a terminal.

    The instruction may be empty if something is started in a terminal.
    """

    path: str | None = None  # the document with which the run is listed, relative to the server's root
    terminal_id: str | None = None  # an open terminal in which the agent is started
    command: tuple[str, ...] | None = None  # the program and its arguments, only for the runtime `command`


class StartAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST terminals/{id}/agent`. Without an instruction, the CLI opens and waits for one."""

    runtime: str | None = None  # None: the server's default
    command: tuple[str, ...] | None = None  # any program, instead of a runtime
    instruction: str = ""
    model: str | None = None
    permission_mode: PermissionMode | None = None
    isolate: bool | None = None  # true: work in a sandbox or not at all; None: as the server's setting says
    runner: RunnerName | None = None  # where it starts: local, or docker (a container); None: as the setting says


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a run. `cut`: in a list, whether the text is only the beginning of the answer."""

    text: str
    cut: bool = False


PERSON, CHANNEL, TASK, SCHEDULE = range(4)  # priorities of runs: the lower number goes first


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a runtime for one reason. It ends in exactly one final state, with a reason."""

    id: str
    number: int = 0  # grows from run to run, independent of the clock: the order of the queue and of lists
    revision: int = 0  # grows with each stored change: shows which of two versions of a run is newer
    kind: str  # name of a registered kind
    state: RunState
    reason: str = ""  # why it waits, or how it ended, as a sentence
    failure: Failure | None = None
    instruction: str
    attached: tuple[str, ...] = ()  # titles of the attachments in the prompt: "Cell [3]"
    path: str | None = None
    cwd: str = "."
    runtime: str
    runtime_title: str
    model: str | None = None
    permission_mode: PermissionMode
    allowed_tools: tuple[str, ...] | None = None  # None: the tools that the permission mode allows
    mode: RunMode
    session_id: str
    terminal_id: str | None = None
    trigger: Trigger
    owner: str
    visibility: Visibility
    agent: str | None = None  # slug of the named agent to which the run belongs
    plan_id: str | None = None  # the plan to which the run belongs
    step_id: str | None = None  # the step of that plan
    priority: int = PERSON  # the lower number goes first
    parallel: int = 1  # runs that its agent may have at once
    exclusive: bool = False  # writes its agent's memory: never at the same time as another such run
    isolate: bool | None = None  # what was requested: true: in a sandbox or not at all; None: the server's setting
    isolated: bool = False  # whether it runs in a sandbox; without one it has all rights of the server's user
    runner: RunnerName | None = None  # where it was to start; None: as the server's setting says
    image: str | None = None  # of the container, if it works in one; None: the server's
    where: Where | None = None  # where it was started; None: not yet, or by an earlier version
    tainted: bool = False  # its prompt contained text from untrusted sources
    attempt: int = 1
    max_attempts: int = 1
    not_before: datetime | None = None  # earliest time of the next attempt
    timeouts: tuple[float, ...] = ()  # seconds of work, for each attempt; (): the server's limit
    own_tools: tuple[str, ...] = ()  # groups of Cabinet's tools that it has
    allow_unenforced: bool = False  # settings that its CLI cannot enforce were accepted
    network: tuple[str, ...] = ()  # in a sandbox: hosts beyond its model service, "packages" or "open"
    ahead: int = 0  # within its session, the queued run with the higher value goes first
    position: int | None = None  # position in the queue, from 1, while queued
    result: RunResult | None = None
    usage: Usage | None = None
    cost_usd: float | None = None  # None: unknown
    changed: ChangeCounts | None = None  # in the workspace; None: not compared
    denied: int = 0  # approval requests denied by a person, a rule or the time limit, counted at its end
    warnings: tuple[str, ...] = ()
    queued_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration_seconds: float | None = None  # measured on the monotonic clock; None: not ended, or its server died


def revised(before: Run, run: Run) -> Run:
    """Return the run as it will be stored: with a revision number one higher than `before`, if anything has changed."""
    return run if run == before else msgspec.structs.replace(run, revision=before.revision + 1)


def in_list(run: Run) -> Run:
    """Return the run for a list, with an answer of more than `LISTED_CHARACTERS` cut to its beginning."""
    if run.result is None or len(run.result.text) <= LISTED_CHARACTERS:
        return run
    return msgspec.structs.replace(run, result=RunResult(text=run.result.text[:LISTED_CHARACTERS], cut=True))


class DocumentWork(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of another person works in a document: all that others learn about a private run."""

    run_id: str
    path: str
    by: str  # the display name of the person for whom it works
    agent: str  # the name of its runtime


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The filter of a list of runs.

    `query` is a text in the instruction. `path` is a document; `below` is a folder of documents, or one document.
    `since` (included) and `until` (excluded) are times at which runs were queued.
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
    changed: bool = False  # only runs that have changed files
    limit: int = 50
    cursor: str | None = None  # id of the last run of the previous page


class RunChanged(Event, frozen=True, kw_only=True, tag="run_changed"):
    """Base of the events of one run. Each carries the run after the change."""

    resource = "cabinet-runs"

    run: Run


class RunQueued(RunChanged, frozen=True, kw_only=True, tag="run_queued"):
    """The run was accepted and waits in the queue."""


class RunStarted(RunChanged, frozen=True, kw_only=True, tag="run_started"):
    """The process of the run is alive."""


class RunWaiting(RunChanged, frozen=True, kw_only=True, tag="run_waiting"):
    """The run waits: its CLI asks a question or is paused."""


class RunResumed(RunChanged, frozen=True, kw_only=True, tag="run_resumed"):
    """The run continues after it has waited."""


class RunUpdated(RunChanged, frozen=True, kw_only=True, tag="run_updated"):
    """Something other than the state changed: position in the queue, cost, terminal."""


class RunFinished(RunChanged, frozen=True, kw_only=True, tag="run_finished"):
    """The run is final: `run.state` and `run.reason` say how it ended."""


class RunDeleted(Event, frozen=True, kw_only=True, tag="run_deleted"):
    """The record of a run and its files were deleted."""

    resource = "cabinet-runs"

    run_id: str
    session_id: str


class DocumentWorkChanged(Event, frozen=True, kw_only=True, tag="document_work_changed"):
    """An agent has started or stopped working in a document, as a private run: fetch `editor/work` again."""

    resource = "cabinet-runs"
