"""Which worker of a cluster has a free slot for a run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

RESOURCE: Final = "cabinet"  # `dask worker --resources cabinet=4` offers four slots
KEYS: Final = "cabinet-run-"  # how the keys of runs begin, those of other servers too


def free_worker(
    slots: Mapping[str, float], processing: Mapping[str, Collection[str]], given: Mapping[str, str], key: str
) -> str | None:
    """Return the address of the worker with the most free slots for a run; None if no worker has a whole one free.

    `slots`: how many each worker offers. `processing`: the keys of the tasks that the scheduler has given to each.
    `given`: the worker of each run that this server has sent to one, which the scheduler may not know yet. `key`: that
    of the run. The worker that it waits for already is left out.
    """
    free: dict[str, float] = {}
    for worker, offered in slots.items():
        holding = {each for each in processing.get(worker, ()) if each.startswith(KEYS)}
        if key not in holding:
            holding |= {each for each, place in given.items() if place == worker and each != key}
            free[worker] = offered - len(holding)
    best = max(free, key=lambda worker: free[worker], default=None)
    return best if best is not None and free[best] >= 1 else None
