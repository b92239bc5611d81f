"""Follows one run over connections that may break, on the portal's loop. Called by `live_run.py`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from ...agents.model import EffectReport
from ...approvals.model import Approval
from ...core.clock import Clock
from ...runs.model import Run
from ...runs.rules.lifecycle import is_final
from ..api import Api
from ..errors import CabinetError, RequestRefused, Unreachable
from ..model import RunEvent
from .events import OutputReader, Unreadable
from .results import Said

WAIT_SECONDS = 60  # how long the server may wait for the end, each time
ASK_AGAIN_SECONDS = 1  # between requests, if it did not wait: another server on its folder works on the run
GONE_SECONDS = 60  # without any reply, after which a server is given up
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5
EFFECTS_SECONDS = 20  # for the effects after the end of a run
EFFECTS_PAUSE_SECONDS = 0.25
MOST_LISTED = 200  # the server's own limit
PASSING = ("shutting_down", "unavailable", "lease_lost", "internal")  # refusals that are temporary


class _Asked(msgspec.Struct):
    approval: Approval


class Patience:
    """Retries a server that does not answer for a limited time."""

    def __init__(self, clock: Clock, run_id: str) -> None:
        self._clock = clock
        self._run_id = run_id
        self._is_there = False
        self._restart()

    def answered(self) -> None:
        """Record that the server has answered: the limited time begins again."""
        self._is_there = True
        self._restart()

    def _restart(self) -> None:
        self._since = self._clock.monotonic()
        self._pause = FIRST_PAUSE_SECONDS

    async def over(self, error: CabinetError) -> None:
        """Wait before the next attempt. Raises the error if another attempt makes no sense.

        Raises `Unreachable` if the server has not answered for 60 seconds.
        """
        if not self._may_pass(error):
            raise error
        if self._clock.monotonic() - self._since >= GONE_SECONDS:
            hint = f"The run may continue there: Cabinet(…).attach({self._run_id!r}) follows it again."
            raise Unreachable(error.message, hint, kind=error.kind) from error
        await self._clock.sleep(self._pause)
        self._pause = min(self._pause * 2, LONGEST_PAUSE_SECONDS)

    def _may_pass(self, error: CabinetError) -> bool:
        if isinstance(error, RequestRefused):
            return error.kind in PASSING
        # a proxy answers for a server that restarts
        return error.kind == Unreachable.kind or (error.kind == "no_cabinet" and self._is_there)


async def follow(api: Api, run_id: str, clock: Clock) -> AsyncIterator[list[RunEvent]]:
    """Yield the run's events from its beginning to its end, some at a time, each once.

    Raises `Unreachable` when the server is gone, `RequestRefused` when the right to read is.
    """
    reader = OutputReader()
    patience = Patience(clock, run_id)
    while not reader.ended:
        reader.connected()
        broken: CabinetError = Unreachable(f"The server at {api.server.url} has closed the connection.")
        try:
            async with api.http.stream(f"runs/{run_id}/output", {"since": str(reader.since)}) as pieces:
                async for piece in pieces:
                    patience.answered()
                    if events := reader.feed(piece):
                        yield events
                    if reader.ended:
                        return
        except Unreadable as error:
            raise Unreachable(
                (f"The output of the run {run_id} could not be read: {error}."), kind="unreadable"
            ) from None
        except (Unreachable, RequestRefused) as error:
            broken = error
        await patience.over(broken)


async def said_by(api: Api, run_id: str, clock: Clock) -> Said:
    """Return the events of a run from its beginning. Waits for its end. Raises like `follow`."""
    said = Said()
    async for events in follow(api, run_id, clock):
        said.add(events)
    return said


async def final(api: Api, run_id: str, clock: Clock) -> Run:
    """Return the run when it has ended. There is no time limit. Raises like `follow`."""
    patience = Patience(clock, run_id)
    while True:
        asked = clock.monotonic()
        try:
            run = await api.fetch(f"runs/{run_id}", Run, wait=WAIT_SECONDS)
        except (Unreachable, RequestRefused) as error:
            await patience.over(error)
            continue
        if is_final(run):
            return run
        patience.answered()
        await clock.sleep(max(0, asked + ASK_AGAIN_SECONDS - clock.monotonic()))


async def effects_of(api: Api, run_id: str) -> tuple[EffectReport, ...]:
    """Return the results of its directives so far. Does not wait for those that are pending."""
    return await api.fetch_items(f"runs/{run_id}/effects", EffectReport)


async def settled_effects(api: Api, run: Run, clock: Clock) -> tuple[EffectReport, ...]:
    """Return the results of its directives. Waits for them: they follow the end of the run after a moment.

    After 20 seconds, it returns also those that are still pending. Empty, without a request, for a run without an
    agent.
    """
    if run.agent is None:
        return ()
    until = clock.monotonic() + EFFECTS_SECONDS
    while True:
        effects = await effects_of(api, run.id)
        if clock.monotonic() > until or all(each.state != "pending" for each in effects):
            return effects
        await clock.sleep(EFFECTS_PAUSE_SECONDS)


async def waiting_approvals(api: Api, run_id: str | None = None) -> tuple[Approval, ...]:
    """Return the questions of one run, or of all, that wait for a person; newest first, at most 200."""
    asked = {"state": "waiting", "run_id": run_id, "limit": MOST_LISTED}
    return tuple(each.approval for each in await api.fetch_items("approvals", _Asked, asked))
