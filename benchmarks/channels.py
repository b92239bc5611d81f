"""A message on Telegram until the answer is there, beside the same question by `POST runs`."""

from __future__ import annotations

import re
import time
from typing import Any

from jupyter_cabinet.testing.telegram import TelegramServer

from .figures import Figure, interleave
from .servers import serving

QUESTION = "reply with the single word hello"
WAIT_SECONDS = 60


def measure(rounds: int) -> list[Figure]:
    """`rounds`: messages, and as many requests, in turn."""
    with TelegramServer() as telegram, serving() as server, server.browser_client("ada") as client:
        _agent(client)
        _connect(client, telegram)
        parts = {"message": lambda: _by_message(telegram), "request": lambda: _by_request(client)}
        found = interleave(rounds * 3, parts)
    return [
        Figure(
            what="a message on Telegram, until its answer of one word is there",
            unit="s",
            ours=found["message"],
            peer=found["request"],
            peer_is="`POST runs?wait` for the same question to the same agent, isolated too",
            measure="difference",
            aim=0.05,
        )
    ]


def _agent(client: Any) -> None:
    body = {"slug": "helper", "template": "research", "fields": {"runtime": "demo", "heartbeat_enabled": False}}
    client.post("agents", json=body).raise_for_status()


def _connect(client: Any, telegram: TelegramServer) -> None:
    body = {"platform": "telegram", "title": "Bot", "token": telegram.token, "api_url": telegram.url, "agent": "helper"}
    client.post("channels", json=body).raise_for_status()
    telegram.write("hello")
    code = re.search("[A-Z2-9]{4}-[A-Z2-9]{4}", telegram.wait_for_text("The code is valid").text)
    assert code is not None
    client.post("channel-pairings", json={"code": code[0], "may": ["ask"]}).raise_for_status()


def _by_message(telegram: TelegramServer) -> float:
    known = len(telegram.sent)
    begin = time.perf_counter()
    telegram.write(QUESTION)
    telegram.wait_until(lambda: len(telegram.sent) > known, seconds=WAIT_SECONDS)
    return time.perf_counter() - begin


def _by_request(client: Any) -> float:
    begin = time.perf_counter()
    body = {"kind": "message", "agent": "helper", "instruction": QUESTION, "isolate": True}
    run = client.post("runs", params={"wait": WAIT_SECONDS}, json=body).json()
    assert run["state"] == "succeeded", run
    return time.perf_counter() - begin
