"""The dialogue with headless Gemini CLI, line by line, without the program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.gemini.stream import GeminiStream
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

STATS = {"input_tokens": 120, "output_tokens": 20, "cached": 20}


def make(**changes: Any) -> GeminiStream:
    values = {"prompt": "Do it.", "mode": "headless", "cwd": "/w", "session_id": "s1"}
    return GeminiStream(Request(**(values | changes)))


def say(conversation: GeminiStream, kind: str, **line: Any) -> list:
    return conversation.feed("stdout", json.dumps({"type": kind, **line}).encode() + b"\n")


def test_a_text_in_pieces_is_told_whole_before_a_tool_and_at_the_end():
    conversation = make()
    begun = say(conversation, "init", session_id="s1", model="gemini-3-pro")
    assert begun == [SessionStarted(native_id="s1", model="gemini-3-pro")]
    assert say(conversation, "message", role="user", content="Do it.") == []
    for piece in ("I ", "will."):
        told = say(conversation, "message", role="assistant", content=piece, delta=True)
        assert told == [TextDelta(text=piece)]
    use = {"tool_id": "t1", "tool_name": "run_shell_command", "parameters": {"command": "ls"}}
    assert say(conversation, "tool_use", **use) == [
        TextBlock(text="I will."),
        ToolCall(call_id="t1", tool="run_shell_command", summary="ls", input={"command": "ls"}),
    ]
    result = say(conversation, "tool_result", tool_id="t1", status="success", output="a.txt")
    assert result == [ToolResult(call_id="t1", text="a.txt")]
    say(conversation, "message", role="assistant", content="Done.", delta=True)
    used = Usage(input_tokens=100, output_tokens=20, cache_read_tokens=20)
    assert say(conversation, "result", status="success", stats=STATS) == [
        TextBlock(text="Done."),
        UsageReported(usage=used),
        AnswerFinished(text="Done."),
    ]
    outcome = conversation.finish(Exit(code=1))
    assert (outcome.text, outcome.usage, outcome.failure) == ("Done.", used, None)


def test_a_text_that_comes_whole_is_one_block_and_without_figures_there_are_no_tokens():
    conversation = make()
    assert say(conversation, "message", role="assistant", content="Done.") == [TextBlock(text="Done.")]
    assert say(conversation, "result", status="success") == [AnswerFinished(text="Done.")]
    assert conversation.finish(Exit(code=0)).usage is None


def test_two_tools_in_a_row_have_no_text_between_them():
    conversation = make()
    for call in ("t1", "t2"):
        told = say(conversation, "tool_use", tool_id=call, tool_name="list_directory", parameters={"path": "."})
        assert [type(event) for event in told] == [ToolCall]


def test_a_tool_that_failed_says_so():
    (result,) = say(make(), "tool_result", tool_id="t1", status="error", output="no such file")
    assert result == ToolResult(call_id="t1", text="no such file", is_error=True)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "API key not valid"}, "not_logged_in"),
        ({"message": 'got "code": 429'}, "rate_limited"),
        ({}, "unknown"),
        ("odd", "unknown"),
    ],
)
def test_a_result_that_is_no_success_is_a_failure(error, kind):
    conversation = make()
    say(conversation, "message", role="assistant", content="Do")
    assert say(conversation, "result", status="error", error=error) == [AnswerFinished()]
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.text, outcome.failure.kind) == ("", kind)


def test_without_a_result_it_has_failed_and_half_a_line_says_where():
    conversation = make()
    conversation.feed("stdout", b'{"type": "mess')
    assert conversation.finish(Exit(code=0)).failure.message == "Gemini CLI ended in the middle of its answer."
    assert make().finish(Exit(code=0)).failure.kind == "cancelled"


def test_an_error_in_between_is_a_warning():
    assert say(make(), "error", severity="warning", message="Loop detected") == [Warned(message="Loop detected")]
    assert say(make(), "error") == [Warned(message="Gemini CLI reported an error.")]


@pytest.mark.parametrize("line", [{"role": "assistant", "content": ""}, {"role": "assistant"}, {"content": "Hi."}])
def test_a_message_without_words_of_the_agent_is_not_told(line):
    assert say(make(), "message", **line) == []


def test_a_line_of_another_kind_says_nothing():
    assert say(make(), "heartbeat") == []


def test_each_retry_on_stderr_is_told_once():
    conversation = make()
    first = b"Attempt 1 failed with status 503. Retrying with backoff... Error: x\n"
    assert conversation.feed("stderr", b"Ripgrep is not available.\n") == []
    assert conversation.feed("stderr", first) == [Retrying(attempt=1, reason="503")]
    assert conversation.feed("stderr", b"Attempt 2 failed. Retrying after 1 s\n") == [Retrying(attempt=2)]


def test_a_run_that_should_ask_says_that_it_cannot():
    (_, warned) = say(make(permission_mode="ask"), "init", session_id="s1")
    assert warned == Warned(
        message="Gemini CLI cannot ask without a terminal: it has only the tools that need no question."
    )
