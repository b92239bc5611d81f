"""Says in one sentence why Codex failed. Pure; called by `stream.py` and `terminal.py`.

Facts: Codex 0.169.0. Its messages are sentences for people; only they tell one failure from another.
"""

from __future__ import annotations

import re

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.screen_phrases import compact

GONE = "Codex no longer has this session."
NOT_LOGGED_IN = "Codex is not logged in. Run codex login in a terminal, or set its provider's key for the server."
KEY_REFUSED = "Codex's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "Codex has reached its rate limit. Try again later."
SERVICE_DOWN = "The model's service did not answer well. Nothing is wrong with the instruction; try again later."
UNREACHABLE = "Codex cannot reach the model's service."
TOO_LONG = "The conversation no longer fits into the model."
UNKNOWN_MODEL = "Codex does not know this model, or may not use it."
TOOL_SERVER = "A tool server that Codex needs could not be started."

# Compared with the text in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("no rollout found", "session_gone", GONE, False),
    ("no saved session found", "session_gone", GONE, False),
    ("missing environment variable", "not_logged_in", NOT_LOGGED_IN, False),
    ("not logged in", "not_logged_in", NOT_LOGGED_IN, False),
    ("401 unauthorized", "not_logged_in", KEY_REFUSED, False),
    ("403 forbidden", "not_logged_in", KEY_REFUSED, False),
    ("refresh token", "not_logged_in", KEY_REFUSED, False),
    ("429 too many requests", "rate_limited", RATE_LIMITED, True),
    ("usage limit", "rate_limited", "Codex's usage limit is reached. Try again when it is renewed.", True),
    ("quota exceeded", "rate_limited", "Codex's account has no credit left.", False),
    ("context window", "context_exhausted", TOO_LONG, False),
    ("context_length_exceeded", "context_exhausted", TOO_LONG, False),
    ("404 not found", "model_unavailable", UNKNOWN_MODEL, False),
    ("model is not supported", "model_unavailable", UNKNOWN_MODEL, False),
    ("high demand", "model_unavailable", SERVICE_DOWN, True),
    ("at capacity", "model_unavailable", SERVICE_DOWN, True),
    ("stream disconnected", "model_unavailable", "The connection to the model's service was cut.", True),
    ("connection refused", "model_unavailable", UNREACHABLE, True),
    ("error sending request", "model_unavailable", UNREACHABLE, True),
    ("connection failed", "model_unavailable", UNREACHABLE, True),
    ("required mcp servers failed", "unknown", TOOL_SERVER, False),
    ("conversation interrupted", "cancelled", "Codex was interrupted.", False),
)
_SERVER_ERROR = re.compile(r"status:? ?5\d\d")
_AFTER_SECONDS = re.compile(r"try again in (\d+(?:\.\d+)?) ?s")


def of_text(text: str, title: str) -> Failure:
    """The failure that a message of Codex tells; also one from the screen, whose words have no spaces."""
    lowered = compact(text.lower())
    for part, kind, message, helps in _BY_TEXT:
        if compact(part) in lowered:
            return Failure(kind=kind, message=message, retry_helps=helps, retry_after_seconds=_after(text))
    if _SERVER_ERROR.search(text.lower()) or re.search(r"status:?5\d\d", lowered):
        return Failure(kind="model_unavailable", message=SERVICE_DOWN, retry_helps=True)
    detail = text.strip().splitlines()[0][:300] if text.strip() else "it gave no reason"
    return Failure(kind="unknown", message=f"{title} failed: {detail}")


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """The failure of a process that ended without the answer it owed."""
    known = of_text(stderr, title)
    return of_process(exit, stderr, title, known if known.kind != "unknown" or known.message == TOOL_SERVER else None)


def _after(text: str) -> float | None:
    found = _AFTER_SECONDS.search(text.lower())
    return float(found[1]) if found else None
