"""The dialogue with headless Claude Code, line by line, without the program."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.claude.stream import ClaudeStream
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolResult,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

SESSION = "5f0f1de1-9e20-4b5a-b5a5-000000000001"


def make(**changes: Any) -> ClaudeStream:
    values = {"prompt": "Do it.", "mode": "headless", "cwd": "/w", "session_id": SESSION}
    return ClaudeStream(Request(**(values | changes)))


def say(conversation: ClaudeStream, **line: Any) -> list:
    return conversation.feed("stdout", json.dumps({"session_id": SESSION, **line}).encode() + b"\n")


def permission(conversation: ClaudeStream, **changes: Any) -> list:
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "t1"}
    return say(conversation, type="control_request", request_id="7", request=asked | changes)


def ended(conversation: ClaudeStream, **changes: Any) -> list:
    return say(
        conversation, **({"type": "result", "subtype": "success", "is_error": False, "result": "Done."} | changes)
    )


def replies(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def test_an_instruction_for_somebody_who_can_be_asked_is_a_message_on_stdin():
    begin, message = replies(make(permission_mode="ask", prompt="/clear").start())
    assert begin == {"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}
    assert message == {"type": "user", "message": {"role": "user", "content": "Instruction: /clear"}}
    assert make().start() == b""  # the launch contains it


def test_stdin_stays_open_until_the_result_is_there():
    conversation = make(permission_mode="ask")
    assert conversation.outgoing() == b""
    assert ended(conversation) == [AnswerFinished(text="Done.")]
    assert conversation.outgoing() is None


@pytest.mark.parametrize("request_", [None, {"subtype": "hook_callback"}])
def test_a_control_request_that_nobody_knows_is_refused_at_once(request_):
    conversation = make(permission_mode="ask")
    assert say(conversation, type="control_request", request_id="9", request=request_) == []
    (reply,) = replies(conversation.outgoing())
    assert reply["response"] == {"subtype": "error", "request_id": "9", "error": "Not supported."}
    assert conversation.outgoing() == b""


def test_a_question_is_answered_once():
    conversation = make(permission_mode="ask")
    (asked,) = permission(conversation)
    assert (asked.question_id, asked.tool, asked.question) == ("7", "Bash", "Claude Code asks to use Bash: ls")
    assert permission(conversation, input={"command": "rm -rf ~"}) == []
    (reply,) = replies(conversation.answer("7", "allow"))
    assert reply["response"]["response"] == {"behavior": "allow", "updatedInput": {"command": "ls"}}
    assert conversation.answer("7", "allow") == b""


def test_a_question_without_a_tool_or_arguments_is_asked_all_the_same():
    (asked,) = permission(make(permission_mode="ask"), tool_name=None, input="ls")
    assert isinstance(asked, QuestionAsked)
    assert (asked.tool, asked.input) == ("a tool", {})


def test_a_question_that_is_withdrawn_is_answered_and_another_is_not_known():
    conversation = make(permission_mode="ask")
    permission(conversation)
    assert say(conversation, type="control_cancel_request", request_id="8") == []
    assert say(conversation, type="control_cancel_request", request_id="7") == [QuestionAnswered(question_id="7")]


DENIED = {"permission_denials": [{"tool_name": "Bash", "tool_use_id": "t1"}]}


def test_what_a_person_has_refused_is_no_failure():
    conversation = make(permission_mode="ask")
    permission(conversation)
    conversation.answer("7", "deny", "Not now.")
    ended(conversation, **DENIED)
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.failure, outcome.text) == (None, "Done.")


def refused(conversation: ClaudeStream) -> list:
    return say(conversation, type="system", subtype="permission_denied", tool_name="Bash", tool_use_id="t1")


def result_of(conversation: ClaudeStream, call: str) -> list:
    content = [{"type": "tool_result", "tool_use_id": call, "content": "no"}]
    return say(conversation, type="user", message={"role": "user", "content": content})


def test_a_run_whose_last_tool_was_refused_has_failed():
    conversation = make()
    assert refused(conversation) == [Warned(message="Claude Code was not allowed to use Bash.")]
    assert result_of(conversation, "t1") == [ToolResult(call_id="t1", text="no")]
    ended(conversation, **DENIED)
    outcome = conversation.finish(Exit(code=0))
    assert outcome.failure.kind == "permission_denied"
    assert "Bash" in outcome.failure.message


def test_what_was_refused_and_then_done_in_another_way_is_success():
    conversation = make()
    refused(conversation)
    result_of(conversation, "t1")
    result_of(conversation, "t2")
    ended(conversation, **DENIED)
    assert conversation.finish(Exit(code=0)).failure is None


def test_a_result_that_is_an_error_has_no_text():
    conversation = make()
    assert ended(conversation, is_error=True, result="Invalid API key") == [AnswerFinished()]
    outcome = conversation.finish(Exit(code=1))
    assert (outcome.text, outcome.failure.kind) == ("", "not_logged_in")


def test_a_last_line_without_its_line_feed_counts():
    conversation = make()
    line = {"type": "result", "is_error": False, "result": "Done.", "session_id": SESSION}
    assert conversation.feed("stdout", json.dumps(line).encode()) == []
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.text, outcome.native_id, outcome.failure) == ("Done.", SESSION, None)


def test_without_a_result_it_has_failed_whatever_its_exit_code():
    outcome = make().finish(None)
    assert outcome.failure.message == "Claude Code was ended from outside before it answered."
    conversation = make()
    conversation.feed("stdout", b'{"type": "resu')
    assert conversation.finish(Exit(code=0)).failure.kind == "crashed"


@pytest.mark.parametrize(
    ("resume", "before", "told", "cost"),
    [
        (None, None, 0.75, 0.75),
        (None, None, None, None),
        (SESSION, 0.5, 0.75, 0.25),
        (SESSION, 1.0, 0.75, 0.0),
        (SESSION, None, 0.75, None),  # what came before is not known
    ],
)
def test_a_run_costs_what_the_session_has_cost_since_it_began(resume, before, told, cost):
    conversation = make(resume=resume, session_cost_before_usd=before)
    usage = {"input_tokens": 3, "output_tokens": 4}
    reported, _ = ended(conversation, total_cost_usd=told, usage=usage)
    assert isinstance(reported, UsageReported)
    assert (reported.usage.input_tokens, reported.cost_usd) == (3, cost)
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.cost_usd, outcome.session_cost_usd) == (cost, told)


def test_a_session_is_named_with_what_did_not_start():
    servers = [{"name": "notes", "status": "failed"}, {"name": "web", "status": "connected"}]
    assert say(
        make(), type="system", subtype="init", model="opus", claude_code_version="2.1.329", mcp_servers=servers
    ) == [SessionStarted(native_id=SESSION, model="opus", version="2.1.329", failed_tool_servers=("notes",))]


def test_another_session_than_the_one_asked_for_is_told():
    (_, warned) = say(make(resume="another"), type="system", subtype="init", model=3)
    assert warned == Warned(message="Claude Code opened a different session than requested.")


def test_a_retry_is_told_with_its_reason():
    line = {"attempt": 2, "max_retries": 10, "retry_delay_ms": 1500, "error_status": 529, "error": "overloaded"}
    assert say(make(), type="system", subtype="api_retry", **line) == [
        Retrying(attempt=2, max_attempts=10, delay_seconds=1.5, reason="529 overloaded")
    ]


def test_text_is_told_as_it_is_written_and_then_whole():
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Do"}}
    content = [{"type": "text", "text": "Done."}]
    conversation = make()
    assert say(conversation, type="stream_event", event=delta) == [TextDelta(text="Do")]
    assert say(conversation, type="assistant", message={"content": content}) == [TextBlock(text="Done.")]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "keep_alive"},
        {"type": "system", "subtype": "status", "session_id": ""},
        {"type": "stream_event", "event": {"type": "message_stop"}},
        {"type": "stream_event", "event": {"delta": {"type": "text_delta", "text": ""}}},
        {"type": "stream_event", "event": {"delta": {"type": "input_json_delta"}}},
        {"type": "assistant", "message": "Done."},
        {"type": "assistant", "parent_tool_use_id": "t0", "message": {"content": "of a sub-agent"}},
        {
            "type": "stream_event",
            "parent_tool_use_id": "t0",
            "event": {"delta": {"type": "text_delta", "text": "of a sub-agent"}},
        },
        {"type": "user", "message": {"content": "our own prompt"}},
    ],
)
def test_what_is_no_news_is_not_told(line):
    assert say(make(), **line) == []
