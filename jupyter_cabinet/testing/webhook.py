"""A local receiver of a webhook for tests, on 127.0.0.1. It checks signatures, and fails on demand."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from datetime import UTC, datetime
from typing import Any, Literal

from tornado.iostream import StreamClosedError

from ..plays.signatures import Delivery, is_genuine, signature
from .local_server import LocalHandler, LocalServer

# cut_before: the connection is cut and nothing was taken. cut_after: the message was taken, and the reply is lost.
# busy: 503 with the header Retry-After. huge: the reply has a gigabyte. hang: there is no reply.
FaultKind = Literal["rate", "busy", "server_error", "cut_before", "cut_after", "refused", "redirect", "huge", "hang"]
MANY_BYTES = 1 << 30


class WebhookReceiver(LocalServer):
    """The program at the address of a webhook. `secret`: what requests must be signed with."""

    def __init__(self, secret: str = "") -> None:
        super().__init__(
            [(r"/answers", _AnswersHandler, {"receiver": self}), (r"/elsewhere", _ElsewhereHandler, {"receiver": self})]
        )
        self.secret = secret
        self.address = f"{self.url}/answers"
        self.taken: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []  # of each request
        self.headers: list[dict[str, str]] = []
        self.faults: deque[FaultKind] = deque()
        self.redirected = 0  # requests that have followed a redirect
        self.sent_bytes = 0  # of a huge reply

    def take(self, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str], dict[str, Any]] | None:
        """Take a request, and return the reply; None: the connection is cut."""
        with self.lock:
            fault = self.faults.popleft() if self.faults else None
            replies: dict[str, tuple[int, dict[str, str], dict[str, Any]] | None] = {
                "rate": (429, {"Retry-After": "1"}, {}),
                "busy": (503, {"Retry-After": "1"}, {}),
                "server_error": (500, {}, {}),
                "refused": (400, {}, {}),
                "redirect": (307, {"Location": "/elsewhere"}, {}),
                "cut_before": None,
            }
            if fault in replies:
                return replies[fault]
            self.bodies.append(body)
            self.headers.append(headers)
            if not self._is_genuine(body, headers):
                return 403, {}, {}
            self.taken.append(json.loads(body))
            return None if fault == "cut_after" else (204, {}, {})

    def _is_genuine(self, body: bytes, headers: dict[str, str]) -> bool:
        delivery = Delivery(
            timestamp=headers.get("X-Cabinet-Timestamp", ""),
            id=headers.get("X-Cabinet-Delivery", ""),
            signature=headers.get("X-Cabinet-Signature", ""),
            body=body,
        )
        return is_genuine(delivery, self.secret, datetime.now(UTC))


def signed_delivery(secret: str, body: bytes, *, id: str, now: float | None = None) -> Delivery:
    """Return a request as a sender signs it. `now`: seconds since 1970, by default the present."""
    timestamp = str(int(time.time() if now is None else now))
    return Delivery(timestamp=timestamp, id=id, signature=f"sha256={signature(secret, timestamp, id, body)}", body=body)


class _AnswersHandler(LocalHandler):
    def initialize(self, receiver: WebhookReceiver) -> None:
        self._receiver = receiver

    async def post(self) -> None:
        receiver = self._receiver
        match receiver.faults[0] if receiver.faults else None:
            case "hang":
                receiver.faults.popleft()
                await asyncio.Event().wait()
            case "huge":
                receiver.faults.popleft()
                await self._reply_without_end()
            case _:
                headers = {name: value for name, value in self.request.headers.get_all() if name.startswith("X-")}
                self.answer(receiver.take(self.request.body, headers))

    async def _reply_without_end(self) -> None:
        self.set_header("Content-Length", str(MANY_BYTES))
        try:
            while self._receiver.sent_bytes < MANY_BYTES:
                self.write(b"x" * (64 << 10))
                await self.flush()
                self._receiver.sent_bytes += 64 << 10
        except StreamClosedError:
            self._finished = True


class _ElsewhereHandler(LocalHandler):
    def initialize(self, receiver: WebhookReceiver) -> None:
        self._receiver = receiver

    def post(self) -> None:
        self._receiver.redirected += 1
        self.finish()
