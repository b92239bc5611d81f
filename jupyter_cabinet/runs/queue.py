"""Which queued run starts next. Pure: lists in, ids out."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Run


def startable(queued: Sequence[Run], working: Sequence[Run], limit: int) -> list[str]:
    """Ids of the runs that may start now, in order.

    Oldest first, but fair between people: whoever has fewer runs working goes before. One run per session.
    """
    busy = {run.session_id for run in working}
    load: dict[str, int] = {}
    for run in working:
        load[run.owner] = load.get(run.owner, 0) + 1
    waiting = sorted(queued, key=lambda run: run.number)
    chosen: list[str] = []
    while len(working) + len(chosen) < limit:
        free = [run for run in waiting if run.session_id not in busy]
        if not free:
            break
        run = min(free, key=lambda run: load.get(run.owner, 0))  # stable: the oldest of the least loaded
        waiting.remove(run)
        busy.add(run.session_id)
        load[run.owner] = load.get(run.owner, 0) + 1
        chosen.append(run.id)
    return chosen


def positions(queued: Sequence[Run]) -> dict[str, int]:
    """The place in line that people see, from 1, by age."""
    return {run.id: place for place, run in enumerate(sorted(queued, key=lambda run: run.number), 1)}
