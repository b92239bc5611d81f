"""Explains in one sentence why pi failed. Pure; called by `stream.py` and `terminal.py`. Facts: 0.87.1.

A refusal of a model's service is in `errorMessage`, after its status; other errors are on stderr.
"""

from __future__ import annotations

import re

from ..model import Failure
from ..port import Exit
from ..shared.known_failures import (
    SERVICE_CUT,
    SERVICE_DOWN,
    TOO_LONG,
    KnownFailure,
    KnownFailures,
    ended_without_answer,
)

GONE = "pi no longer has this session in this folder."
NOT_LOGGED_IN = "pi has no key for this model. Run pi in a terminal and use /login, or set its provider's key."
KEY_REFUSED = "pi's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "pi has reached the rate limit of the model's service. Try again later."
UNREACHABLE = "pi cannot reach the model's service."
UNKNOWN_MODEL = "pi does not know this model, or may not use it."
CUT_OFF = "The model stopped at its limit of output."

_BY_TEXT = (
    ("no session found matching", KnownFailure("session_gone", GONE)),
    ("session found in different project", KnownFailure("session_gone", GONE)),
    ("no api key found", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("no models available", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("no model selected", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("authentication failed", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("context window", KnownFailure("context_exhausted", TOO_LONG)),
    ("context length", KnownFailure("context_exhausted", TOO_LONG)),
    ("context_length_exceeded", KnownFailure("context_exhausted", TOO_LONG)),
    ("prompt is too long", KnownFailure("context_exhausted", TOO_LONG)),
    ("usage limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("rate limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("overloaded", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("connection error", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("fetch failed", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("econnrefused", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("terminated", KnownFailure("model_unavailable", SERVICE_CUT, True)),
    ("without finish_reason", KnownFailure("model_unavailable", SERVICE_CUT, True)),
)
_BY_STATUS = {
    401: KnownFailure("not_logged_in", KEY_REFUSED),
    403: KnownFailure("not_logged_in", KEY_REFUSED),
    404: KnownFailure("model_unavailable", UNKNOWN_MODEL),
    413: KnownFailure("context_exhausted", TOO_LONG),
    429: KnownFailure("rate_limited", RATE_LIMITED, True),
}
FAILURES = KnownFailures(by_text=_BY_TEXT, by_status=_BY_STATUS, status=r"\A\s*(?:Error: ?)?(\d{3})\b", first="status")
_UNKNOWN_MODEL = re.compile(r"Model \"[^\n]*\" not found")
_NO_NEWS = re.compile(r"\AWarning: No project session found|\A\s*\Z")


def of_text(text: str, title: str) -> Failure:
    """Return the failure that a message of pi reports, also one from the screen, where words have no spaces."""
    told = FAILURES.of_text(text, title)
    is_unknown_model = told.kind == "unknown" and _UNKNOWN_MODEL.search(text)
    return Failure(kind="model_unavailable", message=UNKNOWN_MODEL) if is_unknown_model else told


def of_stop(reason: str, error: str, title: str) -> Failure | None:
    """Return the failure that the last message reports by its `stopReason`, or None for success."""
    match reason:
        case "error":
            return of_text(error, title)
        case "aborted":
            return Failure(kind="cancelled", message=f"{title} was interrupted.")
        case "length":
            return Failure(kind="output_limit", message=CUT_OFF)
    return None


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """Return the failure of a process that ended without the answer it owed."""
    told = "\n".join(line for line in stderr.splitlines() if not _NO_NEWS.search(line))
    return ended_without_answer(exit, told, title, of_text(told, title))
