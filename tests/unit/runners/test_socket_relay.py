"""Connections that a worker passes to the server."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from jupyter_cabinet.runners.link import Link
from jupyter_cabinet.runners.socket_relay import MOST_CONNECTIONS, SocketRelay


class Said(Link):
    """A link of which only what is said counts."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, int]] = []

    def say(self, do: str, **fields: Any) -> None:
        self.messages.append((do, fields["id"]))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        work.close()


def test_a_connection_too_many_is_closed_at_both_ends(tmp_path: Path) -> None:
    link = Said()
    relay = SocketRelay(link, tmp_path / "socket")
    for id in range(MOST_CONNECTIONS + 1):
        relay.hear({"do": "socket_open", "id": id})
    assert link.messages == [("socket_end", MOST_CONNECTIONS)]
