"""What new lines of an interactive Codex's transcript mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.codex.transcript import Aborted, Broken, CodexTranscript
from jupyter_cabinet.runtimes.model import TextBlock, ToolCall, ToolResult, Usage


def line(kind: str, payload: Any) -> bytes:
    return json.dumps({"type": kind, "payload": payload}).encode() + b"\n"


def event(kind: str, **payload: Any) -> bytes:
    return line("event_msg", {"type": kind, **payload})


def read(data: bytes) -> list:
    return list(CodexTranscript().feed(data))


def tokens(response: str, count: Any) -> bytes:
    return line("token_usage_record", {"response_id": response, "usage": count})


def test_text_and_tools_are_told_in_their_order():
    call = {"type": "CommandExecution", "id": "t1", "command": ["/bin/bash", "-lc", "ls"], "aggregated_output": "a"}
    message = {"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": "Done."}]}
    assert read(event("item_completed", item=call) + event("item_completed", item=message)) == [
        ToolCall(call_id="t1", tool="Bash", summary="ls", input={"command": "ls"}),
        ToolResult(call_id="t1", text="a"),
        TextBlock(text="Done."),
    ]


def test_an_interruption_and_a_failure_name_their_turn():
    assert read(event("turn_aborted", turn_id="u1")) == [Aborted("u1")]
    failed = event("task_complete", turn_id="u2", error={"message": "usage limit"})
    assert read(failed + event("task_complete", turn_id="u3", error={})) == [
        Broken("u2", "usage limit"),
        Broken("u3", ""),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\n",
        line("event_msg", "no object"),
        line("session_meta", {"id": "s1"}),
        line("response_item", {"type": "item_completed", "item": {"type": "AgentMessage", "text": "Done."}}),
        event("item_completed", item="Done."),
        event("task_complete", turn_id="u1", error=None),
        event("agent_reasoning", text="Hm."),
    ],
)
def test_what_is_no_news_is_not_told(data):
    assert read(data) == []


def test_tokens_of_a_turn_are_those_of_its_answers_since_it_began():
    transcript = CodexTranscript()
    list(transcript.feed(tokens("r1", {"input_tokens": 5, "output_tokens": 1})))
    list(transcript.feed(tokens("r1", {"input_tokens": 9, "output_tokens": 2})))  # the same answer, later
    list(transcript.feed(tokens("r2", {"input_tokens": 1}) + tokens("r3", None)))
    assert transcript.usage() == Usage(input_tokens=10, output_tokens=2)
    list(transcript.feed(event("task_started", turn_id="u2")))
    assert transcript.usage() is None


def test_the_sum_of_the_thread_is_the_last_that_was_told():
    transcript = CodexTranscript()
    assert transcript.total is None
    list(transcript.feed(event("token_count", info={"total_token_usage": {"input_tokens": 7}})))
    list(transcript.feed(event("token_count", info=None) + event("token_count", info={"total_token_usage": None})))
    assert transcript.total == Usage(input_tokens=7)
