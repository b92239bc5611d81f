"""One table: which error becomes which HTTP status. One shape on the wire: `{"error": {kind, message, detail}}`."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core import errors

STATUS: dict[type[errors.CabinetError], int] = {
    errors.NotFound: 404,
    errors.NotAllowed: 403,
    errors.Invalid: 400,
    errors.Conflict: 409,
    errors.Refused: 503,
    errors.QueueFull: 429,
    errors.OverBudget: 429,
    errors.NoRoom: 507,
    errors.Unavailable: 503,
}


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong. `kind` is stable, `message` is for a person."""

    kind: str
    message: str
    detail: dict[str, Any] = {}


class ErrorReply(msgspec.Struct, frozen=True, kw_only=True):
    """Body of every reply that is not a success."""

    error: ErrorBody


def status_of(error: errors.CabinetError) -> int:
    """The status of the nearest class in the table."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)


def reply_to(error: errors.CabinetError) -> ErrorReply:
    """The body for an error of ours: its kind, its message, its detail."""
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
    403: "You have no right to do this, or the request did not come from this server's own pages.",
    404: "There is no such thing here.",
    405: "This cannot be done to it.",
    415: "Send JSON with the content type application/json.",
}


def reply_to_status(status: int) -> ErrorReply:
    """For what Jupyter or tornado refused. A bug is a 500 without detail."""
    kind = HTTP_KINDS.get(status, "internal" if status >= 500 else "refused")
    message = HTTP_MESSAGES.get(
        status, "Cabinet made a mistake. The server's log has it." if status >= 500 else "Refused."
    )
    return ErrorReply(error=ErrorBody(kind=kind, message=message))
