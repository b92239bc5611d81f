"""What new lines of an interactive Gemini CLI's transcript mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyter_cabinet.runtimes.gemini.transcript import GeminiTranscript, Notice
from jupyter_cabinet.runtimes.model import PromptSubmitted, TextBlock, Thinking, ToolCall, ToolResult, Usage


def record(kind: str, content: Any, **fields: Any) -> bytes:
    return json.dumps({"id": "r1", "type": kind, "content": content, **fields}).encode() + b"\n"


def read(data: bytes) -> list:
    return list(GeminiTranscript().feed(data))


def test_a_prompt_is_told_once_also_where_the_file_is_written_anew():
    data = record("user", [{"text": "Do it."}])
    assert read(data + data) == [PromptSubmitted(text="Do it.")]


def test_prompts_without_an_id_are_all_told():
    data = record("user", "Again.", id=None)
    assert read(data + data) == [PromptSubmitted(text="Again.")] * 2


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\n",
        json.dumps({"sessionId": "s1", "projectHash": "x"}).encode() + b"\n",  # the header
        json.dumps({"$set": {"lastUpdated": "now"}}).encode() + b"\n",
        record("user", "<session_context>\nThe date is …"),
        record("user", []),
        record("gemini", ""),
        record("gemini", "", thoughts=[{"subject": "", "description": None}, "odd"]),
    ],
)
def test_what_is_no_news_is_not_told(data):
    assert read(data) == []


def test_thoughts_come_before_the_text():
    thoughts = [{"subject": "Plan", "description": "Look first."}, {"subject": "Then"}]
    assert read(record("gemini", "Done.", thoughts=thoughts)) == [
        Thinking(text="Plan: Look first."),
        Thinking(text="Then"),
        TextBlock(text="Done."),
    ]


def test_a_record_that_grows_tells_its_text_once_and_each_tool_that_comes():
    tool = {"id": "t1", "name": "run_shell_command", "args": {"command": "ls"}, "status": "success"}
    first = record("gemini", "I will.")
    grown = record("gemini", "I will.", toolCalls=[{**tool, "resultDisplay": "a.txt"}])
    assert read(first + grown) == [
        TextBlock(text="I will."),
        ToolCall(call_id="t1", tool="run_shell_command", summary="ls", input={"command": "ls"}),
        ToolResult(call_id="t1", text="a.txt"),
    ]


def answered(**response: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": "t1", "response": response}}


@pytest.mark.parametrize(
    ("shown", "text", "is_error"),
    [
        ({"resultDisplay": "shown", "result": [answered(output="for the model")], "status": "success"}, "shown", False),
        (
            {"resultDisplay": {"fileDiff": "@@"}, "result": [answered(output="written")], "status": "success"},
            "written",
            False,
        ),
        ({"result": [answered(output="one"), answered(error="two")], "status": "error"}, "one\ntwo", True),
        (
            {"result": [answered(), {"text": "odd"}, {"functionResponse": {"response": "odd"}}], "status": "success"},
            "",
            False,
        ),
        ({"status": "cancelled"}, "", True),
    ],
)
def test_a_result_is_what_is_shown_or_else_what_the_model_gets(shown, text, is_error):
    told = read(record("gemini", "", toolCalls=[{"id": "t1", "name": "tool", "args": {}, **shown}]))
    assert told[1] == ToolResult(call_id="t1", text=text, is_error=is_error)


@pytest.mark.parametrize(("kind", "is_error"), [("error", True), ("info", False), ("warning", False)])
def test_what_the_cli_itself_says_is_a_notice(kind, is_error):
    assert read(record(kind, "Request cancelled.")) == [Notice("Request cancelled.", is_error)]


def test_tokens_are_those_of_the_records_since_the_last_prompt():
    transcript = GeminiTranscript()
    tokens = {"input": 120, "output": 20, "cached": 20, "thoughts": 1}
    data = record("gemini", "a", tokens=tokens) + record("gemini", "a", tokens=tokens)
    list(transcript.feed(data + record("gemini", "b", id="r2", tokens={"input": 1}) + record("gemini", "c", id="r3")))
    assert transcript.usage() == Usage(input_tokens=101, output_tokens=21, cache_read_tokens=20)
    list(transcript.feed(record("user", "And now this.", id="r4")))
    assert transcript.usage() is None
