"""Explains in one sentence why OpenClaw failed. Pure; called by `stream.py`. Facts: 2026.9.6.

Its errors are sentences for people, most with the status that a service returned.
"""

from __future__ import annotations

import re

from ..model import Failure
from ..port import Exit
from ..shared.known_failures import SERVICE_DOWN, TOO_LONG, KnownFailure, KnownFailures

TITLE = "OpenClaw"
KEY_REFUSED = "The key or login that OpenClaw uses was refused. Run openclaw configure, or replace the key."
NOT_LOGGED_IN = "OpenClaw has no login for the model's provider. Run openclaw configure, or set the provider's key."
RATE_LIMITED = "The model's service has reached its rate limit or quota. Try again later."
UNREACHABLE = "OpenClaw cannot reach the model's service."
UNKNOWN_MODEL = "OpenClaw does not know this model, or may not use it."
OWN_LIMIT = "OpenClaw stopped at its own time limit."

_BY_STATUS = {
    401: KnownFailure("not_logged_in", KEY_REFUSED),
    403: KnownFailure("not_logged_in", KEY_REFUSED),
    404: KnownFailure("model_unavailable", UNKNOWN_MODEL),
    429: KnownFailure("rate_limited", RATE_LIMITED, True),
}
_BY_TEXT = (
    ("rate limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("rate_limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("quota", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("authentication failed", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("authentication source", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("no api key found", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("context overflow", KnownFailure("context_exhausted", TOO_LONG)),
    ("context limit", KnownFailure("context_exhausted", TOO_LONG)),
    ("not found by the provider", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("unknown model", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("model not found", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("econnrefused", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("network", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("overloaded", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("server error", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
)
FAILURES = KnownFailures(
    by_text=_BY_TEXT, by_status=_BY_STATUS, status=r"\b(?:HTTP|status)[ =:]{0,2}(\d{3})\b", first="status"
)
_NOISE = re.compile(r"^\[(session-sqlite|sqlite/|state/|agent/|agents/|provider-transport|plugins)")


def of_text(text: str) -> Failure:
    """Return the failure that a message reports."""
    return FAILURES.of_text(text, TITLE)


def of_retry(reason: str) -> Failure:
    """Return the failure of a run that was retrying when it was ended. `reason`: the CLI's word for it."""
    if reason == "rate_limit":
        return Failure(kind="rate_limited", message=RATE_LIMITED, retry_helps=True)
    return Failure(kind="model_unavailable", message=SERVICE_DOWN, retry_helps=True)


def of_exit(exit: Exit, stderr: str) -> Failure:
    """Return the failure of a process that ended without its envelope."""
    told = "\n".join(line for line in stderr.splitlines() if not _NOISE.search(line))
    return FAILURES.of_exit(exit, told, TITLE)
