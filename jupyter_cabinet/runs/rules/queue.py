"""The order of the queue: which run starts next. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ..model import Run
from .retries import LONGEST_WAIT_SECONDS


def startable(queued: Sequence[Run], working: Sequence[Run], limit: int, now: datetime) -> list[str]:
    """Return the ids of the runs that may start now, in order, for `limit` runs at once.

    The order is by priority, then fair between people and agents (the one with fewer working runs goes first), then
    oldest first. At most one run of a session works at a time; one that was put ahead goes first. An agent has at most
    `parallel` runs, and never two that write its memory.
    """
    at_work, chosen = list(working), []
    waiting = _in_order([run for run in queued if not _is_early(run, now)])
    while len(at_work) < limit:
        free = [run for run in waiting if _fits(run, at_work) and not _is_behind(run, waiting)]
        if not free:
            break
        run = min(free, key=lambda run: (run.priority, _load(run, at_work)))  # stable: of equals, the oldest
        waiting.remove(run)
        at_work.append(run)
        chosen.append(run.id)
    return chosen


def next_wake(queued: Sequence[Run], now: datetime) -> datetime | None:
    """Return when the first run with a `not_before` time may start; None if no run waits for a time.

    Times that have passed, or are more than an hour away, are ignored.
    """
    return min((run.not_before for run in queued if run.not_before is not None and _is_early(run, now)), default=None)


def positions(queued: Sequence[Run]) -> dict[str, int]:
    """Return the queue position of each run, from 1, by priority and age.

    Runs may start in another order: see `startable`.
    """
    in_line = sorted(_in_order(queued), key=lambda run: run.priority)
    return {run.id: place for place, run in enumerate(in_line, 1)}


def ahead_of(others: Sequence[Run]) -> int:
    """Return the value of `Run.ahead` that puts a run before all these other runs of its session."""
    return 1 + max((run.ahead for run in others), default=0)


def _in_order(queued: Sequence[Run]) -> list[Run]:
    """Return the runs oldest first, with those that were put ahead moved forward within their session.

    The runs of a session only swap places among themselves, so a run never takes the place of another session's run.
    """
    by_age = sorted(queued, key=lambda run: run.number)
    of_session: dict[str, list[Run]] = {}
    for run in sorted(by_age, key=lambda run: -run.ahead):  # `sorted` is stable, so equals stay oldest first
        of_session.setdefault(run.session_id, []).append(run)
    lines = {session: iter(runs) for session, runs in of_session.items()}
    return [next(lines[run.session_id]) for run in by_age]


def _is_behind(run: Run, waiting: Sequence[Run]) -> bool:
    return any(each.session_id == run.session_id and each.ahead > run.ahead for each in waiting)


def _is_early(run: Run, now: datetime) -> bool:
    """Return whether the run must still wait. A time too far away is ignored: the clock must have been set back."""
    return run.not_before is not None and now < run.not_before <= now + timedelta(seconds=LONGEST_WAIT_SECONDS)


def _fits(run: Run, at_work: Sequence[Run]) -> bool:
    if any(each.session_id == run.session_id for each in at_work):
        return False
    if run.agent is None:
        return True
    same = [each for each in at_work if each.agent == run.agent]
    return len(same) < run.parallel and not (run.exclusive and any(each.exclusive for each in same))


def _load(run: Run, at_work: Sequence[Run]) -> int:
    return sum(_asker(each) == _asker(run) for each in at_work)


def _asker(run: Run) -> str:
    return f"agent {run.agent}" if run.agent else f"person {run.owner}"
