"""The dialogue with headless OpenClaw: the object at its end, and the retries before it."""

from __future__ import annotations

import json

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.openclaw.stream import OpenclawStream
from jupyter_cabinet.runtimes.port import Exit

RETRY = "[agent/embedded] retry {}/3 for anthropic/opus reason={}: delayMs={}\n"


def made(**changes):
    values = {"prompt": "Hi.", "mode": "headless", "cwd": "/w", "session_id": "s1", "permission_mode": "bypass"}
    return OpenclawStream(Request(**(values | changes)))


def envelope(**fields):
    """As it prints it: over many lines."""
    return json.dumps({"ok": True, "sessionId": "s2", "final": "Done.", **fields}, indent=2).encode() + b"\n"


def test_each_retry_is_told_once_however_often_its_line_is_looked_at():
    stream = made()
    assert stream.feed("stderr", RETRY.format(1, "rate_limit", 2500).encode()) == [
        Retrying(attempt=1, max_attempts=3, delay_seconds=2.5, reason="rate_limit")
    ]
    assert stream.feed("stderr", b"[agent/embedded] waiting\n") == []
    assert stream.feed("stderr", RETRY.format(2, "overloaded", 5000).encode()) == [
        Retrying(attempt=2, max_attempts=3, delay_seconds=5.0, reason="overloaded")
    ]
    assert stream.finish(Exit(signal=15)).failure.kind == "model_unavailable"


def test_tools_that_failed_are_told_by_their_number():
    assert made().feed("stdout", envelope(toolSummary={"calls": 5, "failures": 2})) == [
        SessionStarted(native_id="s2"),
        Warned(message="2 of 5 tool calls of OpenClaw failed."),
        TextBlock(text="Done."),
        AnswerFinished(text="Done."),
    ]


def test_tools_that_all_succeeded_are_no_news():
    events = made().feed("stdout", envelope(toolSummary={"calls": 5, "failures": 0}))
    assert not any(isinstance(event, Warned) for event in events)


def test_tokens_and_cost_stand_in_the_envelope_or_beside_the_tokens():
    usage = {"input": 10, "output": 2, "cacheRead": 4, "cacheWrite": 1, "cost": {"total": 0.25}}
    for fields, cost in (({}, 0.25), ({"costUsd": 0.5}, 0.5)):
        stream = made()
        events = stream.feed("stdout", envelope(usage=usage, **fields))
        (told,) = (event for event in events if isinstance(event, UsageReported))
        assert (told.usage.input_tokens, told.usage.cache_write_tokens, told.cost_usd) == (10, 1, cost)
        assert stream.finish(Exit(code=0)).cost_usd == cost


def test_success_is_an_envelope_that_says_so_and_an_exit_code_never_is():
    stream = made()
    stream.feed("stdout", envelope())
    assert stream.finish(Exit(code=1)).failure is None
    silent = made()
    assert silent.feed("stdout", b'{"level": "info"}\n') == []
    assert silent.finish(Exit(code=0)).failure.kind == "crashed"


def test_an_envelope_without_success_says_why():
    stream = made()
    assert stream.feed("stdout", envelope(ok=False, final="", status="timeout"))[-1] == AnswerFinished()
    assert stream.finish(Exit(code=1)).failure.kind == "timeout"
    refused = made()
    refused.feed("stdout", envelope(ok=False, final="", error={"message": "HTTP 429: slow down"}))
    assert refused.finish(Exit(code=1)).failure.kind == "rate_limited"


def test_an_object_over_many_lines_is_read_wherever_it_is_cut():
    data = b"plugins loaded\n" + envelope(note={"a": 1})
    whole = made().feed("stdout", data)
    for size in (1, 2, 7):
        stream = made()
        pieces = [data[place : place + size] for place in range(0, len(data), size)]
        assert [event for piece in pieces for event in stream.feed("stdout", piece)] == whole
