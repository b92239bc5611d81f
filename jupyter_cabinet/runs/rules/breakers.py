"""Circuit breakers for runtimes whose CLI is not logged in: unattended runs are not started until a login is seen.

A run that a person started is always tried. Its success closes the breaker, and so does a login that the CLI reports.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from ...core.clock import Clock
from ...runtimes.model import Outcome
from ..model import UNATTENDED, Run

TRY_AGAIN_SECONDS = 6 * 60 * 60.0  # after this time, one unattended run may try


class Open(msgspec.Struct, kw_only=True):
    """An open breaker: since when, and when a run last tried the CLI."""

    since: datetime
    tried: float  # seconds on the monotonic clock
    logged_in: bool  # whether the CLI claimed to be logged in when the run failed


class Breakers:
    """The open breakers by runtime. They are only in memory, so after a restart one run must fail first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, Open] = {}

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the runtimes whose breaker is open."""
        return frozenset(self._open)

    def saw(self, run: Run, outcome: Outcome, *, logged_in: bool) -> None:
        """Open or close the breaker of a runtime by the outcome of a run.

        `logged_in`: whether the CLI claims to be logged in. A success closes it, the failure `not_logged_in` opens it,
        and any other failure changes nothing.
        """
        failure = outcome.failure
        if failure is None:
            self._open.pop(run.runtime, None)
        elif failure.kind == "not_logged_in":
            since = self._open[run.runtime].since if run.runtime in self._open else self._clock.now()
            self._open[run.runtime] = Open(since=since, tried=self._clock.monotonic(), logged_in=logged_in)

    def refusal(self, run: Run, *, logged_in: bool) -> str | None:
        """Return why the run must not start, as a sentence; None if it may.

        Call it only for a run that is about to start. Only unattended runs are refused. `logged_in`: whether the CLI
        claims that now: if it did not when the breaker was opened, the breaker is closed. After `TRY_AGAIN_SECONDS` one
        run may try; the call counts as that attempt.
        """
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
