"""Starts plays that nobody asks for: once for each thing that happened, not twice in a moment, not in a circle.

What has fired is put on record in the transaction that queues the run, or with the reason why there is none: whatever
crashes, nothing is lost and nothing is started twice. Whatever starts plays by itself goes through here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection

from ..agents.roster.roster import RosterEntry
from ..agents.run_kinds.run_terms import principal_of
from ..core.clock import Clock
from ..core.errors import AlreadyFired, Conflict, Invalid, NotAllowed, NotFound, OverBudget, Unavailable
from ..runs.model import Run, Trigger, TriggerKind
from ..schedules.due import Due
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from . import store
from .model import NewPlayRun, PlayNotStarted
from .playbook import Playbook, PlayStanding
from .triggers import chain_refusal, is_too_soon

if TYPE_CHECKING:
    from ..runs.service import Runs

# Why there is no run, rather than something that passes by itself.
FINAL = (NotFound, Conflict, OverBudget, Invalid, NotAllowed)
TOO_SOON = "The same trigger has started it less than 30 seconds ago."
INACTIVE = "Its agent is not active."
NO_AGENT = "No active agent lists this play."


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """Something that fires a trigger of a play.

    `trigger`: its `triggers.key_of`. `cause`: what happened, so that it fires once for it; at most 200 characters.
    `source`: the same for people. `chain`: what led to it. `about`, `foreign`: as of `NewPlayRun`.
    `lasts`: it holds until it is withdrawn; a reason for not starting is then announced and not kept.
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
    """`begin` before anything happens."""

    def __init__(self, *, playbook: Playbook, database: Database, commits: Commits, clock: Clock) -> None:
        self._database = database
        self._playbook = playbook
        self._commits = commits
        self._clock = clock
        self._runs: Runs | None = None
        self._told: dict[tuple[str, str], str] = {}  # play and trigger -> the last reason, of what lasts

    def begin(self, runs: Runs) -> None:
        """Runs are accepted from now on."""
        self._runs = runs

    async def start(self, slug: str, happening: Happening) -> Run:
        """Queue a run of the play. Raises `AlreadyFired` where it was started for this before, and the reason why it is
        not started, which is then on record, or what passes by itself, such as `ShuttingDown`, which is not."""
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
        """The same for a tick of its schedule, which is claimed with it. The reason why it is not started is raised
        alone, and not put on record."""
        return await self._submit(await self._playbook.get(slug), happening, due)

    async def take_back(self, slug: str, happening: Happening) -> None:
        """What lasted is over: it may fire again."""
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
            return f"Work is paused by {self._runs.switch.state.by}."
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
            return  # it was announced before a crash


def _trigger(carrier: RosterEntry, happening: Happening) -> Trigger:
    return Trigger(
        kind=happening.kind,
        username=carrier.record.owner,
        display_name=carrier.persona.name,
        source=happening.source,
        chain=happening.chain,
    )
