"""Serves HTTP and WebSockets on 127.0.0.1 in a thread, for doubles of chat platforms."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Self

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler


class LocalServer:
    """Serves while it is open: `with SomeServer() as server: server.url`.

    Tests call its methods from their own thread. What touches a connection runs on the server's loop.
    """

    def __init__(self, routes: list[Any]) -> None:
        """`routes`: of Tornado."""
        self.lock = threading.RLock()
        self.loop = asyncio.new_event_loop()
        self._routes = routes
        self._started = threading.Event()
        (self._listening,) = bind_sockets(0, "127.0.0.1")
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()

    def on_loop(self, call: Any, *arguments: Any) -> None:
        """Let the server's loop make a call."""
        self.loop.call_soon_threadsafe(call, *arguments)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        server = HTTPServer(Application(self._routes))
        server.add_socket(self._listening)
        self.loop.call_soon(self._started.set)
        self.loop.run_forever()
        server.stop()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(server.close_all_connections())
        self.loop.close()


class LocalHandler(RequestHandler):
    """Answers one request with a status, headers and a body, or cuts the connection."""

    def answer(self, reply: tuple[int, dict[str, str], dict[str, Any]] | None) -> None:
        """Send a reply. None: cut the connection."""
        if reply is None:
            self.request.connection.detach().close()  # type: ignore[union-attr]
            self._finished = True
            return
        status, headers, body = reply
        self.set_status(status)
        for name, value in headers.items():
            self.set_header(name, value)
        self.finish(body if status != 204 else None)

    def log_exception(self, *_: Any) -> None:
        """Tests read what was called instead."""


class LocalSocket(WebSocketHandler):
    """A WebSocket that can be cut."""

    _stream: IOStream | None = None

    def open(self, *_: str, **__: str) -> None:
        """Begin, as Tornado calls it."""
        self._stream = self.ws_connection.stream if self.ws_connection is not None else None
        self.opened()

    def opened(self) -> None:
        """Greet."""

    def cut(self) -> None:
        """Cut the connection without a word."""
        if self._stream is not None:
            self._stream.close()

    def check_origin(self, origin: str) -> bool:
        return True
