"""The values of the room: what a run of an agent is asked for with, what is shown of an agent, and the room's events.
Also the wire format.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from ..core.events import Event
from ..core.people import Visibility
from ..runs.model import NewRun, RunState
from .files.persona_fields import FieldError
from .files.powers import Difference

# unconfirmed: nobody has confirmed it as it is now. out_of_service: its files cannot be used as they are.
AgentStatus = Literal["idle", "queued", "working", "waiting", "paused", "inactive", "unconfirmed", "out_of_service"]
EffectState = Literal["pending", "held", "applied", "refused", "unknown"]


class NewHeartbeat(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="heartbeat"):
    """An agent works through all it knows: messages, tasks, goals, its checklist. The instruction stays empty."""

    agent: str
    instruction: str = ""


class NewMessageRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="message"):
    """Somebody talks with an agent. Its answer has no effects; a `session_id` continues an earlier talk."""

    agent: str


class NewReply(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="reply"):
    """Somebody has mentioned an agent: one short answer, without effects. `about`: the text around the mention."""

    agent: str
    about: str = ""


class AgentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the server itself knows of an agent, beside its files. `id` is its slug."""

    id: str
    owner: str
    visibility: Visibility = "server"
    paused: bool = False
    paused_because: str = ""
    paused_by: str = ""  # display name; empty: by itself
    paused_at: datetime | None = None
    failures: int = 0  # failed runs in a row
    quiet: int = 0  # heartbeats in a row that had nothing to report
    last_heartbeat: datetime | None = None  # when the last one that succeeded has ended
    session_id: str | None = None  # that its heartbeats continue, if they do
    counted: tuple[str, ...] = ()  # the last runs that were counted, so that none counts twice


class GoalView(msgspec.Struct, frozen=True, kw_only=True):
    """A goal with its progress in the current period."""

    metric: str
    current: float
    target: float | None = None
    unit: str = ""
    floor: float | None = None
    stretch: float | None = None
    period_start: str = ""  # a day
    period_end: str = ""
    label: str | None = None  # exceeded, on track, behind, critical
    history: tuple[PastPeriodView, ...] = ()


class PastPeriodView(msgspec.Struct, frozen=True, kw_only=True):
    """What a goal had come to when its period ended."""

    period: str
    actual: float
    target: float | None = None


class LastRun(msgspec.Struct, frozen=True, kw_only=True):
    """How the newest run of an agent has ended. `text`: its failure, the reason of its end, or the beginning of its
    answer, in one line of at most 200 characters. `nothing_to_report`: a heartbeat that had nothing to do."""

    id: str
    kind: str
    state: RunState
    at: datetime
    text: str = ""
    nothing_to_report: bool = False


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """An agent in a list. `reason` says why it is in this status, where it is not idle or at work."""

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
    schedule: str = ""  # in words
    next_heartbeat: datetime | None = None
    heartbeats_used: int = 0  # in this calendar month
    budget: int = 0
    cost_today_usd: float = 0.0  # as the CLIs report it; a run that reports none counts as nothing
    daily_cost_usd: float | None = None  # the limit of that; None: its files cannot be read
    goals: tuple[GoalView, ...] = ()
    run_id: str | None = None  # that works or waits in the queue
    last_run: LastRun | None = None  # None: none has ended, a newer one is at work, or it is not the caller's to see
    mostly_quiet: bool = False  # its last ten heartbeats had nothing to report: `when_needed` would save them
    isolated: bool = False
    owner: str = ""
    visibility: Visibility = "server"


class AgentDetail(AgentView, frozen=True, kw_only=True):
    """One agent. `etag`: of its persona. `hash`: what `POST agents/{slug}/confirm` takes."""

    etag: str
    hash: str = ""
    confirmed: bool = False
    difference: tuple[Difference, ...] = ()  # to what a person has confirmed last
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    persona: str = ""  # the file as it is
    fields: dict[str, Any] = {}  # of its front matter, as written; a group `heartbeat` by its parts; none if unreadable
    upcoming: tuple[datetime, ...] = ()  # the next five heartbeats
    tools: tuple[str, ...] | None = None  # of the CLI; None: all
    own_tools: tuple[str, ...] = ()
    unenforced: tuple[str, ...] = ()  # what its CLI does not keep of this, in sentences
    plays: tuple[str, ...] = ()


class EffectReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one directive of a run. `id` is `<run id>/<position>`; `held`: a person must allow it first."""

    id: str
    run_id: str
    position: int
    line: int
    agent: str
    directive: str  # as the agent has written it; whole where it is held, else at most 500 characters
    state: EffectState
    reason: str = ""
    at: datetime


class AgentEvent(Event, frozen=True, kw_only=True):
    """Base of the events of one agent."""

    agent: str


class AgentChanged(AgentEvent, frozen=True, kw_only=True, tag="agent_changed"):
    """Something of it has changed: fetch it again."""


class AgentRemoved(AgentEvent, frozen=True, kw_only=True, tag="agent_removed"):
    """It was deleted, archived or renamed, or somebody has removed its files. `renamed_to`: its new slug."""

    renamed_to: str = ""


class AgentPaused(AgentEvent, frozen=True, kw_only=True, tag="agent_paused"):
    """It starts nothing until somebody resumes it. `by` is empty where it was paused after failed runs."""

    reason: str
    by: str = ""


class AgentResumed(AgentEvent, frozen=True, kw_only=True, tag="agent_resumed"):
    """It works again."""

    by: str


class EffectsApplied(AgentEvent, frozen=True, kw_only=True, tag="effects_applied"):
    """The directives of a run have had their effects; `runs/{id}/effects` has them."""

    run_id: str
    applied: int
    refused: int
    held: int = 0


class MessageReceived(AgentEvent, frozen=True, kw_only=True, tag="message_received"):
    """There is a message in its inbox."""

    sender: str
    message_id: str
    chain: tuple[str, ...] = ()


class TaskChanged(AgentEvent, frozen=True, kw_only=True, tag="task_changed"):
    """A task of it is new or in another state."""

    task_id: str
    status: str
    title: str


class Posted(AgentEvent, frozen=True, kw_only=True, tag="posted"):
    """It has written into a channel. `text`: at most 500 characters."""

    channel: str
    text: str
    post_id: str


class GoalAlert(AgentEvent, frozen=True, kw_only=True, tag="goal_alert"):
    """A goal is under its floor, and most of its period is over."""

    metric: str
