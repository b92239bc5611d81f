"""Serves the page of the web chat to people who are logged in. It contains nothing about anybody: it asks the API."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from tornado import web

from ...channels.web_chat.adapter import PAGE

FOLDER = Path(__file__).parent
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class ChatFileHandler(JupyterHandler):
    """One of the files that the page loads."""

    auth_resource = "cabinet-channels"

    @property
    def content_security_policy(self) -> str:
        """Only our own files are loaded. Who may show the page in a frame is as for Jupyter's pages."""
        parts = (part.strip() for part in super().content_security_policy.split(";"))
        return "; ".join([POLICY, *(part for part in parts if part.startswith("frame-ancestors "))])

    @web.authenticated
    @authorized(action="read")
    def get(self, name: str) -> None:
        """Return a file."""
        self.send(name)

    def send(self, name: str) -> None:
        """Finish with a file beside this module. `name` is not checked: the route has only known ones."""
        self.set_header("Content-Type", f"{TYPES[Path(name).suffix]}; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.set_header("Referrer-Policy", "same-origin")
        self.finish(_content(name))


class ChatPageHandler(ChatFileHandler):
    """The page."""

    @web.authenticated
    @authorized(action="read")
    def get(self) -> None:
        """Return the page; without the query of its address, which may have a token, and which it does not need."""
        if self.request.query:
            self.redirect(self.request.path)
            return
        _ = self.xsrf_token  # sets the cookie that the page sends back
        self.send("chat.html")


@cache
def _content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


PAGES: tuple[tuple[str, type[ChatFileHandler]], ...] = (
    (PAGE, ChatPageHandler),
    (rf"{PAGE}/(chat\.css|chat\.js|outbox\.js|parts\.js|server\.js|view\.js)", ChatFileHandler),
)
