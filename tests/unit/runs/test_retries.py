"""Which failures are tried again, and after how long."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runs.rules.retries import LONGEST_WAIT_SECONDS, wait_seconds
from jupyter_cabinet.runtimes.model import Failure, FailureKind


def failure(kind: FailureKind = "rate_limited", **fields: object) -> Failure:
    return Failure(kind=kind, message="It failed.", **fields)  # type: ignore[arg-type]


def test_each_wait_is_longer_up_to_an_hour() -> None:
    waits = [wait_seconds(failure(), attempt=n, max_attempts=9) for n in range(1, 6)]
    assert waits == [30.0, 120.0, 480.0, 1920.0, LONGEST_WAIT_SECONDS]


def test_the_last_attempt_is_the_last() -> None:
    assert wait_seconds(failure(), attempt=3, max_attempts=3) is None


@pytest.mark.parametrize("kind", ["not_logged_in", "cli_missing", "permission_denied", "context_exhausted", "unknown"])
def test_what_would_fail_again_is_not_tried_again(kind: FailureKind) -> None:
    assert wait_seconds(failure(kind), attempt=1, max_attempts=3) is None
    assert wait_seconds(failure(kind, retry_helps=True), attempt=1, max_attempts=3) == 30.0


def test_what_the_service_asks_for_is_kept_but_nobody_waits_for_hours() -> None:
    assert wait_seconds(failure(retry_after_seconds=90), attempt=1, max_attempts=3) == 90
    assert wait_seconds(failure(retry_after_seconds=5), attempt=1, max_attempts=3) == 30
    assert wait_seconds(failure(retry_after_seconds=LONGEST_WAIT_SECONDS + 1), attempt=1, max_attempts=3) is None
