"""Identifies who is reading or saving, from the request that the contents manager is handling."""

from __future__ import annotations

from jupyter_server.base.call_context import CallContext

CHANGING_METHODS = frozenset({"PUT", "POST", "PATCH"})


def a_person_saves() -> bool:
    """Return whether the current request saves; a shared document saves itself in a task that its WebSocket's GET
    started.

    False outside a request.
    """
    return _method() in CHANGING_METHODS


def a_person_asks() -> bool:
    """Return whether the current request is a browser's reading of a file through the contents API."""
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    return _method() == "GET" and "/api/contents" in str(getattr(getattr(handler, "request", None), "path", ""))


def current_person() -> str:
    """Return the username of the current request's person; empty in the background.

    A task that a request has started still counts as the request, for example the saving of a shared document.
    """
    user = getattr(CallContext.get(CallContext.JUPYTER_HANDLER), "current_user", None)
    return str(getattr(user, "username", ""))


def _method() -> str:
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    return str(getattr(getattr(handler, "request", None), "method", ""))
