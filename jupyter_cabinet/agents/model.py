"""The room's wire format: requests for runs of agents, views of agents, and events of agents."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from ..core.events import Event
from ..core.people import Visibility
from ..runs.model import NewRun, RunState
from .files.persona_fields import FieldError
from .files.powers import Difference
from .files.tool_grants import BrowserAction

# unconfirmed: its current version needs confirmation. out_of_service: its files have an error.
AgentStatus = Literal["idle", "queued", "working", "waiting", "paused", "inactive", "unconfirmed", "out_of_service"]
EffectState = Literal["pending", "held", "applied", "refused", "unknown"]


class NewHeartbeat(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="heartbeat"):
    """A request for a heartbeat: the agent works through its messages, tasks, goals and checklist.

    `instruction` must be empty.
    """

    agent: str
    instruction: str = ""


class NewMessageRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="message"):
    """A request to talk with an agent. The answer has no effects. `session_id`: the session to continue."""

    agent: str


class NewReply(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="reply"):
    """A request for one short answer to a mention of an agent. The answer has no effects.

    `about`: the text around the mention.
    """

    agent: str
    about: str = ""


class NewReflection(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="reflection"):
    """A request for a reflection: the agent reads its soul and its memory, and may propose another soul.

    `instruction` must be empty.
    """

    agent: str
    instruction: str = ""


class AgentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the server stores about an agent, in addition to the agent's files. `id`: the agent's slug."""

    id: str
    owner: str
    owner_name: str = ""  # display name; empty if it is not known
    visibility: Visibility = "server"
    paused: bool = False
    paused_because: str = ""
    paused_by: str = ""  # display name; empty if the server paused it after failed runs
    paused_at: datetime | None = None
    failures: int = 0  # failed runs in a row
    quiet: int = 0  # heartbeats in a row that had nothing to report
    last_heartbeat: datetime | None = None  # when the last successful heartbeat ended
    checks: dict[str, datetime] = {}  # when each check of its `HEARTBEAT.md` was received last, by name
    session_id: str | None = None  # the session that its heartbeats continue, if its persona keeps one
    finished: int = 0  # successful heartbeats and plays since the last reflection
    finished_since: datetime | None = None  # when they began to be counted
    counted: tuple[str, ...] = ()  # ids of the last counted runs, so that no run counts twice


class GoalView(msgspec.Struct, frozen=True, kw_only=True):
    """A goal and its progress in the current period."""

    metric: str
    current: float
    target: float | None = None
    unit: str = ""
    floor: float | None = None
    stretch: float | None = None
    period_start: str = ""  # an ISO date; so is `period_end`
    period_end: str = ""
    label: str | None = None  # exceeded, on track, behind, critical
    history: tuple[PastPeriodView, ...] = ()


class PastPeriodView(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a goal in a past period."""

    period: str
    actual: float
    target: float | None = None


class LastRun(msgspec.Struct, frozen=True, kw_only=True):
    """The newest run of an agent, after it has ended.

    `text`: the failure, the reason why the run ended, or the beginning of its answer, in one line of at most 200
    characters. `nothing_to_report`: whether it was a heartbeat that had nothing to report.
    """

    id: str
    kind: str
    state: RunState
    at: datetime
    text: str = ""
    nothing_to_report: bool = False


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as a list shows it. `reason` explains the statuses `out_of_service`, `unconfirmed` and `paused`."""

    slug: str
    name: str
    role: str = ""
    emoji: str = ""
    department: str = ""
    type: str = "specialist"
    tags: tuple[str, ...] = ()
    runtime: str | None = None
    status: AgentStatus
    reason: str = ""
    schedule: str = ""  # the heartbeat's schedule in words
    next_heartbeat: datetime | None = None
    heartbeats_used: int = 0  # in this calendar month
    budget: int = 0
    cost_today_usd: float = 0.0  # as the CLIs report it; a run without a reported cost counts as 0
    daily_cost_usd: float | None = None  # the limit for `cost_today_usd`; None: its files have an error
    goals: tuple[GoalView, ...] = ()
    run_id: str | None = None  # the run that is active or queued
    last_run: LastRun | None = None  # None: no run yet, the newest has not ended, or the caller may not see it
    mostly_quiet: bool = False  # its last ten heartbeats had nothing to report; `when_needed` would avoid them
    owner: str = ""
    owner_name: str = ""  # display name; `owner` if it is not known
    visibility: Visibility = "server"


class AgentDetail(AgentView, frozen=True, kw_only=True):
    """One agent with its files and permissions.

    `etag`: version of its persona. `hash`: what `POST agents/{slug}/confirm` takes.
    """

    etag: str
    hash: str = ""
    confirmed: bool = False
    difference: tuple[Difference, ...] = ()  # from the version that a person confirmed last
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    persona: str = ""  # the content of `persona.md`
    fields: dict[str, Any] = {}  # front matter as written, but with a `heartbeat` group expanded; empty: unreadable
    upcoming: tuple[datetime, ...] = ()  # the next five heartbeats
    tools: tuple[str, ...] | None = None  # allowed tools of the CLI; None: all
    own_tools: tuple[str, ...] = ()
    unenforced: tuple[str, ...] = ()  # limits that its CLI cannot enforce, in sentences
    plays: tuple[str, ...] = ()


class SoulProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A soul that an agent proposes, beside its present one. It waits for a person.

    `at`: when its run ended. `hash`: the SHA-256 of `text`. `present`: the soul as it is now. `etag`: of `present`;
    None: the agent has no `SOUL.md`. `stale`: `SOUL.md` has changed since the run read it. `problem`: why the proposal
    cannot be accepted, as a sentence; empty if it can.
    """

    agent: str
    run_id: str
    at: datetime
    text: str
    hash: str
    present: str
    etag: str | None
    stale: bool
    problem: str = ""


class EffectReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one directive of a run. `id`: `<run id>/<position>`. `held`: a person must allow it first."""

    id: str
    run_id: str
    position: int
    line: int
    agent: str
    directive: str  # as the agent wrote it; complete if it is held, else at most 500 characters
    state: EffectState
    reason: str = ""
    at: datetime


class AgentEvent(Event, frozen=True, kw_only=True):
    """Base class of the events of one agent."""

    resource = "cabinet-agents"

    agent: str


class AgentChanged(AgentEvent, frozen=True, kw_only=True, tag="agent_changed"):
    """Event: an agent has changed. Clients fetch the agent again."""


class AgentPaused(AgentEvent, frozen=True, kw_only=True, tag="agent_paused"):
    """Event: an agent was paused and starts no run until a person resumes it. `by`: empty if failed runs paused it."""

    reason: str
    by: str = ""


class AgentRemoved(AgentEvent, frozen=True, kw_only=True, tag="agent_removed"):
    """Event: an agent was deleted, archived or renamed, or its files were removed by hand. `renamed_to`: new slug."""

    renamed_to: str = ""


class AgentResumed(AgentEvent, frozen=True, kw_only=True, tag="agent_resumed"):
    """Event: a person has resumed an agent, which may start runs again."""

    by: str


class EffectsApplied(AgentEvent, frozen=True, kw_only=True, tag="effects_applied"):
    """Event: the directives of a run were processed. `GET runs/{id}/effects` returns their outcomes."""

    run_id: str
    applied: int
    refused: int
    held: int = 0


class GoalAlert(AgentEvent, frozen=True, kw_only=True, tag="goal_alert"):
    """Event: a goal is below its floor, and at least four fifths of its period have passed."""

    metric: str


class MessageReceived(AgentEvent, frozen=True, kw_only=True, tag="message_received"):
    """Event: a message was put into an agent's inbox."""

    sender: str
    message_id: str
    chain: tuple[str, ...] = ()


class Posted(AgentEvent, frozen=True, kw_only=True, tag="posted"):
    """Event: an agent has posted to a channel. `text`: at most 500 characters.

    `chats`: the number of chats that it is sent to. With 0, no chat of this name is connected, and the text is only
    kept.
    """

    channel: str
    text: str
    post_id: str
    chats: int


class SoulProposed(AgentEvent, frozen=True, kw_only=True, tag="soul_proposed"):
    """Event: an agent proposes another `SOUL.md`, which waits for a person."""

    run_id: str


class SoulProposalClosed(AgentEvent, frozen=True, kw_only=True, tag="soul_proposal_closed"):
    """Event: a person has accepted or refused a proposed `SOUL.md`, or it was dropped with its agent."""

    run_id: str
    accepted: bool
    by: str


class BrowserAsked(AgentEvent, frozen=True, kw_only=True, tag="browser_asked"):
    """Event: an agent asks something of the browser of the person for whom its run works. Only they receive it.

    `text`: what it notifies of, the path of the file to open, or the text to copy.
    """

    run_id: str
    action: BrowserAction
    text: str


class TaskChanged(AgentEvent, frozen=True, kw_only=True, tag="task_changed"):
    """Event: a task was given to an agent, or has changed its status."""

    task_id: str
    status: str
    title: str


class MemoryMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A passage with all words of a search.

    `path`: relative to the agent's folder. `line`: the line of the first hit. `first_line`, `last_line`: of the
    passage. `excerpt`: the text around the first hit. `marks`: where the words are in it, each as the first character
    and the one after the last, counted in characters (not in UTF-16 units). `modified`: of the file, in seconds since
    1970. `tainted`: a run that had read text from outside has written it.
    """

    path: str
    line: int
    first_line: int
    last_line: int
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    modified: float
    tainted: bool = False


class MemoryMatches(msgspec.Struct, frozen=True, kw_only=True):
    """Best first.

    `left_out`: how many files were not searched: they are too large, too many, cannot be read, or are not indexed yet.
    """

    items: tuple[MemoryMatch, ...]
    left_out: int = 0
