"""Starts plays for events: once for each event, not twice within a moment, and not in a circle.

The firing is stored in the transaction that queues the run, or together with the reason why there is none. So a crash
neither loses an event nor starts a play twice. All automatic starts use this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection

from ...agents.roster.roster import RosterEntry
from ...agents.run_kinds.run_terms import principal_of
from ...core.clock import Clock
from ...core.errors import AlreadyFired, Conflict, Invalid, NotAllowed, NotFound, OverBudget, Unavailable
from ...runs.model import Run, Trigger, TriggerKind
from ...schedules.due import Due
from ...storage.commits import Commits, ScopedEvent
from ...storage.database import Database
from .. import store
from ..model import NewPlayRun, PlayNotStarted
from ..playbook import Playbook, PlayStanding
from ..triggers import chain_refusal, is_too_soon

if TYPE_CHECKING:
    from ...runs.service import Runs

# Final reasons why there is no run. Other errors are temporary.
FINAL = (NotFound, Conflict, OverBudget, Invalid, NotAllowed)
TOO_SOON = "The same trigger has started it less than 30 seconds ago."
INACTIVE = "Its agent is not active."
NO_AGENT = "No active agent lists this play."


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """An event that fires a trigger of a play.

    `trigger`: the trigger's `triggers.key_of`. `cause`: identifies the event, so that it fires only once; at most 200
    characters. `source`: describes the event for people. `chain`: what led to it. `about`, `foreign`: see `NewPlayRun`.
    `lasts`: the event holds until it is withdrawn; a reason for not starting is then announced and not stored.
    """

    kind: TriggerKind
    trigger: str
    cause: str
    source: str
    chain: tuple[str, ...] = ()
    about: str = ""
    foreign: bool = False
    lasts: bool = False


class PlayStarter:
    """Queues the runs of plays. `begin` must be called first."""

    def __init__(self, *, playbook: Playbook, database: Database, commits: Commits, clock: Clock) -> None:
        self._database = database
        self._playbook = playbook
        self._commits = commits
        self._clock = clock
        self._runs: Runs | None = None
        self._told: dict[tuple[str, str], str] = {}  # by play and trigger: the last reason for events that last

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs, so that plays can be started."""
        self._runs = runs

    async def start(self, slug: str, happening: Happening) -> Run:
        """Queue a run of the play for this event, and return it.

        Raises `AlreadyFired` if the play was already started for it. Raises the errors in `FINAL`, which are then
        announced and stored as the reason for not starting, and temporary errors such as `ShuttingDown` or
        `Unavailable`, which are not stored. For a play that does not exist, nothing is stored.
        """
        standing = None
        if await self._database.read(lambda c: store.has(c, slug, happening.trigger, happening.cause)):
            raise AlreadyFired
        try:
            standing = await self._playbook.get(slug)
            run = await self._submit(standing, happening, None)
        except AlreadyFired:
            raise
        except FINAL as error:
            await self._put_refusal(slug, standing, happening, error.message)
            raise
        self._told.pop((slug, happening.trigger), None)
        return run

    async def start_due(self, slug: str, due: Due, happening: Happening) -> Run:
        """Queue a run for a tick of the play's schedule, and claim the tick with it.

        Errors are raised as by `start`, but never stored as a reason: then the tick is not claimed, and the caller has
        to skip it.
        """
        return await self._submit(await self._playbook.get(slug), happening, due)

    async def take_back(self, slug: str, happening: Happening) -> None:
        """Withdraw an event that lasted, so that the trigger may fire for it again.

        Nothing happens if it has not fired.
        """
        self._told.pop((slug, happening.trigger), None)
        await self._commits.commit(lambda c: store.take_back(c, slug, happening.trigger, happening.cause))

    async def _submit(self, standing: PlayStanding, happening: Happening, due: Due | None) -> Run:
        if self._runs is None:
            raise Unavailable("Plays cannot be started yet.")
        play = standing.require()
        if reason := self._refusal(standing, happening):
            raise Conflict(reason)
        carrier = standing.carrier
        assert carrier is not None, "else it is refused"
        now = self._clock.now()

        def claim(connection: Connection, run: Run) -> None:
            if due is not None:
                due.claim(connection, run_id=run.id)
                return
            last = store.last_start(connection, play.slug, happening.trigger)
            store.put(connection, play.slug, happening.trigger, happening.cause, at=now, run_id=run.id)
            if is_too_soon(last, now):
                raise Conflict(TOO_SOON)

        new = NewPlayRun(play=play.slug, agent=carrier.slug, about=happening.about, foreign=happening.foreign)
        return await self._runs.submit(
            new, principal_of(carrier.record), trigger=_trigger(carrier, happening), also=claim
        )

    def _refusal(self, standing: PlayStanding, happening: Happening) -> str:
        assert self._runs is not None, "the caller has looked"
        if self._runs.switch.state.paused:
            return f"All agents are paused by {self._runs.switch.state.by}."
        carrier = standing.carrier
        if carrier is None:
            return NO_AGENT
        if not carrier.require().active:
            return INACTIVE
        return chain_refusal(standing.slug, happening.chain)

    async def _put_refusal(self, slug: str, standing: PlayStanding | None, happening: Happening, reason: str) -> None:
        if standing is None:
            return  # the play is gone, and with it the people who would be notified
        event = ScopedEvent(PlayNotStarted(play=slug, reason=reason, trigger=happening.trigger), standing.scope)
        if happening.lasts:
            if self._told.get((slug, happening.trigger)) != reason:
                self._told[slug, happening.trigger] = reason
                await self._commits.commit(lambda c: None, lambda _: [event])
            return

        def change(connection: Connection) -> None:
            at = self._clock.now()
            store.put(connection, slug, happening.trigger, happening.cause, at=at, run_id=None, reason=reason)

        try:
            await self._commits.commit(change, lambda _: [event])
        except AlreadyFired:
            return  # the refusal was announced before a crash


def _trigger(carrier: RosterEntry, happening: Happening) -> Trigger:
    return Trigger(
        kind=happening.kind,
        username=carrier.record.owner,
        display_name=carrier.persona.name,
        source=happening.source,
        chain=happening.chain,
    )
