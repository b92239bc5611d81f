"""The outcome of a run whose launcher was killed."""

from __future__ import annotations

import msgspec

from ..runtimes.model import Outcome, Warned
from ..sandboxes.port import ProcessExit
from .model import OrderListener


def without_launcher(outcome: Outcome, title: str, exit: ProcessExit | None, listener: OrderListener) -> Outcome:
    """Return the outcome of a run whose program has ended. If its launcher was killed, that is the reason of a crash.

    Any other outcome is unchanged; then the listener receives a warning that the launcher was killed. `exit`: None if
    that does not matter.
    """
    if exit is None or not exit.killed:
        return outcome
    told = f"{title} was ended because its launcher was killed."
    if exit.lost_worker:
        told = f"{title} was ended because the connection to the worker {exit.lost_worker} was lost."
    elif exit.survivors:
        told += " Its remaining processes were found and ended."
    if outcome.failure is None or outcome.failure.kind != "crashed":
        listener.heard([Warned(message=told)])
        return outcome
    return msgspec.structs.replace(outcome, failure=msgspec.structs.replace(outcome.failure, message=told))
