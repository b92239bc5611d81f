"""The state table of a run. Every change of `Run.state` goes through `move`; it is written nowhere else."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..core.errors import AlreadyFinal, Conflict
from ..runtimes.model import Failure
from .model import Run, RunState

ALLOWED: dict[RunState, frozenset[RunState]] = {
    "queued": frozenset({"starting", "cancelled", "skipped", "failed", "interrupted"}),
    "starting": frozenset({"running", "failed", "cancelled", "interrupted", "timed_out"}),
    "running": frozenset({"waiting", "succeeded", "failed", "timed_out", "cancelled", "interrupted"}),
    "waiting": frozenset({"running", "succeeded", "failed", "timed_out", "cancelled", "interrupted"}),
    "succeeded": frozenset(),
    "failed": frozenset(),
    "timed_out": frozenset(),
    "cancelled": frozenset(),
    "interrupted": frozenset(),
    "skipped": frozenset(),
}
FINAL = frozenset(state for state, following in ALLOWED.items() if not following)


def is_final(run: Run) -> bool:
    return run.state in FINAL


def move(
    run: Run,
    state: RunState,
    *,
    now: datetime,
    reason: str,
    failure: Failure | None = None,
    worked_seconds: float | None = None,
) -> Run:
    """Return the run in its new state. A final state needs a reason and is never left again.

    `worked_seconds`: how long it has worked by a clock that is never set; None where nobody has measured it.

    Raises `AlreadyFinal` for a run that has ended, `Conflict` for a change the table lacks.
    """
    if is_final(run):
        raise AlreadyFinal
    if state not in ALLOWED[run.state]:
        raise Conflict(f"A run that is {run.state} cannot become {state}.")
    if state in FINAL and not reason:
        raise Conflict("A final state needs a reason.")
    changes: dict[str, object] = {"state": state, "reason": reason, "failure": failure, "position": None}
    if state == "running" and run.started_at is None:
        changes["started_at"] = now
    if state in FINAL:
        changes["finished_at"] = now
        changes["duration_seconds"] = worked_seconds
    return msgspec.structs.replace(run, **changes)
