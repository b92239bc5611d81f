"""The data types of plays: requests, views and events. Also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from ..agents.files.persona_fields import FieldError
from ..agents.files.powers import Difference
from ..core.events import Event
from ..runs.model import NewRun, RunState
from .triggers import AnyTrigger

MAX_ABOUT_BYTES = 32 * 1024


class NewPlayRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="play"):
    """A request that an agent carries out a play. The instruction stays empty. `agent`: replaces the agent of the play.

    `about`: further context, such as the event that triggered the play. If it is `foreign`, it comes from outside: the
    prompt marks it as material, not as an instruction.
    """

    play: str
    instruction: str = ""
    agent: str | None = None
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    about: str = ""
    foreign: bool = False


class PlayLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of `.history/<slug>.jsonl`. `duration` is in seconds; `status` is `completed` or `failed`."""

    play_slug: str
    agent_slug: str | None = None
    timestamp: str
    duration: float
    status: str
    summary: str
    trigger: str
    run_id: str = ""


class PlayView(msgspec.Struct, frozen=True, kw_only=True):
    """A play in a list. `reason` says why it cannot be started; empty: it can. `agent`: the agent that would run it.

    `agent_gone`: the agent no longer exists. `broken`: the file has errors, so the play cannot be confirmed.
    `may_change`: the caller owns every agent that the play is for, which `PUT plays/{slug}` requires.
    """

    slug: str
    name: str
    title: str = ""
    category: str = ""
    agent: str | None = None
    agent_gone: bool = False
    reason: str = ""
    confirmed: bool = False
    broken: bool = False
    schedule: str = ""  # in words
    next_due: datetime | None = None
    triggers: tuple[AnyTrigger, ...] = ()
    inputs: tuple[str, ...] = ()
    run_id: str | None = None  # the run of it that is working or queued
    run_state: RunState | None = None  # the state of that run
    last: PlayLine | None = None  # its latest finished run
    may_change: bool = False


class PlayDetail(PlayView, frozen=True, kw_only=True):
    """One play. `etag`: the version of its file. `hash`: the value that `POST plays/{slug}/confirm` requires."""

    etag: str
    text: str
    fields: dict[str, Any] = {}  # its front matter, as written; empty if that cannot be read
    hash: str = ""
    difference: tuple[Difference, ...] = ()  # changes since the last confirmation
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None  # None: the tools of its agent
    timeout_seconds: float = 0
    upcoming: tuple[datetime, ...] = ()  # the next five times that its schedule is due
    has_secret: bool = False  # signed requests can start it


class PlayEvent(Event, frozen=True, kw_only=True):
    """Base of the events of one play."""

    resource = "cabinet-agents"

    play: str


class PlayChanged(PlayEvent, frozen=True, kw_only=True, tag="play_changed"):
    """The play has changed, or its history has a new line. Clients should fetch it again."""


class PlayNotStarted(PlayEvent, frozen=True, kw_only=True, tag="play_not_started"):
    """A trigger of the play has fired, but no run was started."""

    reason: str
    trigger: str


class PlayRemoved(PlayEvent, frozen=True, kw_only=True, tag="play_removed"):
    """The play was moved to the trash, or its file was deleted."""
