"""Marks a handler's method as an operation of the API: its rights, its arguments, its reply.

The mark is the only place for these: it guards the method, and `openapi.py` and the tests' matrix read it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeVar

import msgspec
from jupyter_server.auth.decorator import allow_unauthenticated, authorized
from tornado import web

from ..core.errors import Invalid

Action = Literal["read", "write", "execute"]
JSON = "application/json"
JUPYTERS = ("token", "_xsrf", "no_track_activity")  # parameters that Jupyter itself reads from any URL
Method = TypeVar("Method", bound=Callable[..., Any])


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of the URL."""

    name: str
    kind: Literal["string", "integer", "number", "boolean"] = "string"
    about: str = ""
    values: tuple[str, ...] = ()  # the only ones that the handler accepts; empty: any


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a method, for the guard, the document and the tests."""

    action: Action
    summary: str
    body: Any = None  # the struct of the request's body
    gives: Any = None  # the struct of the reply, or None
    status: int = 200
    query: tuple[Query, ...] = ()
    socket: bool = False
    media: str = JSON
    signed: bool = False  # a signature replaces the login


def operation(
    action: Action,
    *,
    body: Any = None,
    gives: Any = None,
    status: int = 200,
    query: tuple[Query, ...] = (),
    socket: bool = False,
    media: str = JSON,
) -> Callable[[Method], Method]:
    """Guard a method: only an authenticated user with the right to `action` on the handler's resource gets in.

    Without a login it answers 401, without the right 403, and for a parameter of the URL that is not in `query` it
    raises `Invalid`. The first line of the method's docstring becomes its summary.
    """

    def mark(method: Method) -> Method:
        guarded: Any = _authenticated(authorized(action=action)(_with_known_query(method, query)))
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


def signed_operation(*, gives: Any = None, status: int = 200) -> Callable[[Method], Method]:
    """Mark a method that requires a signature instead of a login, and has to check it itself. Only below `hooks/`.

    Every parameter of the URL is refused with `Invalid`. The first line of the method's docstring becomes its summary.
    """

    def mark(method: Method) -> Method:
        open_to_all: Any = allow_unauthenticated(_with_known_query(method, ()))
        summary = (method.__doc__ or "").strip().splitlines()[0]
        open_to_all.operation = Operation(action="execute", summary=summary, gives=gives, status=status, signed=True)
        return open_to_all  # type: ignore[no-any-return]

    return mark


def _with_known_query(method: Callable[..., Any], query: tuple[Query, ...]) -> Callable[..., Any]:
    """Refuse an unknown parameter like an unknown field: a misspelled filter must not return everything."""
    known = [parameter.name for parameter in query]

    @wraps(method)
    def inner(self: Any, *arguments: Any, **named: Any) -> Any:
        for name, values in self.request.query_arguments.items():
            against_caches = name.isdigit() and not any(values)  # JupyterLab's client appends the time
            if name not in (*known, *JUPYTERS) and not against_caches:
                offered = f"Known: {', '.join(known)}." if known else "It takes none."
                raise Invalid(f"There is no parameter {name[:100]} here. {offered}", field=name[:100])
        return method(self, *arguments, **named)

    return inner


def _authenticated(method: Callable[..., Any]) -> Callable[..., Any]:
    """Like tornado's, but an API answers 401 instead of a redirect to the login page."""

    @wraps(method)
    def inner(self: Any, *arguments: Any, **named: Any) -> Any:
        if self.current_user is None:
            raise web.HTTPError(401)
        return method(self, *arguments, **named)

    return inner
