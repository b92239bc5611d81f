"""The base of every handler: who asks, from where, with what; and how an error leaves. No handler has a `try`."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from jupyter_core.utils import ensure_async
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from jupyter_server.auth.identity import IdentityProvider, PasswordIdentityProvider
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ..core.errors import CabinetError, Invalid, Unavailable
from ..core.people import OWNER, Principal
from .errors import reply_to, reply_to_status, status_of
from .origin import OriginPolicy, is_allowed
from .rooms import Rooms

Body = TypeVar("Body")

# With these everybody shares one token or password: names serve display only.
SHARED_LOGIN = (IdentityProvider, PasswordIdentityProvider)
BROWSER_MARKS = ("Origin", "Referer", "Sec-Fetch-Site")
# Who may `write` these administers them; for everything else that takes `cabinet-admin`.
ADMINISTERED_BY_ITSELF = ("cabinet-terminals",)
MAX_BODY_BYTES = 4 * 2**20
API_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"


class CabinetHandler(JupyterHandler):
    """One noun. `auth_resource` names it to Jupyter's authorizer."""

    auth_resource = "cabinet-runs"
    changes_state_by_get = False  # a WebSocket's GET opens a door

    def initialize(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.principal: Principal

    async def prepare(self) -> None:  # type: ignore[override]
        await super().prepare(_redirect_to_login=False)
        changes = self.changes_state_by_get or self.request.method not in ("GET", "HEAD", "OPTIONS")
        if not is_allowed(self.request.headers, self._origin_policy(), changes_state=changes):
            raise web.HTTPError(403)
        if self.current_user is None:
            raise web.HTTPError(401)
        if self.rooms.trouble:
            raise Unavailable(self.rooms.trouble)
        self.principal = await self._principal()

    def get_login_url(self) -> str:
        raise web.HTTPError(401)  # an API does not send people to a page

    def check_xsrf_cookie(self) -> None:
        """Jupyter's rule; its 404 for a foreign origin becomes our 403."""
        try:
            super().check_xsrf_cookie()
        except web.HTTPError:
            raise web.HTTPError(403) from None

    # --- who -------------------------------------------------------------------------------

    async def _principal(self) -> Principal:
        in_browser = await self._in_browser()
        shared = type(self.identity_provider) in SHARED_LOGIN
        user = self.current_user
        if shared and not in_browser:
            # Jupyter makes up a new user for each request with a token; they are all the owner's programs
            return Principal(username=OWNER, display_name="Owner", origin="token", shared_token=True)
        return Principal(
            username=user.username,
            display_name=user.display_name or user.name or user.username,
            origin="browser" if in_browser else "token",
            shared_token=shared,
            administrator=await self.is_administrator(),
        )

    async def _in_browser(self) -> bool:
        """A login cookie, and the marks that every browser sets and programs do not.

        A program that imitates all of them is not told apart: runs without a sandbox have the server user's power.
        """
        if not any(self.request.headers.get(name) for name in BROWSER_MARKS):
            return False
        cookie_user = await ensure_async(self.identity_provider.get_user_cookie(self))
        return cookie_user is not None or not self.token_authenticated

    async def is_administrator(self) -> bool:
        """A server without an authorizer of its own has declared nobody an administrator."""
        if isinstance(self.authorizer, AllowAllAuthorizer):
            return False
        if self.auth_resource in ADMINISTERED_BY_ITSELF and await self.may("write"):
            return True
        return await self.may("write", "cabinet-admin")

    async def may(self, action: str, resource: str | None = None) -> bool:
        """Ask Jupyter's authorizer, now."""
        asked = self.authorizer.is_authorized(self, self.current_user, action, resource or self.auth_resource)
        return bool(await ensure_async(asked))

    def _origin_policy(self) -> OriginPolicy:
        pattern = self.settings.get("allow_origin_pat")
        return OriginPolicy(allow_origin=self.allow_origin, allow_pattern=getattr(pattern, "pattern", pattern) or "")

    # --- what ------------------------------------------------------------------------------

    def body(self, kind: type[Body]) -> Body:
        """The request's body. Raises `Invalid` with the field, or 415."""
        if not self.request.headers.get("Content-Type", "").lower().startswith("application/json"):
            raise web.HTTPError(415)
        if len(self.request.body) > MAX_BODY_BYTES:
            raise Invalid("The request is larger than 4 MiB.")
        try:
            return msgspec.json.decode(self.request.body, type=kind)
        except msgspec.ValidationError as error:
            field = str(error).rpartition("at `$.")[2].rstrip("`") if "at `$." in str(error) else None
            raise Invalid(f"The request cannot be used: {error}.", field=field) from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Invalid("The request is not valid JSON.") from None

    def text_argument(self, name: str) -> str | None:
        return self.get_query_argument(name, None) or None

    def number_argument(self, name: str, default: float) -> float:
        text = self.get_query_argument(name, "")
        try:
            return float(text) if text else default
        except ValueError:
            raise Invalid(f"{name} must be a number.", field=name) from None

    def integer_argument(self, name: str, default: int) -> int:
        number = self.number_argument(name, default)
        if not 0 <= number <= 2**53:
            raise Invalid(f"{name} must not be negative.", field=name)
        return int(number)

    # --- how it leaves ---------------------------------------------------------------------

    @property
    def content_security_policy(self) -> str:
        return API_POLICY

    def reply(self, value: Any, status: int = 200) -> None:
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        self.finish(msgspec.json.encode(value))

    def reply_empty(self) -> None:
        self.set_status(204)
        self.finish()

    def write_error(self, status_code: int, **named: Any) -> None:
        error = named.get("exc_info", (None, None, None))[1]
        if isinstance(error, CabinetError):
            self.reply(reply_to(error), status_of(error))
        else:
            self.reply(reply_to_status(status_code), status_code)

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        if not isinstance(value, CabinetError):  # somebody's doing, not a bug: the access log is enough
            super().log_exception(kind, value, trace)
