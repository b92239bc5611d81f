"""Says in one sentence why OpenClaw failed. Pure; called by `stream.py`. Facts: 2026.9.6.

Its errors are sentences for people, most with the status that a service answered.
"""

from __future__ import annotations

import re

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process

TITLE = "OpenClaw"
KEY_REFUSED = "The key or login that OpenClaw uses was refused. Run openclaw configure, or replace the key."
NOT_LOGGED_IN = "OpenClaw has no login for the model's provider. Run openclaw configure, or set the provider's key."
RATE_LIMITED = "The model's service has reached its rate limit or quota. Try again later."
SERVICE_DOWN = "The model's service did not answer well. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "OpenClaw cannot reach the model's service."
UNKNOWN_MODEL = "OpenClaw does not know this model, or may not use it."
OWN_LIMIT = "OpenClaw stopped at its own time limit."

_BY_STATUS: dict[int, tuple[FailureKind, str, bool]] = {
    401: ("not_logged_in", KEY_REFUSED, False),
    403: ("not_logged_in", KEY_REFUSED, False),
    404: ("model_unavailable", UNKNOWN_MODEL, False),
    429: ("rate_limited", RATE_LIMITED, True),
}
# Compared in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("rate limit", "rate_limited", RATE_LIMITED, True),
    ("rate_limit", "rate_limited", RATE_LIMITED, True),
    ("quota", "rate_limited", RATE_LIMITED, True),
    ("authentication failed", "not_logged_in", KEY_REFUSED, False),
    ("authentication source", "not_logged_in", NOT_LOGGED_IN, False),
    ("no api key found", "not_logged_in", NOT_LOGGED_IN, False),
    ("context overflow", "context_exhausted", "The conversation no longer fits into the model.", False),
    ("context limit", "context_exhausted", "The conversation no longer fits into the model.", False),
    ("not found by the provider", "model_unavailable", UNKNOWN_MODEL, False),
    ("unknown model", "model_unavailable", UNKNOWN_MODEL, False),
    ("model not found", "model_unavailable", UNKNOWN_MODEL, False),
    ("econnrefused", "model_unavailable", UNREACHABLE, True),
    ("network", "model_unavailable", UNREACHABLE, True),
    ("overloaded", "model_unavailable", SERVICE_DOWN, True),
    ("server error", "model_unavailable", SERVICE_DOWN, True),
)
_STATUS = re.compile(r"\b(?:HTTP|status)[ =:]{0,2}(\d{3})\b", re.IGNORECASE)
_NOISE = re.compile(r"^\[(session-sqlite|sqlite/|state/|agent/|agents/|provider-transport|plugins)")


def of_text(text: str) -> Failure:
    status = _STATUS.search(text)
    found = _of_status(int(status[1])) if status else None
    lowered = text.lower()
    found = found or next(((kind, said, helps) for part, kind, said, helps in _BY_TEXT if part in lowered), None)
    if found:
        kind, message, helps = found
        return Failure(kind=kind, message=message, retry_helps=helps)
    detail = text.strip().partition("\n")[0][:300] or "it gave no reason"
    return Failure(kind="unknown", message=f"{TITLE} failed: {detail}")


def of_retry(reason: str) -> Failure:
    """It was trying again when it was ended."""
    if reason == "rate_limit":
        return Failure(kind="rate_limited", message=RATE_LIMITED, retry_helps=True)
    return Failure(kind="model_unavailable", message=SERVICE_DOWN, retry_helps=True)


def of_exit(exit: Exit, stderr: str) -> Failure:
    """The failure of a process that ended without its envelope."""
    told = "\n".join(line for line in stderr.splitlines() if not _NOISE.search(line))
    known = of_text(told)
    return of_process(exit, told, TITLE, known if known.kind != "unknown" else None)


def _of_status(status: int) -> tuple[FailureKind, str, bool] | None:
    return ("model_unavailable", SERVICE_DOWN, True) if status >= 500 else _BY_STATUS.get(status)
