"""The dialogue with headless pi: what its lines mean, and how it ends."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolCall,
    ToolResult,
    UsageReported,
)
from jupyter_cabinet.runtimes.pi.stream import PiStream
from jupyter_cabinet.runtimes.port import Exit


def made():
    return PiStream(Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1", permission_mode="edit"))


def says(stream, kind, **fields):
    return stream.feed("stdout", json.dumps({"type": kind, **fields}).encode() + b"\n")


def answered(stream, words, stop="stop", **fields):
    """One turn of the model."""
    content = [{"type": "text", "text": words}] if words else []
    message = {"role": "assistant", "content": content, "stopReason": stop, **fields}
    return says(stream, "message_end", message=message) + says(stream, "turn_end", message=message)


def test_an_answer_is_told_in_its_steps():
    stream = made()
    assert says(stream, "session", id="s1") == [SessionStarted(native_id="s1")]
    assert says(stream, "message_end", message={"role": "user", "content": "Hi."}) == []
    delta = {"type": "text_delta", "delta": "Hel"}
    assert says(stream, "message_update", assistantMessageEvent=delta) == [TextDelta(text="Hel")]
    assert says(stream, "tool_execution_start", toolCallId="c1", toolName="bash", args={"command": "ls"}) == [
        ToolCall(call_id="c1", tool="bash", summary="ls", input={"command": "ls"})
    ]
    given = {"content": [{"type": "text", "text": "a.txt"}]}
    assert says(stream, "tool_execution_end", toolCallId="c1", result=given, isError=False) == [
        ToolResult(call_id="c1", text="a.txt")
    ]
    assert answered(stream, "Hello.", usage={"input": 10, "cost": {"total": 0.25}}) == [TextBlock(text="Hello.")]
    told, finished = says(stream, "agent_settled")
    assert isinstance(told, UsageReported)
    assert (told.usage.input_tokens, told.cost_usd) == (10, 0.25)
    assert finished == AnswerFinished(text="Hello.")
    outcome = stream.finish(Exit(code=0))
    assert (outcome.text, outcome.failure, outcome.cost_usd) == ("Hello.", None, 0.25)


@pytest.mark.parametrize(
    "event", [None, "text", {"type": "thinking_delta", "delta": "Hm."}, {"type": "text_delta", "delta": ""}]
)
def test_a_piece_that_is_no_text_is_no_news(event):
    assert says(made(), "message_update", assistantMessageEvent=event) == []


def test_a_result_without_content_and_a_line_of_a_kind_of_its_own_say_nothing():
    assert says(made(), "tool_execution_end", toolCallId="c1", result="odd") == [ToolResult(call_id="c1")]
    assert says(made(), "queue_update", steering=[]) == []


def test_a_message_without_text_leaves_the_text_before_it():
    stream = made()
    answered(stream, "Hello.")
    answered(stream, "")
    assert says(stream, "agent_settled") == [AnswerFinished(text="Hello.")]


def test_a_retry_is_told_with_its_number_and_its_wait():
    told = says(made(), "auto_retry_start", attempt=2, maxAttempts=3, delayMs=2500, errorMessage="529 overloaded")
    assert told == [Retrying(attempt=2, max_attempts=3, delay_seconds=2.5, reason="529 overloaded")]
    assert says(made(), "auto_retry_start") == [Retrying(attempt=1, reason="")]


@pytest.mark.parametrize(
    ("stop", "error", "settled", "kind"),
    [
        ("error", "429: slow down", True, "rate_limited"),
        ("length", "", True, "output_limit"),
        ("aborted", "", True, "cancelled"),
        ("error", "429: slow down", False, "rate_limited"),
        ("length", "", False, "output_limit"),
        ("stop", "", False, "cancelled"),
        ("aborted", "", False, "cancelled"),
    ],
)
def test_the_last_turn_says_why_it_failed_also_where_the_end_was_not_told(stop, error, settled, kind):
    stream = made()
    answered(stream, "Half.", stop, errorMessage=error)
    if settled:
        assert says(stream, "agent_settled") == [AnswerFinished()]
    outcome = stream.finish(Exit(signal=15))
    assert (outcome.failure.kind, outcome.text) == (kind, "")


def test_an_end_without_any_turn_is_no_success():
    stream = made()
    says(stream, "agent_settled")
    stream.feed("stderr", b"Error: fetch failed\n")
    assert stream.finish(Exit(code=1)).failure.kind == "model_unavailable"
