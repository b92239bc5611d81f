"""Clients that say much and read nothing: they cost the server little, are sent away, and disturb nobody."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import psutil
import pytest
from harness.deaf import Deaf
from harness.server import Server, until

MEMORY_BYTES = 64 << 20  # what a server may grow by; the attempts are worth hundreds of MB
ATTACH = b'{"type": "attach", "cols": 80, "rows": 24}'


def growth(server: Server) -> Callable[[], int]:
    """How much larger the server is than now."""
    process = psutil.Process(server.pid)
    before = process.memory_info().rss
    return lambda: process.memory_info().rss - before


@pytest.mark.long(reason="hundreds of MB are sent")
def test_long_frames_that_nobody_understands_cost_little(shared_server: Server) -> None:
    frame = b'{"type": "%s"}' % (b"x" * 1_000_000)
    with shared_server.client("ada") as ada:
        terminal = ada.post("terminals", json={"command": ["/bin/sh"]}).json()["id"]
        grown = growth(shared_server)
        with Deaf(shared_server, f"terminals/{terminal}/ws") as client:
            client.say(ATTACH)
            for _ in range(300):
                client.say(frame)
                assert grown() < MEMORY_BYTES
        _still_serves(shared_server, terminal)


@pytest.mark.slow(reason="a socket's buffers are filled before anything waits")
@pytest.mark.long(reason="fills the buffers of a connection")
def test_who_takes_no_answers_is_sent_away_and_may_come_again(shared_server: Server) -> None:
    with shared_server.client("ada") as ada:
        terminal = ada.post("terminals", json={"command": ["/bin/sh"]}).json()["id"]
        grown = growth(shared_server)
        with Deaf(shared_server, f"terminals/{terminal}/ws") as client:
            client.say(ATTACH)
            assert _answers_are_cut(client, grown)
        _still_serves(shared_server, terminal)


def _answers_are_cut(client: Deaf, grown: Callable[[], int]) -> bool:
    """Ask until the server has given the client up."""
    for _ in range(10_000):
        try:
            client.say_often(b'{"type": "dance"}', 200)
        except OSError:
            return True
        assert grown() < MEMORY_BYTES
    return False


def _still_serves(server: Server, terminal: str) -> None:
    made = server.place / f"made-{terminal}"
    with server.client("ada") as ada:
        typed = {"text": f"touch {made}", "submit": True}
        assert ada.post(f"terminals/{terminal}/input", json=typed).status_code == 204
        until(made.exists)
        assert ada.delete(f"terminals/{terminal}").status_code == 204


@pytest.mark.long(reason="runs with instructions of 200 kB")
def test_events_and_output_that_nobody_reads_cost_little(shared_server: Server) -> None:
    with shared_server.client("ada") as ada, ExitStack() as unread:
        flood = shared_server.run(ada, "flood 8 MiB")
        grown = growth(shared_server)
        for _ in range(15):
            unread.enter_context(Deaf(shared_server, "events"))
            unread.enter_context(Deaf(shared_server, f"runs/{flood['id']}/output"))
        long = "hello\n" + "x" * 190_000
        for _ in range(8):  # each is reported several times, to each reader
            assert shared_server.run(ada, long)["state"] == "succeeded"
            assert grown() < MEMORY_BYTES
    with shared_server.client("ada") as ada:
        assert shared_server.run(ada, "hello")["state"] == "succeeded"
