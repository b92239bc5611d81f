"""A model service for tests on 127.0.0.1: scripted answers, a log of every request, faults on demand.

It is not a model and checks no key. CLIs reach it by their base URL; the path of a request identifies the API, and one
of the `*_dialect.py` gives the form.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol

from . import anthropic_dialect, chat_completions_dialect, gemini_dialect, openai_responses_dialect
from .model_script import Answer, ModelRequest, Script, choose

MAX_REQUESTS = 500  # a CLI that does not understand the answers may keep asking


class Dialect(Protocol):
    """One API: a module that reads its requests and writes its answers."""

    def serves(self, path: str) -> bool:
        """Whether a request to this path is one of this API."""

    def streams(self, path: str, body: dict[str, Any]) -> bool:
        """Whether the request wants its answer as a stream."""

    def read(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> ModelRequest:
        """Return the request in the form that tests check."""

    def message(self, asked: ModelRequest, answer: Answer, number: int) -> dict[str, Any]:
        """Return a complete answer."""

    def stream(self, asked: ModelRequest, answer: Answer, number: int) -> Iterator[bytes]:
        """Yield the events of an answer, one by one."""

    def error(self, answer: Answer) -> dict[str, Any]:
        """Return a refusal in this API's form."""


DIALECTS: tuple[Dialect, ...] = (
    anthropic_dialect,
    openai_responses_dialect,
    chat_completions_dialect,
    gemini_dialect,
)


class ModelServer:
    """Serves a script while it is open: `with ModelServer([Answer(text="hi")]) as server: server.url`.

    `faults` come first, one per request of a person; `always` is a fault that never ends.
    """

    def __init__(self, script: Script = ()) -> None:
        self.script = script
        self.faults: deque[Answer] = deque()
        self.always: Answer | None = None
        self._asked: list[ModelRequest] = []
        self._changed = threading.Condition()
        self.closed = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed.set()
        self._http.shutdown()
        self._http.server_close()

    def reset(self) -> None:
        """Drop the script and all faults. The log of requests is kept."""
        self.script, self.always = (), None
        self.faults.clear()

    @property
    def requests(self) -> list[ModelRequest]:
        """Return every request for a person, in order."""
        with self._changed:
            return [asked for asked in self._asked if not asked.aside]

    def wait_for_requests(self, count: int, seconds: float = 20) -> list[ModelRequest]:
        """Wait until so many requests have come. Raises `TimeoutError`."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._for_person()) >= count, seconds):
                raise TimeoutError(f"{len(self._for_person())} of {count} requests after {seconds} s")
        return self.requests

    def answer(self, asked: ModelRequest) -> tuple[Answer, int]:
        """Return the answer, and the number of the request."""
        with self._changed:
            self._asked.append(asked)
            number = len(self._asked)
            self._changed.notify_all()
            if number > MAX_REQUESTS:
                return Answer(error=400, error_type="invalid_request_error", text="too many requests"), number
            if not asked.aside:
                if self.faults:
                    return self.faults.popleft(), number
                if self.always:
                    return self.always, number
        return choose(self.script, asked), number

    def _for_person(self) -> list[ModelRequest]:
        return [asked for asked in self._asked if not asked.aside]


def _handler_for(server: ModelServer) -> type[BaseHTTPRequestHandler]:  # noqa: C901 (a class, not a branch)
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith(("/count_tokens", ":countTokens")):
                return self._json(200, {"input_tokens": 1, "totalTokens": 1})
            dialect = next((dialect for dialect in DIALECTS if dialect.serves(path)), None)
            if dialect is None:  # telemetry and the like
                return self._json(404, {})
            asked = dialect.read(self.path, dict(self.headers), body)
            answer, number = server.answer(asked)
            server.closed.wait(answer.delay_seconds)
            if answer.error is not None:
                return self._json(answer.error, dialect.error(answer), answer.headers)
            if not dialect.streams(path, body):
                return self._json(200, dialect.message(asked, answer, number))
            return self._stream(answer, list(dialect.stream(asked, answer, number)))

        def do_GET(self) -> None:  # probes of the CLIs before their first question
            self._json(200, {})

        do_HEAD = do_GET  # noqa: N815 (http.server's name)

        def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _stream(self, answer: Answer, events: list[bytes]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            for event in events[: len(events) // 2] if answer.cut else events:
                self.wfile.write(event)
                self.wfile.flush()
                server.closed.wait(answer.chunk_delay_seconds)

        def handle(self) -> None:
            try:
                super().handle()
            except (ConnectionError, TimeoutError):  # the CLI was stopped while we answered
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on stderr: the log is `ModelServer.requests`."""

    return Handler
