"""Says in one sentence why Gemini CLI failed. Pure; called by `stream.py` and `terminal.py`.

Facts: 0.61.0. What the service refused stands in its messages as JSON with a `code`, or on stderr as a status.
"""

from __future__ import annotations

import re

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.screen_phrases import compact

GONE = "Gemini CLI no longer has this session."
EXISTS = "Gemini CLI has a session with this id already."
NOT_LOGGED_IN = "Gemini CLI is not logged in. Run gemini in a terminal and log in, or set GEMINI_API_KEY."
KEY_REFUSED = "Gemini CLI's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "Gemini CLI has reached its rate limit or quota. Try again later."
SERVICE_DOWN = "Google's service did not answer well. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "Gemini CLI cannot reach Google's service."
UNKNOWN_MODEL = "Gemini CLI does not know this model, or may not use it."
UNTRUSTED = "This folder is not trusted in Gemini CLI. Run gemini in it once in a terminal and say that you trust it."

# Compared with the text in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("error resuming session", "session_gone", GONE, False),
    ("invalid session identifier", "session_gone", GONE, False),
    ("no previous sessions found", "session_gone", GONE, False),
    ("already exists. use --resume", "session_exists", EXISTS, False),
    ("you must specify the gemini_api_key", "not_logged_in", NOT_LOGGED_IN, False),
    ("please set an auth method", "not_logged_in", NOT_LOGGED_IN, False),
    ("invalid auth method", "not_logged_in", NOT_LOGGED_IN, False),
    ("api key not valid", "not_logged_in", KEY_REFUSED, False),
    ("not running in a trusted directory", "permission_denied", UNTRUSTED, False),
    ("folder is not trusted", "permission_denied", UNTRUSTED, False),
    ("exceeds the maximum number of tokens", "context_exhausted", "The conversation no longer fits.", False),
    ("max session turns", "output_limit", "Gemini CLI stopped at its limit of turns.", False),
    ("econnrefused", "model_unavailable", UNREACHABLE, True),
    ("enotfound", "model_unavailable", UNREACHABLE, True),
    ("fetch failed", "model_unavailable", UNREACHABLE, True),
    ("request cancelled", "cancelled", "Gemini CLI was interrupted.", False),
)
_BY_STATUS: dict[int, tuple[FailureKind, str, bool]] = {
    401: ("not_logged_in", KEY_REFUSED, False),
    403: ("not_logged_in", KEY_REFUSED, False),
    404: ("model_unavailable", UNKNOWN_MODEL, False),
    429: ("rate_limited", RATE_LIMITED, True),
}
_STATUS = re.compile(r'(?:"code": ?|status: ?|code: ?)(\d{3})\b')
_MESSAGE = re.compile(r'"message": ?"((?:[^"\\]|\\.)*)"')
# What Node and the CLI itself write on stderr whatever happens.
_NOISE = re.compile(r"\[STARTUP\]|^\s+at |^\s*[}{]|^Warning:|^Ripgrep|YOLO mode is enabled")


def of_text(text: str, title: str, stderr: str = "") -> Failure:
    """The failure that a message tells; where it names no status, the end of stderr may."""
    lowered = compact(text.lower())
    for part, kind, message, helps in _BY_TEXT:
        if compact(part) in lowered:
            return Failure(kind=kind, message=message, retry_helps=helps)
    status = _status(text) or _status(stderr)
    if status in _BY_STATUS:
        kind, message, helps = _BY_STATUS[status]
        return Failure(kind=kind, message=message, retry_helps=helps)
    if status >= 500:
        return Failure(kind="model_unavailable", message=SERVICE_DOWN, retry_helps=True)
    told = _MESSAGE.search(text)
    detail = (told[1] if told else text.strip().partition("\n")[0])[:300] or "it gave no reason"
    return Failure(kind="unknown", message=f"{title} failed: {detail}")


def of_exit(exit: Exit, stderr: str, title: str, *, was_cut: bool = False) -> Failure:
    """The failure of a process that ended without the answer it owed. `was_cut`: in the middle of a line."""
    told = "\n".join(line for line in stderr.splitlines() if line.strip() and not _NOISE.search(line))
    if exit.code == 0 and was_cut:  # its `process.exit` throws away what nobody has read yet
        return Failure(kind="crashed", message=f"{title} left in the middle of its answer.", retry_helps=True)
    if exit.code == 0 and not _status(told):  # so it ends after SIGTERM, without a word
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    known = of_text(told, title, stderr)
    return of_process(exit, told, title, known if known.kind != "unknown" else None)


def _status(text: str) -> int:
    """The last one that is named; 0 for none."""
    found = _STATUS.findall(text)
    return int(found[-1]) if found else 0
