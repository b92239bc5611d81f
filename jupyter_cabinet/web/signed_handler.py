"""The base of the handlers whose requests come from other programs: a signature replaces the login.

Only the routes below `hooks/` have it. Nothing of such a request counts but its body and the three headers.
"""

from __future__ import annotations

from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ..core.errors import Invalid, TooLarge, Unavailable
from ..plays.signatures import MAX_BODY_BYTES, Delivery
from .handler import CabinetHandler

BODY_SECONDS = 10.0  # for the body of a signed request to arrive; then the connection is closed
LONGEST_NUMBER = 12  # digits
TOO_LARGE = f"The body is too large. The limit is {MAX_BODY_BYTES // 1024} KiB."


@web.stream_request_body
class SignedHandler(CabinetHandler):
    """One noun below `hooks/`."""

    async def prepare(self) -> None:  # type: ignore[override]
        """Check the size of the body and that this server serves. No user, no cookie and no origin count here.

        Raises `Invalid` for a wrong `Content-Length`, `TooLarge` for a body that is too large, which is not read to its
        end, and `Unavailable`. A body that does not arrive within 10 seconds closes the connection.
        """
        self._content = bytearray()
        await JupyterHandler.prepare(self, _redirect_to_login=False)
        length = self.request.headers.get("Content-Length") or "0"
        if not (length.isascii() and length.isdigit()) or len(length) > LONGEST_NUMBER:
            raise Invalid("The header Content-Length is not a number.")
        if int(length) > MAX_BODY_BYTES:
            raise TooLarge(TOO_LARGE)
        if self.server_status.trouble:
            raise Unavailable(self.server_status.trouble)
        limit = getattr(self.request.connection, "set_body_timeout", None)
        if limit is not None:
            limit(BODY_SECONDS)

    def check_xsrf_cookie(self) -> None:
        """Ignore any cookie."""

    def data_received(self, chunk: bytes) -> None:
        """Called by tornado for each piece of the body. What exceeds the limit is not kept, and refused at the end."""
        if len(self._content) <= MAX_BODY_BYTES:
            self._content += chunk

    def delivery(self) -> Delivery:
        """Return the request as it was received. The service checks it."""
        headers = self.request.headers
        return Delivery(
            timestamp=headers.get("X-Cabinet-Timestamp", ""),
            id=headers.get("X-Cabinet-Delivery", ""),
            signature=headers.get("X-Cabinet-Signature", ""),
            body=bytes(self._content),
        )
