"""Chooses which runs lose the contents of their changes, and which contents are then unused. It blocks.

Call it off the loop. Each function ends with `Stopped` soon after `stopped` returns True.

The newest runs keep their contents first, as long as all together stay below the limit. A content is removed if no run
that keeps its contents has it, and no folder as it was last seen: `garbage_collection.py` first records which runs have
lost theirs. A process that is killed in between, or while files are removed, leaves unused contents, which are removed
the next time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timedelta

import msgspec

from .model import FileDecision, FileState
from .record import ChangeRecord
from .settings import ChangeSettings
from .snapshots.objects import Objects

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The disk usage of the changes of all runs. `size` and `most` in bytes."""

    size: int
    most: int
    days: float
    runs: int  # runs that have their contents


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """`marked`: ids of the contents that stay. `lost`: runs that lose theirs, each with the reason."""

    marked: frozenset[str]
    lost: dict[str, str]


class Retention:
    """One per server."""

    def __init__(self, objects: Objects, settings: ChangeSettings) -> None:
        self._objects = objects
        self._settings = settings

    @property
    def days(self) -> float:
        """The number of days for which contents are kept."""
        return self._settings.changes_days

    def kept(self, records: Iterable[ChangeRecord], stopped: Callable[[], bool]) -> Kept:
        """Return the disk usage of all stored contents, and how many of `records` have theirs."""
        return Kept(
            size=sum(self._objects.sizes(stopped).values()),
            most=int(self._settings.changes_megabytes * MEGABYTE),
            days=self.days,
            runs=sum(bool(record.before) for record in records),
        )

    def remove(self, chosen: Chosen, oldest: float, stopped: Callable[[], bool]) -> int:
        """Remove contents that are not `chosen` to stay and were not stored since `oldest`. Return how many bytes."""
        return self._objects.remove_but(chosen.marked, oldest, stopped)

    def with_record(self, chosen: Chosen, record: ChangeRecord, stopped: Callable[[], bool]) -> Chosen:
        """Return `chosen`, extended so that the contents of this run are kept too."""
        marked = chosen.marked | self._needs(record, chosen.marked, stopped)
        return Chosen(marked=marked, lost={run: why for run, why in chosen.lost.items() if run != record.id})

    def choose(
        self,
        records: Iterable[ChangeRecord],
        present: Iterable[FileState],
        now: datetime,
        stopped: Callable[[], bool],
    ) -> Chosen:
        """Choose which contents stay, and which runs lose theirs. Nothing is removed.

        `records`: those that have their contents, newest first. `present`: files as they were last seen. A run that
        works or is being reverted keeps its contents, whatever the limit.
        """
        sizes, marked = self._objects.sizes(stopped), {state.blob for state in present}
        records = list(records)
        for record in records:
            if is_open(record):
                marked |= self._needs(record, marked, stopped)
        total = sum(sizes.get(id, 0) for id in marked)
        lost: dict[str, str] = {}
        oldest = now - timedelta(days=self._settings.changes_days)
        full = False
        for record in (record for record in records if not is_open(record)):
            more = self._needs(record, marked, stopped) - marked
            size = sum(sizes.get(id, 0) for id in more)
            full = full or total + size > self._settings.changes_megabytes * MEGABYTE
            if full or record.begun_at < oldest:
                lost[record.id] = self._why(now, full=full)
                continue
            marked |= more
            total += size
        return Chosen(marked=frozenset(marked), lost=lost)

    def _why(self, now: datetime, *, full: bool) -> str:
        megabytes, days = self._settings.changes_megabytes, self._settings.changes_days
        limit = f"{megabytes / 1000:g} GB" if megabytes >= 1000 else f"{megabytes:g} MB"
        why = f"to keep below {limit}" if full else f"because they are kept for {days:g} days"
        return f"The contents of this run's changes were removed on {now:%Y-%m-%d} {why}."

    def _needs(self, record: ChangeRecord, marked: Collection[str], stopped: Callable[[], bool]) -> set[str]:
        """Return the ids of the contents and folders that are needed to show, revert or restore a run.

        Folders that are `marked` are left out. For a run that was compared, only the files that it has changed are
        needed. If contents are lost, only those that were found until then are returned. Raises `Stopped`.
        """
        found = {state.blob for state in _states(record)}
        try:
            for tree in filter(None, (record.before, record.after)):
                found |= self._objects.folders(tree, marked, stopped)
            if record.state == "working":
                found |= {state.blob for _, state in self._objects.walk(record.before, stopped)}
            elif record.after:
                for _, *states in self._objects.differences(record.before, record.after, stopped):
                    found |= {state.blob for state in states if state is not None}
        except KeyError:  # somebody has removed files of ours: the rest stays
            log.warning("Some contents of the changes of run %s are missing", record.id)
        return found


def is_open(record: ChangeRecord) -> bool:
    """Return whether it needs its contents for its next step."""
    return record.state == "working" or record.pending is not None


def _states(record: ChangeRecord) -> Iterator[FileState]:
    found: list[FileState | None] = list(record.amended.values())
    decisions: list[FileDecision | None] = [*record.decisions.values()]
    for parts in record.parts.values():
        decisions += parts.values()
    if record.pending is not None:
        decisions += record.pending.decisions.values()
        for step in record.pending.steps:
            found += (step.old, step.new)
    for decision in decisions:
        if decision is not None:
            found += (decision.was, decision.now, decision.old_was, decision.old_now)
    return (state for state in found if state is not None)
