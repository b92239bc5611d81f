"""Jupyter's handlers on a web server within the test: real sockets, and a clock that the test may move on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from jupyter_server.auth import IdentityProvider, User
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from tornado import web
from tornado.httpclient import HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.websocket import WebSocketClientConnection, websocket_connect


class OneUser(IdentityProvider):
    """Everybody is `user`; None: nobody is logged in. `asked`: how often it was."""

    user: User | None = User(username="ada")
    asked = 0

    async def get_user(self, handler: Any) -> User | None:
        self.asked += 1
        return self.user


@asynccontextmanager
async def web_socket(
    path: str, rule: tuple[Any, ...], provider: OneUser, **settings: Any
) -> AsyncIterator[WebSocketClientConnection]:
    """A client's end of a WebSocket at `path`. `rule`: tornado's, for the handler; `settings`: the application's."""
    application = web.Application(
        [rule],
        identity_provider=provider,
        authorizer=AllowAllAuthorizer(),
        allow_remote_access=True,
        base_url="/",
        **settings,
    )
    listening, port = bind_unused_port("127.0.0.1")
    server = HTTPServer(application)
    server.add_socket(listening)
    origin = f"127.0.0.1:{port}"
    client = await websocket_connect(HTTPRequest(f"ws://{origin}{path}", headers={"Origin": f"http://{origin}"}))
    try:
        yield client
    finally:
        client.close()
        server.stop()
        await server.close_all_connections()
