"""Starts plays when their schedules are due, or records why not.

As for heartbeats, a tick is claimed in the transaction that queues its run, or that stores why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from ...schedules.due import Due
from ...schedules.scheduler import Scheduler
from ..playbook import PlayStanding
from .starter import FINAL, Happening, PlayStarter

PREFIX = "play"


class PlaySchedules:
    """Watches the schedules of all confirmed plays."""

    def __init__(self, *, scheduler: Scheduler, starter: PlayStarter) -> None:
        self._scheduler = scheduler
        self._starter = starter
        self._watched: set[str] = set()
        scheduler.register(f"{PREFIX}/", self._fire)

    async def follow(self, standings: Iterable[PlayStanding]) -> None:
        """Watch the schedules of these plays, instead of those before.

        While the scheduler runs, this waits until they are stored. Plays that are not confirmed are left out. Nothing
        is raised if a schedule cannot be stored.
        """
        wanted = set()
        for standing in standings:
            play = standing.file.play
            if play is not None and play.schedule is not None and standing.confirmed:
                self._scheduler.watch(key_of(play.slug), play.schedule, play.hours)
                wanted.add(play.slug)
        for slug in self._watched - wanted:
            self._scheduler.forget(key_of(slug))
        self._watched = wanted
        await self._scheduler.followed()

    def next_due(self, slug: str) -> datetime | None:
        """Return when the play's schedule is due next, in UTC.

        None if it is not watched, not stored yet, or never due.
        """
        return self._scheduler.next_due(key_of(slug))

    async def _fire(self, due: Due) -> None:
        at = f"{due.at:%Y-%m-%d %H:%M} UTC"
        source = f"Its schedule, at {at}" + (f", after {due.missed} that were missed" if due.missed else "")
        happening = Happening(kind="schedule", trigger="schedule", cause=due.at.isoformat(), source=source)
        try:
            await self._starter.start_due(due.key.partition("/")[2], due, happening)
        except FINAL as error:
            await self._scheduler.skip(due, error.message)


def key_of(slug: str) -> str:
    """Return the key of a play's schedule."""
    return f"{PREFIX}/{slug}"
