"""The values of plays: what a run is asked for with, what is shown of a play, and events. Also the wire format."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from ..agents.files.persona_fields import FieldError
from ..agents.files.powers import Difference
from ..core.events import Event
from ..runs.model import NewRun
from .triggers import AnyTrigger

MAX_ABOUT_BYTES = 32 * 1024


class NewPlayRun(NewRun, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="play"):
    """An agent carries a play out. The instruction stays empty. `agent`: instead of the one that the play has.

    `about`: further context, such as the event that triggered it; if it is `foreign`, somebody outside has written
    it, and it is material, never an instruction.
    """

    play: str
    instruction: str = ""
    agent: str | None = None
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    about: str = ""
    foreign: bool = False


class PlayLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of `.history/<slug>.jsonl`. `duration` in seconds; `status`: `completed` or `failed`."""

    play_slug: str
    agent_slug: str | None = None
    timestamp: str
    duration: float
    status: str
    summary: str
    trigger: str
    run_id: str = ""


class PlayView(msgspec.Struct, frozen=True, kw_only=True):
    """A play in a list. `reason` says why it may not act; empty: it may. `agent`: who would run it.
    `agent_gone`: the agent no longer exists. `broken`: its file has mistakes, so it cannot be confirmed.

    `may_change`: the caller owns every agent that it is for, as `PUT plays/{slug}` asks.
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
    run_id: str | None = None  # that works or waits in the queue
    last: PlayLine | None = None  # the run that has ended last
    may_change: bool = False


class PlayDetail(PlayView, frozen=True, kw_only=True):
    """One play. `etag`: of its file. `hash`: what `POST plays/{slug}/confirm` takes."""

    etag: str
    text: str
    fields: dict[str, Any] = {}  # of its front matter, as written; none where it cannot be read
    hash: str = ""
    difference: tuple[Difference, ...] = ()  # to what a person has confirmed last
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None  # None: those of its agent
    timeout_seconds: float = 0
    upcoming: tuple[datetime, ...] = ()  # the next five times that its schedule is due
    has_secret: bool = False  # signed requests can start it


class PlayEvent(Event, frozen=True, kw_only=True):
    """Base of the events of one play."""

    play: str


class PlayChanged(PlayEvent, frozen=True, kw_only=True, tag="play_changed"):
    """Something of it has changed, or its history has a new line: fetch it again."""


class PlayRemoved(PlayEvent, frozen=True, kw_only=True, tag="play_removed"):
    """It was put into the trash, or somebody has removed its file."""


class PlayNotStarted(PlayEvent, frozen=True, kw_only=True, tag="play_not_started"):
    """One of its triggers has fired, and nothing was started."""

    reason: str
    trigger: str
