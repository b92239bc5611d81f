"""Says in one sentence why Claude Code failed. Pure; called by `stream.py` and `terminal.py`.

Facts: Claude Code 2.1.329. A refused request is `subtype: success` with `is_error: true`; the interactive
CLI gives the same as the `error` word of its StopFailure hook. Both carry the text people see. `title`: the demo
agent speaks the same formats.
"""

from __future__ import annotations

from typing import Any

from ..model import Failure, FailureKind
from ..port import Exit
from ..shared.exit_failures import TERMINATED, crashed
from ..shared.screen_phrases import compact

NOT_LOGGED_IN = "{title} is not logged in. Run claude in a terminal and log in, or set ANTHROPIC_API_KEY."
KEY_REFUSED = "{title}'s key or login was refused. Log in again, or replace the key."
RATE_LIMITED = "{title} has reached its rate limit. Try again later."
SERVICE_DOWN = "Anthropic's service did not answer well. Nothing is wrong with the instruction; try again later."

# The `error` words of StopFailure and of the transcript: all that 2.1.329 knows.
_BY_WORD: dict[str, tuple[FailureKind, str, bool]] = {
    "authentication_failed": ("not_logged_in", KEY_REFUSED, False),
    "oauth_org_not_allowed": ("not_logged_in", "This organisation may not use {title}.", False),
    "cloud_credential_error": ("not_logged_in", "The cloud provider's credentials were refused.", False),
    "account_on_hold": ("not_logged_in", "This Claude account is on hold.", False),
    "verification_required": ("not_logged_in", "This Claude account must be verified first.", False),
    "billing_error": ("rate_limited", "{title}'s account has no credit left.", False),
    "rate_limit": ("rate_limited", RATE_LIMITED, True),
    "overloaded": ("model_unavailable", SERVICE_DOWN, True),
    "server_error": ("model_unavailable", SERVICE_DOWN, True),
    "model_not_found": (
        "model_unavailable",
        "{title} does not know this model, or may not use it.",
        False,
    ),
    "max_output_tokens": ("output_limit", "The answer was longer than the model may write.", True),
}
_BY_STATUS = {
    401: "authentication_failed",
    402: "billing_error",
    403: "authentication_failed",
    404: "model_not_found",
    429: "rate_limit",
    529: "overloaded",
}
# Compared with the text in lower case; the first that fits counts.
_BY_TEXT: tuple[tuple[str, FailureKind, str, bool], ...] = (
    ("not logged in", "not_logged_in", NOT_LOGGED_IN, False),
    ("no conversation found", "session_gone", "{title} no longer has this session.", False),
    ("does not match any session", "session_gone", "{title} no longer has this session.", False),
    ("is already in use", "session_exists", "{title} has a session with this id already.", False),
    ("root/sudo privileges", "permission_denied", "{title} refuses *No questions* as root.", False),
    ("prompt is too long", "context_exhausted", "The conversation no longer fits into the model.", False),
    ("isn't trusted", "permission_denied", "This folder was not trusted in {title}.", False),
    ("unable to connect", "model_unavailable", "{title} cannot reach Anthropic's service.", True),
    ("connection refused", "model_unavailable", "{title} cannot reach its service.", True),
    ("invalid api key", "not_logged_in", KEY_REFUSED, False),
    ("run /login", "not_logged_in", KEY_REFUSED, False),
)


def of_result(result: dict[str, Any], title: str) -> Failure:
    """The failure that a headless `result` with `is_error` tells."""
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
    """The failure that an `error` word and the text beside it tell. The text is the more exact of the two."""
    lowered = compact(text.lower())  # what a screen says has no spaces
    for part, kind, message, helps in _BY_TEXT:
        if compact(part) in lowered:
            return Failure(kind=kind, message=message.format(title=title), retry_helps=helps)
    if word in _BY_WORD:
        kind, message, helps = _BY_WORD[word]
        return Failure(kind=kind, message=message.format(title=title), retry_helps=helps)
    detail = text.strip().splitlines()[0][:300] if text.strip() else "it gave no reason"
    return Failure(kind="unknown", message=f"{title} failed: {detail}")


def of_exit(exit: Exit, stderr: str, title: str) -> Failure:
    """The failure of a process that ended without the answer it owed."""
    if exit.signal in (2, 15) or exit.code == TERMINATED:
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    known = of_word("", stderr, title)
    if known.kind != "unknown":
        return known
    return crashed(exit, stderr, title)


def of_denials(tools: list[str], title: str) -> Failure:
    """The failure of a run whose last tool was refused."""
    names = ", ".join(dict.fromkeys(tools))
    return Failure(
        kind="permission_denied",
        message=f"{title} was not allowed to use {names}. Choose another permission mode.",
    )
