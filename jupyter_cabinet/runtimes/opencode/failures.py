"""Explains in one sentence why opencode failed. Pure; called by `stream.py` and `terminal.py`.

Facts: 1.18.33. An error has a name and, if a service refused, a status; while it retries, there is only a message.
"""

from __future__ import annotations

import re
from typing import Any

from ..model import Failure
from ..port import Exit
from ..shared.known_failures import SERVICE_CUT, SERVICE_DOWN, TOO_LONG, KnownFailure, KnownFailures

TITLE = "opencode"
GONE = "opencode no longer has this session."
KEY_REFUSED = "The key or login that opencode uses was refused. Run opencode auth login, or replace the key."
RATE_LIMITED = "The model's service has reached its rate limit or quota. Try again later."
UNREACHABLE = "opencode cannot reach the model's service."
UNKNOWN_MODEL = "opencode does not know this model, or may not use it."
CUT_OFF = "The answer reached the model's limit and was cut off."
REFUSED = "opencode needed a permission that was refused, and stopped."
NOBODY = "opencode needed a permission, and without a terminal nobody could be asked. It stopped."
INTERRUPTED = Failure(kind="cancelled", message="opencode was interrupted.")

_BY_NAME = {
    "ProviderAuthError": KnownFailure("not_logged_in", KEY_REFUSED),
    "ProviderModelNotFoundError": KnownFailure("model_unavailable", UNKNOWN_MODEL),
    "ProviderInitError": KnownFailure("model_unavailable", "opencode could not start the model's provider."),
    "ContextOverflowError": KnownFailure("context_exhausted", TOO_LONG),
    "MessageOutputLengthError": KnownFailure("output_limit", CUT_OFF),
    "MessageAbortedError": KnownFailure("cancelled", "opencode was interrupted."),
}
_BY_STATUS = {
    401: KnownFailure("not_logged_in", KEY_REFUSED),
    402: KnownFailure("rate_limited", "The account that opencode uses has no credit left."),
    403: KnownFailure("not_logged_in", KEY_REFUSED),
    404: KnownFailure("model_unavailable", UNKNOWN_MODEL),
    413: KnownFailure("context_exhausted", TOO_LONG),
    429: KnownFailure("rate_limited", RATE_LIMITED, True),
}
_BY_TEXT = (
    ("session not found", KnownFailure("session_gone", GONE)),
    ("model not found", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("rate limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("rate_limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("too many requests", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("quota", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("usage limit", KnownFailure("rate_limited", RATE_LIMITED, True)),
    ("unable to connect", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("econnrefused", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("enotfound", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("socket connection was closed", KnownFailure("model_unavailable", SERVICE_CUT, True)),
    ("api key is missing", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("api key not valid", KnownFailure("not_logged_in", KEY_REFUSED)),
)
FAILURES = KnownFailures(by_text=_BY_TEXT, by_status=_BY_STATUS)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def of_error(error: dict[str, Any]) -> Failure:
    """Return the failure that an error of a session reports."""
    known = _BY_NAME.get(str(error.get("name") or ""))
    data = error.get("data")
    about = data if isinstance(data, dict) else {}
    status = about.get("statusCode")
    found = known or (FAILURES.of_status(status) if isinstance(status, int) else None)
    if found:
        return found.named(TITLE)
    return of_text(str(about.get("message") or error.get("name") or ""))


def of_text(text: str) -> Failure:
    """Return the failure that a message reports."""
    return FAILURES.of_text(text, TITLE)


def of_retry(text: str) -> Failure:
    """Return the failure of a run that was retrying when it was ended.

    Its service is busy or down, if the message does not name another failure.
    """
    known = of_text(text)
    if known.kind != "unknown":
        return known
    detail = text.strip().partition("\n")[0][:200]
    message = f"{SERVICE_DOWN} It said: {detail}" if detail else SERVICE_DOWN
    return Failure(kind="model_unavailable", message=message, retry_helps=True)


def of_reason(reason: str, *, refused: bool, in_terminal: bool) -> Failure:
    """Return the failure of a run that stopped without finishing its answer. `reason` is that of its last step.

    `refused`: a tool was refused. `in_terminal`: somebody could be asked.
    """
    if refused:
        return Failure(kind="permission_denied", message=REFUSED if in_terminal else NOBODY)
    if reason == "length":
        return Failure(kind="output_limit", message=CUT_OFF)
    if reason == "content-filter":
        return Failure(kind="unknown", message="The model's service held the answer back (content filter).")
    return Failure(kind="unknown", message=f"{TITLE} stopped before it answered.", retry_helps=True)


def of_exit(exit: Exit, stderr: str) -> Failure:
    """Return the failure of a process that ended without the answer it owed."""
    return FAILURES.of_exit(exit, _COLOURS.sub("", stderr), TITLE)
