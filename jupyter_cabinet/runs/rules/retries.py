"""Whether a failed run is tried again, and when. Pure."""

from __future__ import annotations

from ...runtimes.model import Failure, FailureKind

FIRST_WAIT_SECONDS = 30.0
FACTOR = 4.0  # each further wait is so many times longer
LONGEST_WAIT_SECONDS = 60 * 60.0
# The same request may go well another time, whatever the adapter says of it.
MAY_PASS: frozenset[FailureKind] = frozenset({"rate_limited", "model_unavailable", "timeout", "stalled", "crashed"})


def wait_seconds(failure: Failure, *, attempt: int, max_attempts: int) -> float | None:
    """Seconds until the next attempt; None: there is none. `attempt`: the one that has failed, from 1.

    What the service of the model asks for is kept, but nobody waits for longer than an hour.
    """
    if attempt >= max_attempts or not (failure.retry_helps or failure.kind in MAY_PASS):
        return None
    asked = failure.retry_after_seconds or 0.0
    if asked > LONGEST_WAIT_SECONDS:
        return None
    return max(asked, min(FIRST_WAIT_SECONDS * FACTOR ** (attempt - 1), LONGEST_WAIT_SECONDS))
