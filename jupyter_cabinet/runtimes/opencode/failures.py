"""Says in one sentence why opencode failed. Pure; called by `stream.py` and `terminal.py`.

Facts: 1.18.33. An error has a name and, where a service refused, a status; while it tries again, only words.
"""

from __future__ import annotations

import re
from typing import Any

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.screen_phrases import compact

TITLE = "opencode"
GONE = "opencode no longer has this session."
KEY_REFUSED = "The key or login that opencode uses was refused. Run opencode auth login, or replace the key."
RATE_LIMITED = "The model's service has reached its rate limit or quota. Try again later."
SERVICE_DOWN = "The model's service did not answer well. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "opencode cannot reach the model's service."
UNKNOWN_MODEL = "opencode does not know this model, or may not use it."
TOO_LONG = "The conversation no longer fits into the model."
CUT_OFF = "The answer reached the model's limit and was cut off."
REFUSED = "opencode needed a permission that was refused, and stopped."
NOBODY = "opencode needed a permission, and without a terminal nobody could be asked. It stopped."
INTERRUPTED = Failure(kind="cancelled", message="opencode was interrupted.")

_BY_NAME: dict[str, tuple[FailureKind, str, bool]] = {
    "ProviderAuthError": ("not_logged_in", KEY_REFUSED, False),
    "ProviderModelNotFoundError": ("model_unavailable", UNKNOWN_MODEL, False),
    "ProviderInitError": ("model_unavailable", "opencode could not start the model's provider.", False),
    "ContextOverflowError": ("context_exhausted", TOO_LONG, False),
    "MessageOutputLengthError": ("output_limit", CUT_OFF, False),
    "MessageAbortedError": ("cancelled", "opencode was interrupted.", False),
}
_BY_STATUS: dict[int, tuple[FailureKind, str, bool]] = {
    401: ("not_logged_in", KEY_REFUSED, False),
    402: ("rate_limited", "The account that opencode uses has no credit left.", False),
    403: ("not_logged_in", KEY_REFUSED, False),
    404: ("model_unavailable", UNKNOWN_MODEL, False),
    413: ("context_exhausted", TOO_LONG, False),
    429: ("rate_limited", RATE_LIMITED, True),
}
# Compared without spaces and in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("session not found", "session_gone", GONE, False),
    ("model not found", "model_unavailable", UNKNOWN_MODEL, False),
    ("rate limit", "rate_limited", RATE_LIMITED, True),
    ("rate_limit", "rate_limited", RATE_LIMITED, True),
    ("too many requests", "rate_limited", RATE_LIMITED, True),
    ("quota", "rate_limited", RATE_LIMITED, True),
    ("usage limit", "rate_limited", RATE_LIMITED, True),
    ("unable to connect", "model_unavailable", UNREACHABLE, True),
    ("econnrefused", "model_unavailable", UNREACHABLE, True),
    ("enotfound", "model_unavailable", UNREACHABLE, True),
    ("socket connection was closed", "model_unavailable", "The connection to the model's service was cut.", True),
    ("api key is missing", "not_logged_in", KEY_REFUSED, False),
    ("api key not valid", "not_logged_in", KEY_REFUSED, False),
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def of_error(error: dict[str, Any]) -> Failure:
    """The failure that an error of a session tells."""
    known = _BY_NAME.get(str(error.get("name") or ""))
    data = error.get("data")
    about = data if isinstance(data, dict) else {}
    status = about.get("statusCode")
    found = known or (_of_status(status) if isinstance(status, int) else None)
    if found:
        kind, message, helps = found
        return Failure(kind=kind, message=message, retry_helps=helps)
    return of_text(str(about.get("message") or error.get("name") or ""))


def of_text(text: str) -> Failure:
    lowered = compact(text.lower())
    for part, kind, message, helps in _BY_TEXT:
        if compact(part) in lowered:
            return Failure(kind=kind, message=message, retry_helps=helps)
    detail = text.strip().partition("\n")[0][:300] or "it gave no reason"
    return Failure(kind="unknown", message=f"{TITLE} failed: {detail}")


def of_retry(text: str) -> Failure:
    """It was trying again when it was ended: its service is busy or down, whatever the words."""
    known = of_text(text)
    if known.kind != "unknown":
        return known
    detail = text.strip().partition("\n")[0][:200]
    message = f"{SERVICE_DOWN} It said: {detail}" if detail else SERVICE_DOWN
    return Failure(kind="model_unavailable", message=message, retry_helps=True)


def of_reason(reason: str, *, refused: bool, in_terminal: bool) -> Failure:
    """It stopped without having finished its answer. `reason` is that of its last step."""
    if refused:
        return Failure(kind="permission_denied", message=REFUSED if in_terminal else NOBODY)
    if reason == "length":
        return Failure(kind="output_limit", message=CUT_OFF)
    if reason == "content-filter":
        return Failure(kind="unknown", message="The model's service held the answer back (content filter).")
    return Failure(kind="unknown", message=f"{TITLE} stopped before it had answered.", retry_helps=True)


def of_exit(exit: Exit, stderr: str) -> Failure:
    """The failure of a process that ended without the answer it owed."""
    told = _COLOURS.sub("", stderr)
    known = of_text(told)
    return of_process(exit, told, TITLE, known if known.kind != "unknown" else None)


def _of_status(status: int) -> tuple[FailureKind, str, bool] | None:
    return ("model_unavailable", SERVICE_DOWN, True) if status >= 500 else _BY_STATUS.get(status)
