"""The rule for whether and when a failed run is tried again. Pure."""

from __future__ import annotations

from ...runtimes.model import Failure, FailureKind

FIRST_WAIT_SECONDS = 30.0
FACTOR = 4.0  # each further wait is longer by this factor
LONGEST_WAIT_SECONDS = 60 * 60.0
# These failures may pass, whatever the adapter says about a retry.
MAY_PASS: frozenset[FailureKind] = frozenset({"rate_limited", "model_unavailable", "timeout", "stalled", "crashed"})


def wait_seconds(failure: Failure, *, attempt: int, max_attempts: int) -> float | None:
    """Return the seconds until the next attempt; None if there is none. `attempt`: the one that failed, counted from 1.

    The wait grows from `FIRST_WAIT_SECONDS` by `FACTOR` up to an hour. A longer wait that the model's service requests
    is respected; if that is longer than an hour, the run is not tried again.
    """
    if attempt >= max_attempts or not (failure.retry_helps or failure.kind in MAY_PASS):
        return None
    asked = failure.retry_after_seconds or 0.0
    if asked > LONGEST_WAIT_SECONDS:
        return None
    return max(asked, min(FIRST_WAIT_SECONDS * FACTOR ** (attempt - 1), LONGEST_WAIT_SECONDS))
