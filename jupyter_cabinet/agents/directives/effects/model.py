"""Where an effect comes from, and its outcome."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from ...correspondence.tasks import id_of
from ...files.persona import Goal
from ..answer_block import Directive

MAX_CHAIN = 8  # runs that lead to each other


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The run whose directives are applied.

    `at`: when it ended, with zone UTC, the same each time its effects are tried. `tainted`: it saw foreign text.
    `link`: what it adds to the chain of what it leads to; empty: its agent.
    `depth`: how many runs had led to each other before it, 0 for one that a person or the clock started; `chain`:
    the agents that worked in them. `prefix`: precedes the position in keys, for what the run did by a tool while
    it worked; `at` is then the time of that.
    """

    run_id: str
    agent: str
    at: datetime
    tainted: bool = False
    depth: int = 0
    chain: tuple[str, ...] = ()
    link: str = ""
    prefix: str = ""

    def key_of(self, directive: Directive) -> str:
        """What everything that the directive writes carries: `<run id>/<position>`."""
        return f"{self.run_id}/{self.prefix}{directive.position}"

    def id_of(self, directive: Directive) -> str:
        """The same as the id of a message, a task or a post, and so a part of a file's name."""
        return id_of(self.key_of(directive))

    @property
    def chain_on(self) -> tuple[str, ...]:
        """The chain of what this run leads to."""
        return (*self.chain, self.link or self.agent)

    @property
    def timestamp(self) -> str:
        """`at` as files have it."""
        return self.at.isoformat().replace("+00:00", "Z")


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What the effects need to know of an agent of this root: its goals, and the zone in which their periods begin."""

    goals: tuple[Goal, ...] = ()
    zone: ZoneInfo = ZoneInfo("UTC")


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a directive, for its run.

    `unknown`: it may have reached the outside before a crash, and is not repeated by itself. `reason`: a sentence for
    people; it may be empty for what was applied.
    """

    key: str
    state: Literal["applied", "refused", "unknown"]
    reason: str = ""
    at: datetime


class DirectiveRefused(Exception):
    """A directive that has no effect; the text says why."""
