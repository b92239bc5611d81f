"""One table: which error becomes which HTTP status. One shape on the wire: `{"error": {kind, message, detail}}`."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core import errors

STATUS: dict[type[errors.CabinetError], int] = {
    errors.NotFound: 404,
    errors.NotAllowed: 403,
    errors.Invalid: 400,
    errors.TooLarge: 413,
    errors.Conflict: 409,
    errors.Refused: 503,
    errors.QueueFull: 429,
    errors.OverBudget: 429,
    errors.NoRoom: 507,
    errors.Unavailable: 503,
}


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """An error. `kind` is stable, `message` is for a person."""

    kind: str
    message: str
    detail: dict[str, Any] = {}


class ErrorReply(msgspec.Struct, frozen=True, kw_only=True):
    """Body of every reply that is not a success."""

    error: ErrorBody


def status_of(error: errors.CabinetError) -> int:
    """Return the status of the nearest class in the table; 400 if there is none."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)


def reply_to(error: errors.CabinetError) -> ErrorReply:
    """Return the body for one of our errors: its kind, its message, its detail."""
    return ErrorReply(error=ErrorBody(kind=error.kind(), message=error.message, detail=error.detail))


HTTP_KINDS = {
    400: "invalid",
    401: "not_logged_in",
    403: "not_allowed",
    404: "not_found",
    405: "no_such_method",
    415: "not_json",
}
HTTP_MESSAGES = {
    401: "Log in first.",
    403: "You are not allowed to do this, or the request did not come from this server's own pages. Reload the page.",
    404: "This does not exist here.",
    405: "This method is not allowed here.",
    415: "Send JSON with the content type application/json.",
}


def reply_to_status(status: int) -> ErrorReply:
    """Return the body for a refusal of Jupyter or tornado, by its status. A bug is a 500 without detail."""
    kind = HTTP_KINDS.get(status, "internal" if status >= 500 else "refused")
    message = HTTP_MESSAGES.get(
        status, "Cabinet failed because of a bug. The details are in the server's log." if status >= 500 else "Refused."
    )
    return ErrorReply(error=ErrorBody(kind=kind, message=message))
