"""The origin of an effect, and its outcome."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from ...correspondence.tasks import id_of
from ...files.persona import Goal
from ..answer_block import Directive

MAX_CHAIN = 8  # runs that trigger each other


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The run whose directives are applied.

    `at`: when the run ended, in UTC, the same for each attempt to apply its effects. `tainted`: the run saw text from
    outside. `depth`: the number of runs before it in the chain of triggers, 0 if a person or a schedule started it.
    `chain`: the agents of these runs. `link`: what this run adds to the chain; empty: its agent. `prefix`: precedes the
    position in keys, for a directive that the run gave by a tool while it was active; `at` is then the time of the
    call. `owner`: of the run; empty: that of the agent.
    """

    run_id: str
    agent: str
    at: datetime
    tainted: bool = False
    depth: int = 0
    chain: tuple[str, ...] = ()
    link: str = ""
    prefix: str = ""
    owner: str = ""

    def key_of(self, directive: Directive) -> str:
        """Return the key of a directive, `<run id>/<position>`. Everything that the directive writes contains it."""
        return f"{self.run_id}/{self.prefix}{directive.position}"

    def id_of(self, directive: Directive) -> str:
        """Return the directive's key as an id of a message, a task or a post, which may be part of a file name."""
        return id_of(self.key_of(directive))

    @property
    def chain_on(self) -> tuple[str, ...]:
        """The chain for what this run triggers: `chain`, then `link` or else this run's agent."""
        return (*self.chain, self.link or self.agent)

    @property
    def timestamp(self) -> str:
        """`at` as files contain it: ISO 8601 with a `Z`."""
        return self.at.isoformat().replace("+00:00", "Z")


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of an agent that effects need: its goals, the time zone in which their periods begin, and the
    names to which it may post (empty: all).
    """

    goals: tuple[Goal, ...] = ()
    zone: ZoneInfo = ZoneInfo("UTC")
    channels: tuple[str, ...] = ()


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a directive.

    `unknown`: it may have had an effect outside before a crash, and is not repeated automatically. `reason`: a sentence
    for people; it may be empty if the directive was applied.
    """

    key: str
    state: Literal["applied", "refused", "unknown"]
    reason: str = ""
    at: datetime


class DirectiveRefused(Exception):
    """Raised if a directive has no effect. The text says why."""
