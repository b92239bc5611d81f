"""An HTTP server within the test that answers as the test says, for what a real server does not do."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

RUN = {
    "id": "01run",
    "kind": "manual",
    "state": "succeeded",
    "instruction": "hello",
    "runtime": "demo",
    "runtime_title": "Demo agent",
    "permission_mode": "edit",
    "mode": "headless",
    "session_id": "s",
    "trigger": {"kind": "program", "username": "owner", "display_name": "Owner"},
    "owner": "owner",
    "visibility": "server",
    "result": {"text": "done"},
    "queued_at": "2026-01-05T08:00:00Z",
    "a field of tomorrow": 1,
}


class Asked:
    """One request, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self._handler = handler
        parts = urlsplit(handler.path)
        self.path = parts.path.partition("/cabinet/api/")[2]
        self.query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.headers = dict(handler.headers)
        self.method = handler.command

    def json(self, value: Any, status: int = 200) -> None:
        self.bytes(json.dumps(value).encode(), status=status)

    def bytes(
        self,
        data: bytes,
        *,
        status: int = 200,
        kind: str = "application/json",
        length: int | None = None,
        packing: str = "",
    ) -> None:
        """`length`: what is promised, if not what comes. `packing`: how the data is said to be packed."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Content-Length", str(len(data) if length is None else length))
        if packing:
            self._handler.send_header("Content-Encoding", packing)
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def more(self, data: bytes) -> None:
        """More of the same answer. What nobody takes any more is no error."""
        try:
            self._handler.wfile.write(data)
        except OSError:
            pass

    def cut(self) -> None:
        """Break the connection."""
        self._handler.close_connection = True

    def redirect(self, to: str) -> None:
        self._handler.send_response(302)
        self._handler.send_header("Location", to)
        self._handler.send_header("Content-Length", "0")
        self._handler.end_headers()

    def lines(self, *records: Any, cut: bool = False) -> None:
        """Lines of JSON. `cut`: in the middle of one more, and the connection breaks."""
        data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
        rest = b'{"type": "out' if cut else b""
        self.bytes(data + rest, kind="application/x-ndjson", length=len(data) + (1000 if cut else 0))
        self.cut()


class UnixServer(ThreadingHTTPServer):
    """The same at a path."""

    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        self.socket.bind(self.server_address)  # type: ignore[arg-type]
        self.server_name, self.server_port = "localhost", 0

    def get_request(self) -> tuple[socket.socket, Any]:
        return self.socket.accept()[0], ("local", 0)


class FaultyServer:
    """`answer` is called on a thread for each request. `asked`: all of them so far."""

    def __init__(self, answer: Callable[[Asked], None], *, socket_path: str = "") -> None:
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(self)
                outer.asked.append(asked)
                answer(asked)

            do_GET = do_POST = answer

            def log_message(self, format: str, *arguments: Any) -> None:
                """Nobody reads it."""

        if socket_path:
            self._server: ThreadingHTTPServer = UnixServer(socket_path, Handler)  # type: ignore[arg-type]
        else:
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/base/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def stop_listening(self) -> None:
        """Nobody is connected any more from now on."""
        self._server.shutdown()
        self._server.socket.close()

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def event(index: int, kind: str, at: float = 0, **fields: Any) -> dict[str, Any]:
    """A line of a run's output."""
    return {"type": "output", "index": index, "at": at, "event": {"type": kind, **fields}}


END = {"type": "end"}
