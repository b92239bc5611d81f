"""The outcome of a run whose launcher was killed."""

from __future__ import annotations

import msgspec

from ..runtimes.model import Outcome
from ..sandboxes.port import ProcessExit


def without_launcher(outcome: Outcome, title: str, exit: ProcessExit) -> tuple[Outcome, str]:
    """Return the outcome of a run whose launcher was killed, with a warning if the outcome does not mention it."""
    told = f"{title} was ended because its launcher was killed."
    if exit.lost_worker:
        told = f"{title} was ended because the connection to the worker {exit.lost_worker} was lost."
    elif exit.survivors:
        told += " Its remaining processes were found and ended."
    if outcome.failure is None or outcome.failure.kind != "crashed":
        return outcome, told
    failure = msgspec.structs.replace(outcome.failure, message=told)
    return msgspec.structs.replace(outcome, failure=failure), ""
