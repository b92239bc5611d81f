"""What an ACP agent tells while it answers: its tools, tokens and cost."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.acp.answer import AcpAnswer, usage_of
from jupyter_cabinet.runtimes.model import TextBlock, TextDelta, Thinking, ToolCall, ToolResult, Usage, Warned


def chunk(words, **more):
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}, **more}


def test_a_tool_server_that_did_not_start_is_a_warning_and_no_tool():
    answer = AcpAnswer("codex")
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "mcp_startup.cab", "status": "failed"}
    assert answer.read(update) == [Warned(message="A tool server could not be started by codex: cab.")]
    assert answer.ended() == []


def test_the_text_before_a_tool_is_a_block_and_a_tool_that_succeeds_is_work():
    answer = AcpAnswer("mine")
    assert answer.read(chunk("I look.")) == [TextDelta(text="I look.")]
    told = answer.read({"sessionUpdate": "tool_call", "toolCallId": "c1", "kind": "read", "status": "failed"})
    assert told == [
        TextBlock(text="I look."),
        ToolCall(call_id="c1", tool="read", summary=""),
        ToolResult(call_id="c1", is_error=True),
    ]
    assert not answer.worked
    answer.denied = "Bash: ls"
    answer.read({"sessionUpdate": "tool_call", "toolCallId": "c2", "kind": "read", "status": "completed"})
    assert (answer.worked, answer.denied) == (True, "")


def test_a_thought_is_told_when_it_is_whole():
    answer = AcpAnswer("mine")
    assert answer.read({**chunk("Hm."), "sessionUpdate": "agent_thought_chunk"}) == []
    assert answer.ended() == [Thinking(text="Hm.")]
    assert answer.text == ""


def test_the_greeting_of_the_session_and_what_is_no_text_are_no_answer():
    answer = AcpAnswer("mine")
    answer.greeting = "Welcome."
    assert answer.read(chunk("Welcome.")) == []
    assert answer.read({"sessionUpdate": "agent_message_chunk", "content": "Hi."}) == []
    assert answer.ended() == []


def test_an_update_that_says_nothing_of_the_answer_still_tells_the_calls_before_it():
    answer = AcpAnswer("mine")
    assert answer.read({"sessionUpdate": "tool_call", "toolCallId": "c1", "name": "Read"}) == []
    assert answer.read({"sessionUpdate": "plan", "entries": []}) == [ToolCall(call_id="c1", tool="Read")]


@pytest.mark.parametrize(
    ("cost", "kept"),
    [
        ({"amount": 0.5, "currency": "USD"}, 0.5),
        ({"amount": 0, "currency": "USD"}, 0.25),
        ({"amount": 0.5, "currency": "EUR"}, 0.25),
        ({"amount": True, "currency": "USD"}, 0.25),
        ("0.5", 0.25),
    ],
)
def test_a_cost_that_is_none_leaves_the_one_before(cost, kept):
    answer = AcpAnswer("mine")
    answer.cost = 0.25
    assert answer.read({"sessionUpdate": "usage_update", "cost": cost}) == []
    assert answer.cost == kept


@pytest.mark.parametrize(
    ("total", "given"),
    [(12, 6), (16, 10), (None, 10)],  # 12: the sum holds what was cached among the input
)
def test_what_came_from_a_cache_is_counted_once(total, given):
    usage = {"inputTokens": 10, "outputTokens": 2, "cachedReadTokens": 4, "cachedWriteTokens": 1, "totalTokens": total}
    assert usage_of({"usage": usage}) == Usage(
        input_tokens=given, output_tokens=2, cache_read_tokens=4, cache_write_tokens=1
    )


@pytest.mark.parametrize(
    ("about", "usage"),
    [
        ({"quota": {"token_count": {"input_tokens": 9, "output_tokens": 3}}}, Usage(input_tokens=9, output_tokens=3)),
        ({"quota": {}}, None),
        ({"quota": "none"}, None),
        (None, None),
    ],
)
def test_gemini_tells_its_tokens_in_a_way_of_its_own(about, usage):
    assert usage_of({"stopReason": "end_turn", "_meta": about}) == usage
