"""The dialogue with headless Codex, line by line, without the program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.codex.stream import CodexStream
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

SESSION = "01a1fbce-903f-7143-85d2-ae7ca122beac"
TOKENS = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9}


def make(**changes: Any) -> CodexStream:
    values = {"prompt": "Do it.", "mode": "headless", "cwd": "/w", "session_id": "s1"}
    return CodexStream(Request(**(values | changes)))


def say(conversation: CodexStream, kind: str, **line: Any) -> list:
    return conversation.feed("stdout", json.dumps({"type": kind, **line}).encode() + b"\n")


def test_an_answer_is_its_last_text_and_success_is_what_codex_says():
    conversation = make()
    assert say(conversation, "thread.started", thread_id=SESSION) == [SessionStarted(native_id=SESSION)]
    first = {"id": "i0", "type": "agent_message", "text": "I will."}
    last = {"id": "i2", "type": "agent_message", "text": "Done."}
    assert say(conversation, "item.completed", item=first) == [TextBlock(text="I will.")]
    thought = {"id": "i1", "type": "reasoning", "text": "Hm."}
    assert say(conversation, "item.completed", item=thought) == [Thinking(text="Hm.")]
    assert say(conversation, "item.completed", item=last) == [TextBlock(text="Done.")]
    used = Usage(input_tokens=60, output_tokens=9, cache_read_tokens=40)
    assert say(conversation, "turn.completed", usage=TOKENS) == [
        UsageReported(usage=used),
        AnswerFinished(text="Done."),
    ]
    outcome = conversation.finish(Exit(code=1))
    assert (outcome.text, outcome.native_id, outcome.failure) == ("Done.", SESSION, None)
    assert (outcome.usage, outcome.session_usage) == (used, used)


def test_a_call_is_told_once_and_its_result_when_it_has_ended():
    conversation = make()
    begun = {"id": "i1", "type": "command_execution", "command": "/bin/bash -lc ls", "status": "in_progress"}
    (call,) = say(conversation, "item.started", item=begun)
    assert call == ToolCall(call_id="i1", tool="Bash", summary="ls", input={"command": "ls"})
    assert say(conversation, "item.updated", item=begun) == []
    done = {**begun, "status": "completed", "aggregated_output": "a.txt"}
    assert say(conversation, "item.completed", item=done) == [ToolResult(call_id="i1", text="a.txt")]


def test_a_call_whose_beginning_was_not_told_is_told_with_its_result():
    change = {"id": "i1", "type": "file_change", "changes": [{"path": "a.txt"}], "status": "completed"}
    call, result = say(make(), "item.completed", item=change)
    assert (call.tool, call.summary, result) == ("apply_patch", "a.txt", ToolResult(call_id="i1"))


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("item.started", {"item": {"id": "i1", "type": "agent_message", "text": "Do"}}),
        ("item.completed", {"item": "Done."}),
        ("item.completed", {"item": {"id": "i1", "type": "error", "message": "Model metadata for `x` not found."}}),
        ("item.completed", {"item": {"id": "i1", "type": "error"}}),
        ("error", {"message": "stream disconnected"}),  # it may be reported again with `turn.failed`
        ("turn.started", {}),
    ],
)
def test_what_is_no_news_is_not_told(kind, line):
    assert say(make(), kind, **line) == []


def test_what_codex_warns_of_and_its_retries_are_told():
    assert say(make(), "item.completed", item={"id": "i1", "type": "error", "message": "Low on disk."}) == [
        Warned(message="Low on disk.")
    ]
    assert say(make(), "error", message="Reconnecting... 2/5 (stream disconnected)") == [
        Retrying(attempt=2, max_attempts=5, reason="stream disconnected")
    ]
    assert say(make(), "error", message="Reconnecting... 1/5") == [Retrying(attempt=1, max_attempts=5)]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ({"message": "something odd"}, "Codex failed: something odd"),
        ({}, "Codex failed: it gave no reason"),
        ("odd", "Codex failed: it gave no reason"),
    ],
)
def test_a_turn_that_failed_says_why(error, message):
    conversation = make()
    assert say(conversation, "turn.failed", error=error) == [AnswerFinished()]
    assert conversation.finish(Exit(code=1)).failure.message == message


def test_without_an_end_it_has_failed():
    assert make().finish(Exit(code=0)).failure.kind == "crashed"


BEFORE = Usage(input_tokens=20, output_tokens=10, cache_read_tokens=40)


@pytest.mark.parametrize(
    ("thread", "before", "usage"),
    [
        (SESSION, BEFORE, Usage(input_tokens=40)),  # never less than nothing
        (SESSION, None, None),  # what came before is not known
        ("another", BEFORE, Usage(input_tokens=60, output_tokens=9, cache_read_tokens=40)),  # it began again
    ],
)
def test_tokens_of_a_resumed_thread_are_those_since_it_went_on(thread, before, usage):
    conversation = make(resume=SESSION, session_usage_before=before)
    say(conversation, "thread.started", thread_id=thread)
    told = say(conversation, "turn.completed", usage=TOKENS)
    assert told == [*([UsageReported(usage=usage)] if usage else []), AnswerFinished()]
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.usage, outcome.session_usage.input_tokens) == (usage, 60)


@pytest.mark.parametrize(
    ("servers", "names"),
    [
        ((McpServer(name="notes", command=("x",)), McpServer(name="web", command=("y",))), "notes, web"),
        ((), "one of its settings"),
    ],
)
def test_a_tool_server_that_did_not_start_is_told_once(servers, names):
    conversation = make(mcp_servers=servers)
    assert conversation.feed("stderr", b"WARN something\n") == []
    expected = [Warned(message=f"A tool server could not be started by Codex: {names}.")]
    assert conversation.feed("stderr", b"MCP startup failed: handshake\n") == expected
    assert conversation.feed("stderr", b"bye\n") == []
