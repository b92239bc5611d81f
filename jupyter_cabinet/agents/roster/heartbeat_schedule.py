"""Starts an agent's heartbeat when its schedule is due, or records why it does not start.

A tick is claimed in the transaction that queues its run or records why there is none. If a server crashes, no tick is
lost or started twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection

from ...core.errors import Invalid, NotAllowed, NotFound, OutOfService, OverBudget
from ...runs.model import Run, Trigger
from ...runs.records import RunRecords
from ...schedules.due import Due
from ...schedules.scheduler import Scheduler
from ..model import NewHeartbeat
from ..run_kinds.run_terms import principal_of
from .roster import Roster, RosterEntry
from .something_to_do import SomethingToDo

if TYPE_CHECKING:
    from ...runs.service import Runs

PREFIX = "agent"
# Errors that skip the tick. After any other error, the scheduler tries again.
FINAL = (NotFound, OutOfService, OverBudget, Invalid, NotAllowed)


class Heartbeats:
    """The schedules of all active, confirmed agents without errors."""

    def __init__(
        self, *, roster: Roster, something_to_do: SomethingToDo, scheduler: Scheduler, records: RunRecords
    ) -> None:
        self._roster = roster
        self._something_to_do = something_to_do
        self._scheduler = scheduler
        self._records = records
        self._runs: Runs | None = None
        self._known: set[str] = set()  # slugs with a watched schedule
        self._forgotten: set[str] = set()
        scheduler.register(f"{PREFIX}/", self._fire)

    def begin(self, runs: Runs) -> None:
        """Accept runs from now on."""
        self._runs = runs

    async def follow(self) -> list[RosterEntry]:
        """Update the watched schedules from the files, and return all agents.

        While the scheduler runs, wait until it knows them. Only active, confirmed agents without errors whose heartbeat
        is enabled are watched. Paused agents are watched too: their ticks are skipped with the reason.
        """
        entries = await self._roster.find()
        wanted = {each.slug: each for each in entries if _is_scheduled(each)}
        for slug in (self._known | {each.slug for each in entries}) - wanted.keys() - self._forgotten:
            self._scheduler.forget(key_of(slug))  # also one of an earlier server; it starts over when active
            self._forgotten.add(slug)
        for slug, entry in wanted.items():
            assert entry.schedule is not None, "it is in service"
            self._scheduler.watch(key_of(slug), entry.schedule, entry.hours)
        self._known = set(wanted)
        self._forgotten -= self._known
        await self._scheduler.followed()
        return entries

    async def _fire(self, due: Due) -> None:
        slug = due.key.partition("/")[2]
        try:
            reason = await self._submit(slug, due)
        except FINAL as error:
            reason = error.message
        if reason:
            await self._scheduler.skip(due, reason)

    async def _submit(self, slug: str, due: Due) -> str:
        """Queue a heartbeat and return an empty text, or return why there is no run.

        Raises errors that may be temporary; the scheduler then tries again.
        """
        assert self._runs is not None, "it is not opened before"
        entry = await self._roster.get(slug)
        if reason := await self._reason_not_to(entry):
            return reason

        def claim(connection: Connection, run: Run) -> None:
            due.claim(connection, run_id=run.id)

        at = f"{due.at:%Y-%m-%d %H:%M} UTC"
        source = f"Heartbeat of {at}" + (f", after {due.missed} that were missed" if due.missed else "")
        record = entry.record
        trigger = Trigger(kind="schedule", username=record.owner, display_name=entry.persona.name, source=source)
        await self._runs.submit(NewHeartbeat(agent=slug), principal_of(record), trigger=trigger, also=claim)
        return ""

    async def _reason_not_to(self, entry: RosterEntry) -> str:
        assert self._runs is not None, "it is not opened before"
        switch = self._runs.switch.state
        if switch.paused:
            return f"All agents are paused by {switch.by}."
        persona = entry.require()
        at_work = await self._records.unfinished_of_agents()
        if any(run.agent == entry.slug and run.kind == "heartbeat" for run in at_work):
            return "Its last heartbeat still works."
        if persona.heartbeat_mode == "when_needed" and not await self._something_to_do.exists_for(entry):
            return "There is nothing to do."
        return ""


def key_of(slug: str) -> str:
    """Return the key of an agent's schedule."""
    return f"{PREFIX}/{slug}"


def _is_scheduled(entry: RosterEntry) -> bool:
    persona = entry.files.persona
    if persona is None or entry.schedule is None or entry.errors:
        return False
    return persona.active and persona.heartbeat_enabled and entry.confirmed
