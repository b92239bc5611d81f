"""Runtimes whose CLI is not logged in: runs that nobody waits for are not started with them until a login is seen.

A person's run is always tried; its success closes the breaker, and so does a login that the CLI itself reports.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from ...core.clock import Clock
from ...runtimes.model import Outcome
from ..model import UNATTENDED, Run

TRY_AGAIN_SECONDS = 6 * 60 * 60.0  # one run that nobody waits for may try


class Open(msgspec.Struct, kw_only=True):
    """Since when, and when somebody last tried."""

    since: datetime
    tried: float  # monotonic
    logged_in: bool  # what the CLI said of itself when it failed


class Breakers:
    """In memory: after a restart one run finds out again."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, Open] = {}

    @property
    def names(self) -> frozenset[str]:
        """Runtimes whose breaker is open."""
        return frozenset(self._open)

    def saw(self, run: Run, outcome: Outcome, *, logged_in: bool) -> None:
        """A run has ended. `logged_in`: whether the CLI says of itself that it is."""
        failure = outcome.failure
        if failure is None:
            self._open.pop(run.runtime, None)
        elif failure.kind == "not_logged_in":
            since = self._open[run.runtime].since if run.runtime in self._open else self._clock.now()
            self._open[run.runtime] = Open(since=since, tried=self._clock.monotonic(), logged_in=logged_in)

    def refusal(self, run: Run, *, logged_in: bool) -> str | None:
        """Why the run is not started, in a sentence; None: it may be."""
        found = self._open.get(run.runtime)
        if found is None or run.trigger.kind not in UNATTENDED:
            return None
        if logged_in and not found.logged_in:
            del self._open[run.runtime]
            return None
        if self._clock.monotonic() - found.tried > TRY_AGAIN_SECONDS:
            found.tried = self._clock.monotonic()
            return None
        return (
            f"{run.runtime_title} is not logged in since {found.since:%Y-%m-%d %H:%M} UTC. Log in, then run it again."
        )
