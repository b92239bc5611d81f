"""Explains in one sentence why an ACP agent failed. Pure; called by `client.py`.

The protocol has numbers for two failures. The others are recognized only by the agent's own message. Facts:
claude-agent-acp 0.100.0, codex-acp 2.6.0, Gemini CLI 0.61.0, opencode 1.18.33, pi-acp 0.0.34.
"""

from __future__ import annotations

from typing import Any

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import of_process
from ..shared.known_failures import SERVICE_CUT, TOO_LONG, KnownFailure, KnownFailures
from ..shared.messages.json_values import string

AUTH_REQUIRED = -32000
NOT_FOUND = -32002

SERVICE_DOWN = "The model's service reported an error. Try again later."

_BY_TEXT = (
    ("session not found", KnownFailure("session_gone", "{title} no longer has this session.")),
    ("unknown sessionid", KnownFailure("session_gone", "{title} no longer has this session.")),
    ("no previous sessions found", KnownFailure("session_gone", "{title} no longer has this session.")),
    ("authentication required", KnownFailure("not_logged_in", "{title} is not logged in.")),
    ("not logged in", KnownFailure("not_logged_in", "{title} is not logged in.")),
    ("invalid api key", KnownFailure("not_logged_in", "{title}'s key or login was refused.")),
    ("api key not valid", KnownFailure("not_logged_in", "{title}'s key or login was refused.")),
    ("authentication_error", KnownFailure("not_logged_in", "{title}'s key or login was refused.")),
    ("failed to authenticate", KnownFailure("not_logged_in", "{title}'s key or login was refused.")),
    ("no api key", KnownFailure("not_logged_in", "{title} has no key for its model.")),
    ("missing environment variable", KnownFailure("not_logged_in", "{title} has no key for its model.")),
    ("usage limit", KnownFailure("rate_limited", "{title} has reached its usage limit. Try again later.", True)),
    ("rate limit", KnownFailure("rate_limited", "{title} has reached its rate limit. Try again later.", True)),
    ("quota", KnownFailure("rate_limited", "{title} has reached its rate limit or quota. Try again later.", True)),
    ("context window", KnownFailure("context_exhausted", TOO_LONG)),
    ("prompt is too long", KnownFailure("context_exhausted", TOO_LONG)),
    ("high demand", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("overloaded", KnownFailure("model_unavailable", SERVICE_DOWN, True)),
    ("stream disconnected", KnownFailure("model_unavailable", SERVICE_CUT, True)),
    ("connection error", KnownFailure("model_unavailable", "{title} cannot reach the model's service.", True)),
    ("fetch failed", KnownFailure("model_unavailable", "{title} cannot reach the model's service.", True)),
    ("econnrefused", KnownFailure("model_unavailable", "{title} cannot reach the model's service.", True)),
)
_BY_STATUS = {
    401: KnownFailure("not_logged_in", "{title}'s key or login was refused."),
    403: KnownFailure("not_logged_in", "{title}'s key or login was refused."),
    404: KnownFailure("model_unavailable", "{title} does not know this model, or may not use it."),
    429: KnownFailure("rate_limited", "{title} has reached its rate limit. Try again later.", True),
}
FAILURES = KnownFailures(by_text=_BY_TEXT, by_status=_BY_STATUS, service_down=SERVICE_DOWN, status=r"\b([45]\d\d)\b")
_STOPS: dict[str, tuple[FailureKind, str]] = {
    "max_tokens": ("output_limit", "The model stopped at its limit of output."),
    "max_turn_requests": ("output_limit", "{title} stopped at its limit of turns."),
    "refusal": ("unknown", "{title} refused to continue."),
    "cancelled": ("cancelled", "{title} was interrupted."),
}


def of_stop(reason: str, title: str) -> Failure | None:
    """Return the failure that the end of an answer reports, or None for success."""
    if reason == "end_turn":
        return None
    if reason not in _STOPS:
        return Failure(kind="unknown", message=f"{title} stopped with the reason: {reason[:100]}")
    kind, message = _STOPS[reason]
    return Failure(kind=kind, message=message.format(title=title))


def of_denial(tool: str, title: str) -> Failure:
    """Return the failure of a run whose last tool was refused by its permission mode."""
    message = f"{title} was not allowed to use {tool.rstrip('.')}. Choose another permission mode."
    return Failure(kind="permission_denied", message=message)


def of_refusal(tool: str, title: str) -> Failure:
    """Return the failure of a run that ended because a person denied a tool, as codex-acp and opencode do."""
    return Failure(kind="cancelled", message=f"{title} stopped when it was not allowed to use {tool.rstrip('.')}.")


def of_no_answer(notices: str, title: str) -> Failure:
    """Return the failure of an answer without text and without a tool. The agent's notices may give the reason."""
    if notices.strip():
        return FAILURES.of_text(notices, title)
    return Failure(kind="unknown", message=f"{title} ended without an answer.", retry_helps=True)


def of_error(error: Any, title: str, *, loading: bool, logins: tuple[str, ...] = ()) -> Failure:
    """Return the failure of a request.

    `loading`: the request was to continue a session; then an error that is not known otherwise is `session_gone`.
    `logins`: the ways to log in that the agent offers.
    """
    known = error if isinstance(error, dict) else {}
    text = _text(known)
    if known.get("code") == AUTH_REQUIRED:
        ways = f" It offers: {', '.join(logins)}." if logins else ""
        return Failure(kind="not_logged_in", message=f"{title} is not logged in.{ways}")
    failure = FAILURES.of_text(text, title)
    if loading and (known.get("code") == NOT_FOUND or failure.kind == "unknown"):
        return Failure(kind="session_gone", message=f"{title} no longer has this session.")
    return failure


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """Return the failure of a process that ended without the answer it owed; `cancelled` if its exit code is 0."""
    known = FAILURES.of_text(stderr, title)
    if exit.code == 0:  # most agents end like this after SIGTERM; otherwise they wait for more
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    return of_process(exit, stderr, title, known if known.kind not in ("unknown", "session_gone") else None)


def _text(error: dict[str, Any]) -> str:
    """Return the agent's message, with the details that some agents add."""
    data = error.get("data")
    details = [data] if isinstance(data, str) else []
    if isinstance(data, dict):
        details = [string(data, name) for name in ("details", "message", "errorKind", "error", "reason")]
    said = [string(error, "message"), *details]
    # "Internal error" says nothing by itself, so the details come first
    return " ".join(filter(None, [*said[1:], said[0]]))
