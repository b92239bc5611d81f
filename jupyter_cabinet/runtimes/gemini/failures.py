"""Explains in one sentence why Gemini CLI failed. Pure; called by `stream.py` and `terminal.py`.

Facts: 0.61.0. A refusal of the service appears in its messages as JSON with a `code`, or on stderr as a status.
"""

from __future__ import annotations

import re

from ..model import Failure
from ..port import Exit
from ..shared.known_failures import KnownFailure, KnownFailures

GONE = "Gemini CLI no longer has this session."
EXISTS = "Gemini CLI already has a session with this id."
NOT_LOGGED_IN = "Gemini CLI is not logged in. Run gemini in a terminal and log in, or set GEMINI_API_KEY."
KEY_REFUSED = "Gemini CLI's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "Gemini CLI has reached its rate limit or quota. Try again later."
SERVICE_DOWN = "Google's service reported an error. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "Gemini CLI cannot reach Google's service."
UNKNOWN_MODEL = "Gemini CLI does not know this model, or may not use it."
UNTRUSTED = (
    "This folder is not trusted in Gemini CLI. Run gemini in it once in a terminal and confirm that you trust it."
)

_BY_TEXT = (
    ("error resuming session", KnownFailure("session_gone", GONE)),
    ("invalid session identifier", KnownFailure("session_gone", GONE)),
    ("no previous sessions found", KnownFailure("session_gone", GONE)),
    ("already exists. use --resume", KnownFailure("session_exists", EXISTS)),
    ("you must specify the gemini_api_key", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("please set an auth method", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("invalid auth method", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("api key not valid", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("not running in a trusted directory", KnownFailure("permission_denied", UNTRUSTED)),
    ("folder is not trusted", KnownFailure("permission_denied", UNTRUSTED)),
    ("exceeds the maximum number of tokens", KnownFailure("context_exhausted", "The conversation no longer fits.")),
    ("max session turns", KnownFailure("output_limit", "Gemini CLI stopped at its limit of turns.")),
    ("econnrefused", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("enotfound", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("fetch failed", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("request cancelled", KnownFailure("cancelled", "Gemini CLI was interrupted.")),
)
_BY_STATUS = {
    401: KnownFailure("not_logged_in", KEY_REFUSED),
    403: KnownFailure("not_logged_in", KEY_REFUSED),
    404: KnownFailure("model_unavailable", UNKNOWN_MODEL),
    429: KnownFailure("rate_limited", RATE_LIMITED, True),
}
FAILURES = KnownFailures(
    by_text=_BY_TEXT,
    by_status=_BY_STATUS,
    service_down=SERVICE_DOWN,
    status=r'(?:"code": ?|status: ?|code: ?)(\d{3})\b',
)
# Lines that Node and the CLI always write to stderr.
_NOISE = re.compile(r"\[STARTUP\]|^\s+at |^\s*[}{]|^Warning:|^Ripgrep|YOLO mode is enabled")


def of_exit(exit: Exit, stderr: str, title: str, *, was_cut: bool = False) -> Failure:
    """Return the failure of a process that ended without the answer it owed.

    `was_cut`: it ended in the middle of a line.
    """
    told = "\n".join(line for line in stderr.splitlines() if line.strip() and not _NOISE.search(line))
    if exit.code == 0 and was_cut:  # its `process.exit` discards unread output
        return Failure(kind="crashed", message=f"{title} ended in the middle of its answer.", retry_helps=True)
    known = FAILURES.of_text(told, title, beside=stderr)
    if exit.code == 0 and known.kind == "unknown":  # it ends like this after SIGTERM, without a message
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    return FAILURES.of_exit(exit, told, title, beside=stderr)
