"""Marks a handler's method as an operation of the API: who may, what it takes, what it gives.

The mark is the single place that says so: it guards the method, and `openapi.py` and the tests' matrix read it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar

import msgspec
from jupyter_server.auth.decorator import authorized
from tornado import web

Action = Literal["read", "write", "execute"]
Method = TypeVar("Method", bound=Callable[..., Any])


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of the URL."""

    name: str
    kind: Literal["string", "integer", "number", "boolean"] = "string"
    about: str = ""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What a method does, for the guard, the document and the tests."""

    action: Action
    summary: str
    body: Any = None  # the struct of the request's body
    gives: Any = None  # the struct of the reply, or None
    status: int = 200
    query: tuple[Query, ...] = ()
    socket: bool = False
    media: str = "application/json"


def operation(
    action: Action,
    *,
    body: Any = None,
    gives: Any = None,
    status: int = 200,
    query: tuple[Query, ...] = (),
    socket: bool = False,
    media: str = "application/json",
) -> Callable[[Method], Method]:
    """Guard a method: only an authenticated user with the right to `action` on the handler's resource gets in."""

    def mark(method: Method) -> Method:
        guarded: Any = _authenticated(authorized(action=action)(method))
        summary = (method.__doc__ or "").strip().splitlines()[0]
        guarded.operation = Operation(
            action=action,
            summary=summary,
            body=body,
            gives=gives,
            status=status,
            query=query,
            socket=socket,
            media=media,
        )
        return guarded  # type: ignore[no-any-return]

    return mark


def _authenticated(method: Callable[..., Any]) -> Callable[..., Any]:
    """Like tornado's, but an API answers 401 instead of a redirect to the login page."""

    @wraps(method)
    def inner(self: Any, *arguments: Any, **named: Any) -> Any:
        if self.current_user is None:
            raise web.HTTPError(401)
        return method(self, *arguments, **named)

    return inner
