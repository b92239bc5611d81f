"""Starts plays that wait for a goal to fall behind: once, until the goal has caught up.

Goals are checked every 15 minutes and after directives were applied, only while such triggers exist.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

import msgspec

from ...agents.directives.effects.doer import DirectiveDoer
from ...agents.goals import progress
from ...agents.model import EffectsApplied
from ...agents.roster.roster import Roster
from ...agents.run_kinds.run_terms import zone_of
from ...core.clock import Clock, Timer
from ...core.errors import CabinetError
from ...core.events import Event, EventBus, Scope
from .. import store
from ..playbook import PlayStanding
from ..triggers import GoalBehind, key_of
from .starter import FINAL, Happening, PlayStarter

log = logging.getLogger(__name__)

LOOK_SECONDS = 15 * 60.0


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """A trigger of a play, the agent that carries it out, and the agent whose goal is checked."""

    play: str
    carrier: str | None
    agent: str
    trigger: GoalBehind


class GoalWatch:
    """Checks goals, between `start` and `stop`. It is idle while no play waits for a goal."""

    def __init__(self, *, roster: Roster, doer: DirectiveDoer, starter: PlayStarter, clock: Clock) -> None:
        self._roster = roster
        self._doer = doer
        self._starter = starter
        self._clock = clock
        self._watched: tuple[Watched, ...] = ()
        self._wake = asyncio.Event()
        self._timer: Timer | None = None
        self._worker: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self, bus: EventBus) -> None:
        """Start to check goals, in a task of the running event loop.

        They are checked now, every 15 minutes, and after directives were applied.
        """
        self._unsubscribe = bus.subscribe(self._hear)
        self._worker = asyncio.create_task(self._work())
        self._wake.set()

    async def stop(self) -> None:
        """Stop checking goals."""
        self._unsubscribe()
        self._disarm()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    def follow(self, standings: Iterable[PlayStanding]) -> None:
        """Watch the goals of these plays, instead of those before. Plays that are not confirmed are left out."""
        watched = tuple(each for standing in standings for each in _watched_of(standing))
        if watched != self._watched:
            self._watched = watched
            self._wake.set()

    def _hear(self, event: Event, scope: Scope) -> None:
        if self._watched and isinstance(event, EffectsApplied):
            self._wake.set()

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            for each in self._watched:
                try:
                    await self._look(each)
                except Exception as error:
                    metric = each.trigger.metric or "any"
                    log.error("Could not check whether a goal (%s) of %s is behind: %s", metric, each.agent, error)
            self._arm()

    async def _look(self, watched: Watched) -> None:
        behind = await self._behind(watched)
        if behind is None:
            return
        happening = Happening(
            kind="event",
            trigger=key_of(watched.trigger),
            cause=store.STANDING,
            source=_source(watched, behind),
            lasts=True,
        )
        if behind:
            try:
                await self._starter.start(watched.play, happening)
            except FINAL:
                return  # the trigger has already fired, or the reason was reported
        else:
            await self._starter.take_back(watched.play, happening)

    async def _behind(self, watched: Watched) -> list[str] | None:
        """Return the goals of the trigger that are behind; None if that is unknown."""
        now = self._clock.now()
        try:
            persona = (await self._roster.get(watched.agent)).persona
            if watched.carrier is not None and not await self._roster.may_learn(watched.carrier, watched.agent):
                return None
            found = (await asyncio.to_thread(lambda: self._doer.goals(watched.agent, now=now))).goals
        except CabinetError:
            return None
        zone = zone_of(persona, self._roster.settings)
        metric = watched.trigger.metric
        about = {name: goal for name, goal in found.items() if metric in (None, name)}
        return [name for name, goal in about.items() if progress.is_behind(goal, now=now, zone=zone)] if about else None

    def _arm(self) -> None:
        self._disarm()
        if self._watched:
            self._timer = self._clock.call_at(self._clock.monotonic() + LOOK_SECONDS, self._wake.set)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _source(watched: Watched, behind: list[str]) -> str:
    """Return a sentence for people."""
    if len(behind) > 1:
        return f"The goals {', '.join(behind)} of {watched.agent} are behind."
    return f"The goal {''.join(behind) or watched.trigger.metric} of {watched.agent} is behind."


def _watched_of(standing: PlayStanding) -> Iterable[Watched]:
    play = standing.file.play
    if play is None or not standing.confirmed:
        return
    for trigger in play.triggers:
        agent = trigger.agent if isinstance(trigger, GoalBehind) else None
        carrier = standing.carrier.slug if standing.carrier else None
        if isinstance(trigger, GoalBehind) and (agent or carrier) is not None:
            yield Watched(play=play.slug, carrier=carrier, agent=agent or carrier or "", trigger=trigger)
