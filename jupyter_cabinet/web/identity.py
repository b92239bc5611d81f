"""Determines the caller: Jupyter's user as our `Principal`, and the rights that Jupyter's authorizer grants.

Takes any of Jupyter's handlers: ours, and those of the stock terminals. The caller of this module acts on the rights.
"""

from __future__ import annotations

from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from jupyter_server.auth.identity import IdentityProvider, PasswordIdentityProvider, User
from jupyter_server.base.handlers import JupyterHandler

from ..client.connection.kernel_session import HEADER
from ..core.people import OWNER, Principal
from .kernel_sessions import connection_of

# With these everybody shares one token or password: names are for display and turns, and are not protected.
SHARED_LOGIN = (IdentityProvider, PasswordIdentityProvider)
BROWSER_MARKS = ("Origin", "Referer", "Sec-Fetch-Site")
# Who may `write` these administers them; for everything else that takes `cabinet-admin`.
ADMINISTERED_BY_ITSELF = ("cabinet-terminals",)


def is_shared(handler: JupyterHandler) -> bool:
    """Return whether everybody who is logged in is the owner."""
    return type(handler.identity_provider) in SHARED_LOGIN


async def principal_of(handler: JupyterHandler, resource: str) -> Principal:
    """Return the caller of a request whose user Jupyter has found. `resource`: what is requested, for administrators.

    With a shared login, a program is the owner, except a kernel whose cell was run by a person in a browser.
    """
    in_browser, shared, user = await _in_browser(handler), is_shared(handler), handler.current_user
    if shared and not in_browser:
        # Jupyter invents a new user for each request with a token; they are all the owner's programs
        user = await _person_at_kernel(handler)
        if user is None:
            return Principal(username=OWNER, display_name="Owner", origin="token", shared_token=True)
    return Principal(
        username=user.username,
        display_name=user.display_name or user.name or user.username,
        origin="browser" if in_browser else "token",
        shared_token=shared,
        administrator=await _is_administrator(handler, resource),
    )


async def _person_at_kernel(handler: JupyterHandler) -> User | None:
    """Return who runs the cell from which a kernel sends this request; None for other requests.

    Only for a shared login, where everybody owns everything: nothing proves that the request comes from a kernel.
    """
    connection = connection_of(handler.request.headers.get(HEADER, ""))
    if connection is None or not await _in_browser(connection):
        return None
    user = connection.current_user
    return user if isinstance(user, User) else None


async def may(handler: JupyterHandler, action: str, resource: str) -> bool:
    """Return whether Jupyter's authorizer grants the caller this action on this resource now."""
    asked = handler.authorizer.is_authorized(handler, handler.current_user, action, resource)
    return bool(await ensure_async(asked))


async def _in_browser(handler: JupyterHandler) -> bool:
    """Return whether a login and the marks that every browser sets, and programs do not, are there.

    A program that imitates all of them cannot be distinguished: runs without a sandbox have the server user's power.
    """
    if not any(handler.request.headers.get(name) for name in BROWSER_MARKS):
        return False
    return not handler.token_authenticated or await _login_of(handler) == handler.current_user.username


async def _login_of(handler: JupyterHandler) -> str | None:
    """Return whose login cookie came with a request that has a token, too. JupyterHub's pages send both."""
    provider: Any = handler.identity_provider
    if hasattr(provider, "hub_auth"):
        return await _hub_login_of(handler, provider.hub_auth)
    user = await ensure_async(provider.get_user_cookie(handler))
    return user.username if user is not None else None


async def _hub_login_of(handler: JupyterHandler, hub: Any) -> str | None:
    """Ask JupyterHub for the user name whose login cookie came with the request; None without a valid one.

    The cookie is the provider's own (`HubOAuth.set_cookie`, JupyterHub 5 and 6).
    """
    token = handler.get_secure_cookie(hub.cookie_name)
    if not token:
        return None
    session = hub.get_session_id(handler)
    model = await ensure_async(hub.user_for_token(token.decode("ascii", "replace"), session_id=session, sync=False))
    return str(model["name"]) if model else None


async def _is_administrator(handler: JupyterHandler, resource: str) -> bool:
    """A server without its own authorizer has declared nobody an administrator."""
    if isinstance(handler.authorizer, AllowAllAuthorizer):
        return False
    if resource in ADMINISTERED_BY_ITSELF and await may(handler, "write", resource):
        return True
    return await may(handler, "write", "cabinet-admin")


def secrets_of(server: Any) -> tuple[str, ...]:
    """Return the secrets of a `ServerApp` that must never be in a log, event or record."""
    cookie = server.cookie_secret
    texts = [server.identity_provider.token, cookie.decode(errors="ignore"), cookie.hex()]
    return tuple(text for text in texts if text)
