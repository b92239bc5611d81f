"""What pi's messages mean: text, thoughts, tools, tokens and cost."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.model import TextBlock, Thinking, ToolCall, ToolResult, Usage
from jupyter_cabinet.runtimes.pi.messages import Tokens, events_of
from jupyter_cabinet.runtimes.shared.messages.pi_messages import message_of, said


def test_an_answer_gives_its_text_its_thoughts_and_then_its_calls():
    content = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "text", "text": "I look."},
        {"type": "text", "text": " \n"},
        {"type": "thinking", "thinking": ""},
    ]
    assert list(events_of({"role": "assistant", "content": content})) == [
        Thinking(text="Hm."),
        TextBlock(text="I look."),
        ToolCall(call_id="c1", tool="bash", summary="ls", input={"command": "ls"}),
    ]


def test_a_plain_string_is_one_text():
    assert list(said({"content": "Hello."})) == [TextBlock(text="Hello.")]


def test_a_result_names_its_call_and_the_users_words_are_no_news():
    message = {"role": "toolResult", "toolCallId": "c1", "content": [{"type": "text", "text": "done"}], "isError": True}
    assert list(events_of(message)) == [ToolResult(call_id="c1", text="done", is_error=True)]
    assert list(events_of({"role": "user", "content": "Hi."})) == []


@pytest.mark.parametrize("line", [{}, {"message": "Hi."}, {"message": None}])
def test_a_line_without_a_message_carries_an_empty_one(line):
    assert message_of(line) == {}


def test_tokens_and_cost_are_the_sum_of_the_messages_that_tell_of_them():
    tokens = Tokens()
    tokens.add({"role": "assistant"})
    assert (tokens.usage(), tokens.cost_usd()) == (None, None)
    tokens.add({"usage": {"input": 10, "output": 2, "cost": {"total": 0.25}}})
    tokens.add({"usage": {"input": 5, "cacheRead": 3, "cacheWrite": 1, "cost": "free"}})
    assert tokens.usage() == Usage(input_tokens=15, output_tokens=2, cache_read_tokens=3, cache_write_tokens=1)
    assert tokens.cost_usd() == 0.25


def test_a_model_whose_price_is_not_known_has_no_cost():
    tokens = Tokens()
    tokens.add({"usage": {"input": 10, "cost": {"total": 0}}})
    assert tokens.cost_usd() is None
