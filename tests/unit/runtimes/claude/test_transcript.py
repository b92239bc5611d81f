"""What new lines of an interactive Claude Code's transcript mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.claude.transcript import ClaudeTranscript, Interrupted
from jupyter_cabinet.runtimes.model import Retrying, TextBlock, Thinking, ToolCall, ToolResult, Usage


def lines(*said: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in said)


def read(*said: dict[str, Any]) -> list:
    return list(ClaudeTranscript().feed(lines(*said)))


def assistant(*blocks: dict[str, Any], **message: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(blocks), **message}}


def user(content: Any, **line: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **line}


TEXT = {"type": "text", "text": "Done."}


def test_thoughts_text_calls_and_results_come_in_their_order():
    thought = {"type": "thinking", "thinking": "Hm."}
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}
    assert read(assistant(thought, use), user([result]), assistant(TEXT)) == [
        Thinking(text="Hm."),
        ToolCall(call_id="t1", tool="Bash", summary="ls", input={"command": "ls"}),
        ToolResult(call_id="t1", text="a.txt"),
        TextBlock(text="Done."),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {**assistant(TEXT), "isSidechain": True},  # a sub-agent's
        {**assistant(TEXT), "isApiErrorMessage": True},
        {"type": "assistant", "message": "Done."},
        user("[Request interrupted by user]", isMeta=True),
        {"type": "system", "subtype": "turn_duration"},
        {"type": "summary", "summary": "A file"},
        assistant({"type": "tool_result", "tool_use_id": "t1", "content": "a"}),
    ],
)
def test_what_is_no_news_of_this_conversation_is_not_told(line):
    assert read(line) == []


def test_a_line_that_is_no_object_costs_nothing_but_itself():
    assert list(ClaudeTranscript().feed(b"garbage\n[1]\n" + lines(assistant(TEXT)))) == [TextBlock(text="Done.")]


def test_an_interruption_by_the_person_is_told():
    assert read(user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])) == [Interrupted()]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            {"retryAttempt": 3, "maxRetries": 10, "retryInMs": 500, "error": {"formatted": "529 Overloaded"}},
            Retrying(attempt=3, max_attempts=10, delay_seconds=0.5, reason="529 Overloaded"),
        ),
        ({"error": "no object"}, Retrying(attempt=1)),
        ({"error": {"formatted": 529}}, Retrying(attempt=1)),
    ],
)
def test_a_retry_is_told_as_far_as_it_is_known(line, told):
    assert read({"type": "system", "subtype": "api_error", **line}) == [told]


def test_tokens_are_those_since_the_last_prompt_and_a_message_in_two_lines_counts_once():
    transcript = ClaudeTranscript()
    usage = {"input_tokens": 10, "output_tokens": 5}
    assert transcript.usage() is None
    list(transcript.feed(lines(assistant(TEXT, id="m1", usage=usage), assistant(TEXT, id="m1", usage=usage))))
    assert transcript.usage() == Usage(input_tokens=10, output_tokens=5)
    list(transcript.feed(lines(assistant(TEXT, id="m2", usage=usage))))
    assert transcript.usage() == Usage(input_tokens=20, output_tokens=10)
    list(transcript.feed(lines(user("And now this."))))
    assert transcript.usage() is None
