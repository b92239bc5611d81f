"""The base of every handler: the caller, the origin, the body, and how an error is sent. No handler has a `try`."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ..core.errors import CabinetError, Invalid, Unavailable
from ..core.json_input import decoded
from ..core.people import Principal
from . import identity
from .errors import reply_to, reply_to_status, status_of
from .origin import is_answerable
from .server_status import ServerStatus

if TYPE_CHECKING:
    from ..backend import Backend

Body = TypeVar("Body")

CHANGES = ("POST", "PUT", "PATCH", "DELETE")
MAX_BODY_BYTES = 4 * 2**20
API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"


class CabinetHandler(JupyterHandler):
    """One noun. `auth_resource` names it to Jupyter's authorizer."""

    auth_resource = "cabinet-runs"
    max_body_bytes = MAX_BODY_BYTES
    changes_state_by_get = False  # a WebSocket's GET opens a connection

    def initialize(self, server_status: ServerStatus) -> None:
        """Called by tornado with the arguments of the route table. `principal` is known after `prepare`."""
        self.server_status = server_status
        self.principal: Principal

    @property
    def services(self) -> Backend:
        """The open services; `prepare` has let the request pass."""
        return self.server_status.services

    async def prepare(self) -> None:  # type: ignore[override]
        await super().prepare(_redirect_to_login=False)
        if not self.check_origin():
            raise web.HTTPError(403)
        if self.current_user is None:
            raise web.HTTPError(401)
        if self.server_status.trouble:
            raise Unavailable(self.server_status.trouble)
        if self.request.method in CHANGES and self._has_content() and not self._is_json():
            raise web.HTTPError(415)
        self.principal = await identity.principal_of(self, self.auth_resource)

    def on_finish(self) -> None:
        """Count this as activity for Jupyter, unless the request says that it is none."""
        super().on_finish()
        if hasattr(self, "principal") and self.get_query_argument("no_track_activity", None) is None:
            self.settings["api_last_activity"] = self.server_status.clock.now()

    def get_login_url(self) -> str:
        raise web.HTTPError(401)  # an API does not redirect people to a page

    def check_xsrf_cookie(self) -> None:
        """Apply Jupyter's rule for cookies and origins.

        Every refusal, also Jupyter's 404 for a foreign origin, becomes 403, or 401 if a token was not accepted.
        """
        try:
            super().check_xsrf_cookie()
        except web.HTTPError:
            not_accepted = self.current_user is None and "Authorization" in self.request.headers
            raise web.HTTPError(401 if not_accepted else 403) from None

    # --- caller and origin -----------------------------------------------------------------

    async def may(self, action: str, resource: str | None = None) -> bool:
        """Return whether Jupyter's authorizer grants the caller this action now.

        `resource`: by default the handler's own.
        """
        return await identity.may(self, action, resource or self.auth_resource)

    def skip_check_origin(self) -> bool:
        return False  # Jupyter would, for a request with a token

    def check_origin(self, origin: str | None = None) -> bool:
        """Return whether the request may come in: by Jupyter's rule, and by ours for requests that Jupyter lets pass.

        The argument `origin` is ignored.
        """
        named = self.request.headers.get("Origin")
        if named is not None and self.allow_origin == "*":
            return True
        answerable = is_answerable(named, self.request.headers, changes_state=self._changes_state())
        return answerable and super().check_origin()

    def _changes_state(self) -> bool:
        return self.changes_state_by_get or self.request.method not in ("GET", "HEAD", "OPTIONS")

    # --- body and arguments ----------------------------------------------------------------

    def body(self, kind: type[Body]) -> Body:
        """Return the request's body as `kind`. Raises `Invalid` if it is too large, is not JSON, or has another shape.

        If one field does not fit, the error names it. Unknown fields are `Invalid` only if the struct forbids them.
        Raises HTTP 415 if the content type is not JSON.
        """
        if not self._is_json():
            raise web.HTTPError(415)
        if len(self.request.body) > self.max_body_bytes:
            raise Invalid(f"The request is larger than {self.max_body_bytes // 2**20} MiB.")
        return decoded(msgspec.json.Decoder(kind), self.request.body)

    def _has_content(self) -> bool:
        return bool(self.request.body) or "Content-Type" in self.request.headers

    def _is_json(self) -> bool:
        kind = self.request.headers.get("Content-Type", "").partition(";")[0]
        return kind.strip().lower() == "application/json"

    def text_argument(self, name: str) -> str | None:
        """Return a query argument, without spaces around it; None if it is missing or empty."""
        return self.get_query_argument(name, None) or None

    def path_argument(self, name: str) -> str | None:
        """Return a query argument with every character, as a file's name may have it.

        Tornado would strip spaces and replace control characters. None if it is missing or empty. Raises `Invalid` if
        it is not UTF-8.
        """
        values = self.request.query_arguments.get(name)
        try:
            return values[-1].decode() or None if values else None
        except UnicodeDecodeError:
            raise Invalid(f"{name} must be UTF-8.", field=name) from None

    def flag_argument(self, name: str) -> bool:
        """Return a query argument as a switch; false if it is missing or empty.

        Raises `Invalid` for anything but `true` and `false`.
        """
        text = self.text_argument(name)
        if text not in (None, "true", "false"):
            raise Invalid(f"{name} must be true or false.", field=name)
        return text == "true"

    def time_argument(self, name: str) -> datetime | None:
        """Return a query argument as a time; None if it is missing or empty. Raises `Invalid`.

        A time without a time zone is in UTC.
        """
        text = self.text_argument(name)
        try:
            found = datetime.fromisoformat(text) if text else None
            return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)
        except ValueError:
            raise Invalid(f"{name} must be a time such as 2026-03-01T08:00:00Z.", field=name) from None

    def number_argument(self, name: str, default: float) -> float:
        """Return a query argument as a finite number; `default` if it is missing or empty. Raises `Invalid`."""
        text = self.get_query_argument(name, "")
        try:
            number = float(text) if text else default
        except ValueError:
            number = math.nan
        if text and not math.isfinite(number):
            raise Invalid(f"{name} must be a number.", field=name)
        return number

    def integer_argument(self, name: str, default: int) -> int:
        """Like `number_argument`, without the digits after the point. Raises `Invalid` outside of 0 to 2**53."""
        number = self.number_argument(name, default)
        if not 0 <= number <= 2**53:
            raise Invalid(f"{name} must not be negative.", field=name)
        return int(number)

    # --- reply -----------------------------------------------------------------------------

    @property
    def content_security_policy(self) -> str:
        return API_POLICY

    def reply(self, value: Any, status: int = 200) -> None:
        """Finish with a struct, or a builtin value, as JSON that no cache keeps."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.finish(msgspec.json.encode(value))

    def reply_empty(self) -> None:
        """Finish with 204, without a body."""
        self.set_status(204)
        self.finish()

    def write_error(self, status_code: int, **named: Any) -> None:
        error = named.get("exc_info", (None, None, None))[1]
        if isinstance(error, CabinetError):
            self.reply(reply_to(error), status_of(error))
        else:
            self.reply(reply_to_status(status_code), status_code)

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        if not isinstance(value, CabinetError):  # not a bug but a caller's error: the access log is enough
            super().log_exception(kind, value, trace)
