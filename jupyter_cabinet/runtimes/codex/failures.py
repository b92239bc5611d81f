"""Explains in one sentence why Codex failed. Pure; called by `stream.py` and `terminal.py`.

Facts: Codex 0.169.0. Failures differ only in their messages, which are sentences for people.
"""

from __future__ import annotations

from ..model import Failure
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.known_failures import SERVICE_CUT, SERVICE_DOWN, TOO_LONG, KnownFailure, KnownFailures

GONE = "Codex no longer has this session."
NOT_LOGGED_IN = "Codex is not logged in. Run codex login in a terminal, or set its provider's key for the server."
KEY_REFUSED = "Codex's key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "Codex has reached its rate limit. Try again later."
UNREACHABLE = "Codex cannot reach the model's service."
UNKNOWN_MODEL = "Codex does not know this model, or may not use it."
TOOL_SERVER = "A tool server that Codex needs could not be started."

_BY_TEXT = (
    ("no rollout found", KnownFailure("session_gone", GONE)),
    ("no saved session found", KnownFailure("session_gone", GONE)),
    ("missing environment variable", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("not logged in", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("401 unauthorized", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("403 forbidden", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("refresh token", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("429 too many requests", KnownFailure("rate_limited", RATE_LIMITED, True)),
    (
        "usage limit",
        KnownFailure("rate_limited", "You have reached Codex's usage limit. Try again when the limit resets.", True),
    ),
    (
        "quota exceeded",
        KnownFailure("rate_limited", "Your Codex account has no credit left. Add credit, then try again."),
    ),
    ("context window", KnownFailure("context_exhausted", TOO_LONG)),
    ("context_length_exceeded", KnownFailure("context_exhausted", TOO_LONG)),
    ("404 not found", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("model is not supported", KnownFailure("model_unavailable", UNKNOWN_MODEL)),
    ("high demand", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("at capacity", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("stream disconnected", KnownFailure("model_unavailable", SERVICE_CUT, True)),
    ("connection refused", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("error sending request", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("connection failed", KnownFailure("model_unavailable", UNREACHABLE, True)),
    ("required mcp servers failed", KnownFailure("unknown", TOOL_SERVER)),
    ("conversation interrupted", KnownFailure("cancelled", "Codex was interrupted.")),
)
FAILURES = KnownFailures(by_text=_BY_TEXT, status=r"status:? ?(5\d\d)")


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """Return the failure of a process that ended without the answer it owed. `stderr`: its last output."""
    known = FAILURES.of_text(stderr, title)
    return of_process(exit, stderr, title, known if known.kind != "unknown" or known.message == TOOL_SERVER else None)
