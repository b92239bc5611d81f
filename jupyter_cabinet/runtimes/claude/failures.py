"""Explains in one sentence why Claude Code failed. Pure; called by `stream.py` and `terminal.py`.

Facts: Claude Code 2.1.329. A refused request is `subtype: success` with `is_error: true`; the interactive CLI gives the
same as the `error` code of its StopFailure hook. Both carry the text that people see. `title`: the demo agent uses the
same formats.
"""

from __future__ import annotations

from typing import Any

from ..model import Failure
from ..port import Exit
from ..shared.known_failures import KnownFailure, KnownFailures

NOT_LOGGED_IN = "{title} is not logged in. Run claude in a terminal and log in, or set ANTHROPIC_API_KEY."
KEY_REFUSED = "{title}'s key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "{title} has reached its rate limit. Try again later."
SERVICE_DOWN = "Anthropic's service reported an error. Nothing is wrong with the instruction; try again later."

DENIED = "permission_denied"  # the demo agent's code; Claude Code continues after a denial, or is interrupted by it
# The `error` codes of StopFailure and of the transcript: all that 2.1.329 has.
_BY_WORD = {
    "authentication_failed": KnownFailure("not_logged_in", KEY_REFUSED),
    "oauth_org_not_allowed": KnownFailure("not_logged_in", "This organisation may not use {title}."),
    "cloud_credential_error": KnownFailure("not_logged_in", "The cloud provider's credentials were refused."),
    "account_on_hold": KnownFailure("not_logged_in", "This Claude account is on hold."),
    "verification_required": KnownFailure("not_logged_in", "This Claude account must be verified first."),
    "billing_error": KnownFailure("rate_limited", "{title}'s account has no credit left."),
    "rate_limit": KnownFailure("rate_limited", RATE_LIMITED, True),
    "overloaded": KnownFailure("model_unavailable", SERVICE_DOWN, True),
    "server_error": KnownFailure("model_unavailable", SERVICE_DOWN, True),
    "model_not_found": KnownFailure("model_unavailable", "{title} does not know this model, or may not use it."),
    "max_output_tokens": KnownFailure("output_limit", "The answer was longer than the model may write.", True),
}
_BY_STATUS = {
    401: "authentication_failed",
    402: "billing_error",
    403: "authentication_failed",
    404: "model_not_found",
    429: "rate_limit",
    529: "overloaded",
}
_BY_TEXT = (
    ("not logged in", KnownFailure("not_logged_in", NOT_LOGGED_IN)),
    ("no conversation found", KnownFailure("session_gone", "{title} no longer has this session.")),
    ("does not match any session", KnownFailure("session_gone", "{title} no longer has this session.")),
    ("is already in use", KnownFailure("session_exists", "{title} already has a session with this id.")),
    ("root/sudo privileges", KnownFailure("permission_denied", "{title} refuses *No questions* as root.")),
    ("prompt is too long", KnownFailure("context_exhausted", "The conversation no longer fits into the model.")),
    ("isn't trusted", KnownFailure("permission_denied", "This folder was not trusted in {title}.")),
    ("unable to connect", KnownFailure("model_unavailable", "{title} cannot reach Anthropic's service.", True)),
    ("connection refused", KnownFailure("model_unavailable", "{title} cannot reach its service.", True)),
    ("invalid api key", KnownFailure("not_logged_in", KEY_REFUSED)),
    ("run /login", KnownFailure("not_logged_in", KEY_REFUSED)),
)
FAILURES = KnownFailures(by_text=_BY_TEXT)


def of_result(result: dict[str, Any], title: str) -> Failure:
    """Return the failure that a headless `result` with `is_error` reports."""
    errors = result.get("errors")
    told = result.get("result") or " ".join(map(str, errors if isinstance(errors, list) else ()))
    text = told if isinstance(told, str) else ""
    if result.get("subtype") == "error_max_turns":
        return Failure(kind="output_limit", message=f"{title} stopped at its limit of turns for one run.")
    status = result.get("api_error_status")
    if isinstance(status, int):
        return of_word(_BY_STATUS.get(status, "server_error" if status >= 500 else ""), text, title)
    if result.get("api_error") == "connection_failed":
        return Failure(kind="model_unavailable", message=f"{title} cannot reach its service.", retry_helps=True)
    return of_word("", text, title)


def of_word(word: str, text: str, title: str) -> Failure:
    """Return the failure that an `error` code and its text report; of the kind `unknown` if neither is known.

    The text is the more precise of the two.
    """
    if word == DENIED:
        return Failure(kind="permission_denied", message=text)
    told = FAILURES.of_text(text, title)
    return told if told.kind != "unknown" or word not in _BY_WORD else _BY_WORD[word].named(title)


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """Return the failure of a process that ended without the answer it owed."""
    return FAILURES.of_exit(exit, stderr, title)


def of_denials(tools: list[str], title: str) -> Failure:
    """Return the failure of a run whose last tool was refused. `tools`: the names of the refused ones."""
    names = ", ".join(dict.fromkeys(tools))
    return Failure(
        kind="permission_denied",
        message=f"{title} was not allowed to use {names}. Choose another permission mode.",
    )
