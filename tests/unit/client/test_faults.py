"""What a server may do to a client: cut streams, redirects, nonsense, silence. Each ends in words, and in time."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.faulty_server import END, RUN, Asked, FaultyServer, event

from jupyter_cabinet import Cabinet
from jupyter_cabinet.client import CabinetError, LiveRun, RequestRefused, Unreachable
from jupyter_cabinet.client.api import Api
from jupyter_cabinet.client.connection import http
from jupyter_cabinet.client.connection.server_address import ServerAddress
from jupyter_cabinet.client.runs import following
from jupyter_cabinet.client.runs.following import Patience
from jupyter_cabinet.runtimes.model import TextBlock, TextDelta
from jupyter_cabinet.testing.manual_clock import ManualClock

TOKEN = "secret-token-0123456789"


@contextmanager
def serving(answer: Any) -> Iterator[tuple[Cabinet, FaultyServer]]:
    with FaultyServer(answer) as server, Cabinet(server.url, token=TOKEN) as cabinet:
        yield cabinet, server


def attached(cabinet: Cabinet) -> LiveRun:
    return cabinet.attach(RUN["id"])


def answering(*outputs: Any) -> Any:
    """A server with one run, whose output is answered by the first of these, then by the next; the last one again."""
    left = list(outputs)

    def answer(asked: Asked) -> None:
        if asked.path.endswith("/output"):
            (left.pop(0) if len(left) > 1 else left[0])(asked)
        elif asked.path.endswith("/effects"):
            asked.json({"items": []})
        else:
            asked.json(RUN)

    return answer


# --- streams ---------------------------------------------------------------------------------


def test_a_stream_that_breaks_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "FIRST_PAUSE_SECONDS", 0.0)
    first = [event(0, "TextBlock", text="a"), event(1, "TextDelta", 1.0, text="b")]
    then = [
        event(1, "TextDelta", 1.0, text="b"),
        event(1, "TextDelta", 2.0, text="c"),
        event(1, "TextBlock", text="bc"),
    ]
    outputs = (
        lambda asked: asked.lines(*first, cut=True),
        lambda asked: asked.bytes(b"", kind="application/x-ndjson"),  # no end
        lambda asked: asked.json({"error": {"kind": "shutting_down", "message": "Stopping."}}, status=503),
        lambda asked: asked.bytes(b"<html>Bad gateway", status=502, kind="text/html"),
        lambda asked: asked.lines(*then, END),
    )
    with serving(answering(*outputs)) as (cabinet, server):
        found = list(attached(cabinet))
    assert found == [TextBlock(text="a"), TextDelta(text="b"), TextDelta(text="c"), TextBlock(text="bc")]
    assert [asked.query["since"] for asked in server.asked if asked.path.endswith("/output")] == list("01111")


def test_a_server_that_is_gone_is_given_up_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "GONE_SECONDS", 0.2)
    with serving(answering(lambda asked: asked.lines(event(0, "TextBlock", text="a"), cut=True))) as (cabinet, server):
        run = attached(cabinet)
        events = iter(run)
        assert next(events) == TextBlock(text="a")
        server.stop_listening()
        with pytest.raises(Unreachable, match=r"The run may continue there: Cabinet\(…\)\.attach\('01run'\)"):
            list(events)


async def test_it_is_tried_again_for_a_minute_and_ever_less_often() -> None:
    clock = ManualClock()
    patience = Patience(clock, "01run")
    tries = 0
    gone = Unreachable("It is gone.")

    async def trying() -> None:
        nonlocal tries
        while True:
            tries += 1
            await patience.over(gone)

    work = asyncio.ensure_future(trying())
    await clock.advance(59)
    assert 10 < tries < 20 and not work.done()
    await clock.advance(10)
    with pytest.raises(Unreachable, match="It is gone"):
        await work
    patience.answered()
    again = asyncio.ensure_future(patience.over(gone))
    await clock.advance(0.2)
    await again


@pytest.mark.parametrize("kind", ["not_allowed", "not_found", "not_logged_in"])
def test_a_right_that_was_taken_is_told_at_once(kind: str) -> None:
    refuse = lambda asked: asked.json({"error": {"kind": kind, "message": "No."}}, status=403)  # noqa: E731
    cut = lambda asked: asked.lines(event(0, "TextBlock", text="a"), cut=True)  # noqa: E731
    with serving(answering(cut, refuse)) as (cabinet, _), pytest.raises(RequestRefused) as refused:
        list(attached(cabinet))
    assert refused.value.kind == kind


@pytest.mark.parametrize("data", [b"<html>\n", b'{"type": "output"}\n', b"[" * 5000 + b"\n"])
def test_an_output_that_is_none_is_an_error(data: bytes) -> None:
    answer = answering(lambda asked: asked.bytes(data, kind="application/x-ndjson"))
    with serving(answer) as (cabinet, _), pytest.raises(Unreachable, match="could not be read"):
        list(attached(cabinet))


def test_a_page_instead_of_an_output_is_an_error_at_once() -> None:
    with (
        serving(answering(lambda asked: asked.bytes(b"<html>", kind="text/html"))) as (cabinet, _),
        pytest.raises(Unreachable, match="has no Jupyter Cabinet"),
    ):
        list(attached(cabinet))


def test_a_result_waits_through_a_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(following, "ASK_AGAIN_SECONDS", 0.0)
    states = ["running", "running", None, "running", "succeeded"]

    def answer(asked: Asked) -> None:
        if asked.path.endswith("/output"):
            asked.lines(event(0, "TextBlock", text="a"), END)
        elif asked.path.endswith("/effects"):
            asked.json({"items": []})
        elif (state := states.pop(0) if len(states) > 1 else states[0]) is None:
            asked.bytes(b"{", length=100)
            asked.cut()
        else:
            asked.json({**RUN, "state": state})

    with serving(answer) as (cabinet, _):
        assert attached(cabinet).result().messages == ("a",)


# --- answers ---------------------------------------------------------------------------------


def test_no_redirect_is_followed_and_the_token_stays() -> None:
    with FaultyServer(lambda asked: asked.json({})) as other:
        with serving(lambda asked: asked.redirect(f"{other.url}cabinet/api/agents")) as (cabinet, server):
            with pytest.raises(RequestRefused, match="did not accept the token") as refused:
                cabinet.agents.list()
            assert server.asked[0].headers["Authorization"] == f"token {TOKEN}"
        assert other.asked == [] and TOKEN not in str(refused.value) and TOKEN not in repr(cabinet)


def test_a_server_on_this_machine_is_asked_past_any_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultyServer(lambda asked: asked.json({})) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with serving(lambda asked: asked.json({"items": []})) as (cabinet, _):
            assert cabinet.agents.list() == ()
        assert proxy.asked == []


def test_an_answer_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 1000)
    with serving(lambda asked: asked.bytes(b"[" + b"1," * 1000)) as (cabinet, _), pytest.raises(CabinetError) as failed:
        cabinet.agents.list()
    assert failed.value.kind == "too_large"


def test_an_answer_is_never_unpacked() -> None:
    packed = gzip.compress(b'{"items": []}')
    with serving(lambda asked: asked.bytes(packed, packing="gzip")) as (cabinet, server):
        with pytest.raises(CabinetError, match="has no Jupyter Cabinet"):
            cabinet.agents.list()
        assert server.asked[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("token", ["abc\ndef", "abc\u20acdef", "abc\x00def"])
def test_a_token_that_is_none_is_refused_and_not_shown(token: str) -> None:
    with FaultyServer(lambda asked: asked.json({"items": []})) as server, Cabinet(server.url, token=token) as cabinet:
        with pytest.raises(RequestRefused, match="did not accept the token") as refused:
            cabinet.agents.list()
        assert server.asked == [] and "def" not in str(refused.value)


def test_space_around_a_token_is_none_of_it() -> None:
    with FaultyServer(lambda asked: asked.json({"items": []})) as server, Cabinet(server.url, token="t\n") as cabinet:
        cabinet.agents.list()
        assert server.asked[0].headers["Authorization"] == "token t"


def test_an_answer_that_trickles_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "ANSWER_SECONDS", 0.3)
    over = threading.Event()

    def trickle(asked: Asked) -> None:
        asked.bytes(b"[", length=10_000)
        while not over.wait(0.05):  # each piece comes in time
            asked.more(b" ")

    with serving(trickle) as (cabinet, _):
        with pytest.raises(Unreachable, match="did not answer in time"):
            cabinet.agents.list()
        over.set()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda asked: asked.bytes(b"<html>"), "has no Jupyter Cabinet"),
        (lambda asked: asked.bytes(b"[" * 5000), "has no Jupyter Cabinet"),
        (lambda asked: asked.bytes(b"no", status=404, kind="text/plain"), "has no Jupyter Cabinet"),
        (lambda asked: asked.bytes(b"no", status=403, kind="text/plain"), "did not accept the token"),
        (lambda asked: asked.json({"items": [{"slug": 5}]}), "could not be read"),
        (lambda asked: asked.json([]), "could not be read"),
        (lambda asked: asked.json({}), "could not be read"),
        (lambda asked: asked.json({"error": {"kind": "x", "message": "\x1b[2Jno"}}, status=400), r"\\x1b\[2Jno"),
        (lambda asked: asked.json({"error": "x"}, status=500), "has no Jupyter Cabinet"),
    ],
)
def test_nonsense_is_an_error_in_words(answer: Any, told: str) -> None:
    with serving(answer) as (cabinet, _), pytest.raises(CabinetError, match=told):
        cabinet.agents.list()


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with Cabinet(url) as cabinet, pytest.raises(Unreachable, match="cannot be reached"):
        cabinet.status()


def test_a_server_behind_a_unix_socket_is_asked_there(tmp_path: Path) -> None:
    place = str(tmp_path / "s")
    with (
        FaultyServer(lambda asked: asked.json({"items": []}), socket_path=place) as server,
        Api(ServerAddress(url="http://localhost/base/", token=TOKEN, socket=place, nearby=True)) as api,
    ):
        assert api.get("agents") == {"items": []}
        assert server.asked[0].headers["Authorization"] == f"token {TOKEN}"


def test_unknown_fields_and_events_of_a_newer_server_do_no_harm() -> None:
    lines = [event(0, "Dreamt", of="sheep"), END]
    with serving(answering(lambda asked: asked.lines(*lines))) as (cabinet, _):
        run = attached(cabinet)
        (found,) = run
    assert found.type == "Dreamt" and found.raw["of"] == "sheep"  # type: ignore[union-attr]


def test_what_the_caller_may_not_read_is_empty_in_the_status() -> None:
    def answer(asked: Asked) -> None:
        if asked.path == "health":
            asked.json({"version": "1", "root": "r", "trusted": True})
        else:
            asked.json({"error": {"kind": "not_allowed", "message": "No."}}, status=403)

    with serving(answer) as (cabinet, _):
        status = cabinet.status()
    assert (status.agents, status.approvals, status.working, status.switch) == ((), (), (), None)


def test_a_status_that_fails_for_another_reason_is_an_error() -> None:
    def answer(asked: Asked) -> None:
        if asked.path == "health":
            asked.json({"version": "1", "root": "r", "trusted": True})
        else:
            asked.json({"error": {"kind": "shutting_down", "message": "Stopping."}}, status=503)

    with serving(answer) as (cabinet, _), pytest.raises(RequestRefused, match="Stopping"):
        cabinet.status()
