"""Says in one sentence why pi failed. Pure; called by `stream.py` and `terminal.py`. Facts: 0.87.1.

What a model's service refused stands in `errorMessage`, with the status before it; the rest is said on stderr.
"""

from __future__ import annotations

import re

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.screen_phrases import compact

GONE = "pi no longer has this session in this folder."
NOT_LOGGED_IN = "pi has no key for this model. Run pi in a terminal and use /login, or set its provider's key."
KEY_REFUSED = "pi's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "pi has reached the rate limit of the model's service. Try again later."
SERVICE_DOWN = "The model's service did not answer well. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "pi cannot reach the model's service."
TOO_LONG = "The conversation no longer fits into the model."
UNKNOWN_MODEL = "pi does not know this model, or may not use it."
CUT_OFF = "The model stopped at its limit of output."

# Compared with the text in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("no session found matching", "session_gone", GONE, False),
    ("session found in different project", "session_gone", GONE, False),
    ("no api key found", "not_logged_in", NOT_LOGGED_IN, False),
    ("no models available", "not_logged_in", NOT_LOGGED_IN, False),
    ("no model selected", "not_logged_in", NOT_LOGGED_IN, False),
    ("authentication failed", "not_logged_in", KEY_REFUSED, False),
    ("context window", "context_exhausted", TOO_LONG, False),
    ("context length", "context_exhausted", TOO_LONG, False),
    ("context_length_exceeded", "context_exhausted", TOO_LONG, False),
    ("prompt is too long", "context_exhausted", TOO_LONG, False),
    ("usage limit", "rate_limited", RATE_LIMITED, True),
    ("rate limit", "rate_limited", RATE_LIMITED, True),
    ("overloaded", "model_unavailable", SERVICE_DOWN, True),
    ("connection error", "model_unavailable", UNREACHABLE, True),
    ("fetch failed", "model_unavailable", UNREACHABLE, True),
    ("econnrefused", "model_unavailable", UNREACHABLE, True),
    ("terminated", "model_unavailable", "The connection to the model's service was cut.", True),
    ("without finish_reason", "model_unavailable", "The connection to the model's service was cut.", True),
)
_BY_STATUS: dict[int, tuple[FailureKind, str, bool]] = {
    401: ("not_logged_in", KEY_REFUSED, False),
    403: ("not_logged_in", KEY_REFUSED, False),
    404: ("model_unavailable", UNKNOWN_MODEL, False),
    413: ("context_exhausted", TOO_LONG, False),
    429: ("rate_limited", RATE_LIMITED, True),
}
_STATUS = re.compile(r"(?:Error: ?)?(\d{3})\b")
_UNKNOWN_MODEL = re.compile(r"Model \"[^\n]*\" not found")
_MESSAGE = re.compile(r'"message": ?"((?:[^"\\]|\\.)*)"')
_NO_NEWS = re.compile(r"\AWarning: No project session found|\A\s*\Z")


def of_text(text: str, title: str) -> Failure:
    """The failure that a message of pi tells; also one from the screen, whose words have no spaces."""
    found = _STATUS.match(text.strip())
    status = int(found[1]) if found else 0
    if status in _BY_STATUS:
        kind, message, helps = _BY_STATUS[status]
        return Failure(kind=kind, message=message, retry_helps=helps)
    lowered = compact(text.lower())
    for part, kind, message, helps in _BY_TEXT:
        if compact(part) in lowered:
            return Failure(kind=kind, message=message, retry_helps=helps)
    if _UNKNOWN_MODEL.search(text):
        return Failure(kind="model_unavailable", message=UNKNOWN_MODEL)
    if status >= 500:
        return Failure(kind="model_unavailable", message=SERVICE_DOWN, retry_helps=True)
    told = _MESSAGE.search(text)
    detail = (told[1] if told else text.strip().partition("\n")[0])[:300] or "it gave no reason"
    return Failure(kind="unknown", message=f"{title} failed: {detail}")


def of_stop(reason: str, error: str, title: str) -> Failure | None:
    """The failure that the last message tells by its `stopReason`; None where it tells of none."""
    match reason:
        case "error":
            return of_text(error, title)
        case "aborted":
            return Failure(kind="cancelled", message=f"{title} was interrupted.")
        case "length":
            return Failure(kind="output_limit", message=CUT_OFF)
    return None


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """The failure of a process that ended without the answer it owed."""
    told = "\n".join(line for line in stderr.splitlines() if not _NO_NEWS.search(line))
    known = of_text(told, title)
    return of_process(exit, told, title, known if known.kind != "unknown" else None)
