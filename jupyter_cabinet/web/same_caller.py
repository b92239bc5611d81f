"""Checks repeatedly who is at the other end of an open connection: a login may be withdrawn, or change.

For WebSockets, ours and the stock terminals'. `identity.py` determines the caller's rights; the socket closes itself.
"""

from __future__ import annotations

import copy
import logging
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from tornado import web
from tornado.websocket import WebSocketHandler

from ..core.clock import Clock
from .identity import is_shared

log = logging.getLogger(__name__)

# An identity provider that does not answer (a Hub that restarts) has withdrawn nothing. After so long it counts as a
# no.
UNANSWERED_SECONDS = 60.0


class SameCaller:
    """The person who opened a connection."""

    def __init__(self, handler: JupyterHandler, clock: Clock) -> None:
        self._handler = handler
        self._clock = clock
        self._username = handler.current_user.username
        self._answered_at = clock.monotonic()

    async def is_here(self) -> bool:
        """Return whether a request like theirs would still be theirs. The handler's user is then their current one.

        If the identity provider does not answer, it counts as true for 60 seconds after its last answer. It raises
        nothing.
        """
        try:
            user = await _user_of(_SameRequest.of(self._handler))
        except Exception as error:
            return self._unanswered(error)
        self._answered_at = self._clock.monotonic()
        if user is None:
            return False
        if is_shared(self._handler):
            return True  # a name is invented for each request without a cookie
        if user.username != self._username:
            return False
        self._handler.current_user = user
        return True

    def _unanswered(self, error: Exception) -> bool:
        log.warning("The identity provider did not answer whether %s is still logged in: %s", self._username, error)
        return self._clock.monotonic() - self._answered_at < UNANSWERED_SECONDS


class _NoConnection:
    """Sends no answers."""

    def set_close_callback(self, callback: Any) -> None:
        """It cannot close."""


class _SameRequest(WebSocketHandler, JupyterHandler):  # type: ignore[misc]  # no origin is checked here
    """The request that opened a connection, without data that an identity provider has stored on its handler.

    On the WebSocket's own handler, JupyterHub would keep the token of another's URL in a cookie, and log that.
    """

    @classmethod
    def of(cls, handler: JupyterHandler) -> _SameRequest:
        request = copy.copy(handler.request)
        request.connection = _NoConnection()  # type: ignore[assignment]
        # A browser does not name the mode of a WebSocket's request. JupyterHub takes a GET without it for a navigation,
        # with a warning, which opening the connection has already caused.
        request.headers = request.headers.copy()
        request.headers.setdefault("Sec-Fetch-Mode", "navigate")
        return cls(handler.application, request)


async def _user_of(again: _SameRequest) -> Any:
    """Return the user as Jupyter finds it for every request; None if it lets nobody in."""
    try:
        await again.prepare(_redirect_to_login=False)
    except web.HTTPError as error:
        if error.status_code in (401, 403):
            return None
        raise
    return again.current_user
