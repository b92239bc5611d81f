"""The dialogue with an interactive Gemini CLI, from its transcript and its screen, without the program."""

from __future__ import annotations

import json

import pytest
from harness.pictures import gemini

from jupyter_cabinet.runtimes.gemini.screen import SCREEN
from jupyter_cabinet.runtimes.gemini.terminal import GeminiTerminal
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    Request,
    SessionStarted,
    TextBlock,
    Thinking,
    ToolCall,
    ToolResult,
    UsageReported,
)
from jupyter_cabinet.runtimes.port import Exit

BUSY, IDLE = "\x1b]0;✦  Working… (w)   \x07".encode(), "\x1b]0;◇  Ready (w)   \x07".encode()
ASKING = "\x1b]0;✋  Action Required (w)   \x07".encode()
INPUT = gemini()
TOKENS = {"input": 120, "output": 20, "cached": 20, "thoughts": 1}


def make(**changes: object) -> GeminiTerminal:
    values = {"prompt": "Do it.", "mode": "terminal", "cwd": "/w", "session_id": "s1"}
    return GeminiTerminal(Request(**(values | changes)))


def record(conversation: GeminiTerminal, kind: str, content: object, **fields: object) -> list:
    line = {"id": "r1", "type": kind, "content": content, **fields}
    return conversation.feed("transcript", json.dumps(line).encode() + b"\n")


def begun() -> GeminiTerminal:
    conversation = make()
    conversation.feed("screen", IDLE + INPUT)
    conversation.feed("screen", BUSY)
    record(conversation, "user", [{"text": "Do it."}], id="r0")
    return conversation


def test_the_session_has_begun_when_it_takes_input():
    conversation = make()
    assert conversation.feed("screen", IDLE) == []
    assert conversation.feed("screen", INPUT) == [SessionStarted(native_id="s1")]
    assert conversation.feed("screen", INPUT) == []


def test_an_answer_is_complete_when_it_is_ready_and_has_its_last_text():
    conversation = begun()
    assert record(conversation, "gemini", "Done.", tokens=TOKENS)[0] == TextBlock(text="Done.")
    assert conversation.feed("screen", INPUT) == []
    assert conversation.rested(0.3) == [AnswerFinished(text="Done.")]
    outcome = conversation.finish(None)
    assert (outcome.text, outcome.native_id) == ("Done.", "s1")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cache_read_tokens) == (100, 21, 20)


def test_a_record_that_grows_is_told_in_its_parts_once():
    conversation = begun()
    tool = {"id": "t1", "name": "write_file", "args": {"file_path": "a"}, "status": "success", "resultDisplay": "ok"}
    first = record(conversation, "gemini", "I will.", tokens=TOKENS)
    assert [type(event) for event in first] == [TextBlock, UsageReported]
    assert [type(event) for event in record(conversation, "gemini", "I will.", tokens=TOKENS, toolCalls=[tool])] == [
        ToolCall,
        ToolResult,
    ]
    assert record(conversation, "gemini", "I will.", tokens=TOKENS, toolCalls=[tool]) == []


def test_a_cli_that_is_stopped_after_a_tool_has_not_answered():
    conversation = begun()
    tool = {"id": "t1", "name": "write_file", "args": {}, "status": "success"}
    record(conversation, "gemini", "I will.", toolCalls=[tool])
    conversation.feed("screen", INPUT)
    assert conversation.rested(0.3) == []
    assert conversation.finish(Exit(code=0)).failure.kind == "cancelled"


def test_a_box_is_a_question_until_work_goes_on():
    conversation = begun()
    asked = conversation.feed("screen", ASKING)
    assert [type(event) for event in asked] == [QuestionAsked]
    assert conversation.feed("screen", ASKING) == []
    assert conversation.feed("screen", BUSY) == [QuestionAnswered(question_id=asked[0].question_id)]


def test_a_box_that_is_refused_ends_the_turn():
    conversation = begun()
    (asked,) = conversation.feed("screen", ASKING)
    conversation.feed("screen", gemini("ℹ Request cancelled."))
    assert conversation.rested(0.3) == [
        QuestionAnswered(question_id=asked.question_id),
        AnswerFinished(text=""),
    ]


def test_an_interruption_is_seen_on_the_screen():
    conversation = begun()
    conversation.feed("screen", INPUT)
    assert conversation.rested(0.3) == []
    conversation.feed("screen", gemini("ℹ Request cancelled."))
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "cancelled"


def test_an_error_in_the_transcript_is_the_reason_and_the_next_turn_begins_without_it():
    conversation = begun()
    record(conversation, "error", '[API Error: {"error":{"code":429,"message":"quota"}}]')
    conversation.feed("screen", INPUT)
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "rate_limited"
    conversation.send("Again.")
    assert record(conversation, "user", "Again.") == [PromptSubmitted(text="Again.")]
    conversation.feed("screen", BUSY)
    record(conversation, "gemini", "Well.", id="r2")
    conversation.feed("screen", INPUT)
    assert conversation.rested(0.3) == [AnswerFinished(text="Well.")]


@pytest.mark.parametrize(("name", "phrase", "question"), SCREEN.dialogs)
def test_a_dialog_of_the_first_start_is_a_question_also_where_the_title_says_that_it_works(name, phrase, question):
    conversation = make()
    conversation.feed("screen", INPUT + BUSY)
    asked = conversation.feed("screen", b"\x1b[2J\x1b[H" + phrase.encode() + b"\r\n")
    assert [(event.question_id, event.question) for event in asked] == [(f"dialog-{name}", question)]
    answered = record(conversation, "user", "Do it.")
    assert [type(event) for event in answered] == [QuestionAnswered, PromptSubmitted]


def test_a_record_that_comes_again_says_nothing_again():
    conversation = begun()
    assert record(conversation, "user", "More.", id="r7") == [PromptSubmitted(text="More.")]
    assert record(conversation, "user", "More.", id="r7") == []


def test_an_answer_that_comes_before_any_sign_of_work_is_one():
    conversation = make()
    conversation.feed("screen", INPUT)
    record(conversation, "user", "Do it.", id="r0")
    record(conversation, "gemini", "Done.")
    assert conversation.rested(0.3) == [AnswerFinished(text="Done.")]


def test_what_an_earlier_turn_has_left_on_the_screen_ends_no_later_one():
    conversation = begun()
    conversation.feed("screen", gemini(" > Do it.", "", "ℹ Request cancelled."))
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    conversation.finish(None)
    conversation.send("Again.")
    record(conversation, "user", "Again.", id="r3")
    conversation.feed("screen", BUSY)
    record(conversation, "gemini", "Well.", id="r4")
    conversation.feed("screen", gemini(" > Do it.", "", "ℹ Request cancelled.", " > Again.", "", "✦ Well."))
    assert conversation.rested(0.3) == [AnswerFinished(text="Well.")]
    assert conversation.finish(None).failure is None


def test_its_own_notes_are_no_prompt():
    assert record(make(), "user", "<session_context>\nThis is the Gemini CLI.") == []
    assert record(make(), "user", "System: Potential loop detected. Details: Repetitive patterns.") == []


def test_a_cli_that_ends_with_a_turn_open_says_why_in_its_last_words():
    conversation = begun()
    conversation.feed("screen", b"\x1b[2J\x1b[HError: something broke badly")
    failure = conversation.finish(Exit(code=1)).failure
    expected = "Gemini CLI ended with exit code 1 before it answered. It said: Error: something broke badly"
    assert (failure.kind, failure.message) == ("crashed", expected)


def test_a_cli_that_ends_before_its_session_began_may_name_the_reason():
    conversation = make()
    conversation.feed("screen", b"Error resuming session: Invalid session identifier")
    assert conversation.finish(Exit(code=42)).failure.kind == "session_gone"


def test_thoughts_are_told_as_they_are():
    thoughts = [{"subject": "Plan", "description": "Look."}]
    assert record(begun(), "gemini", "", thoughts=thoughts) == [Thinking(text="Plan: Look.")]


def test_what_it_says_for_information_is_no_trouble():
    conversation = begun()
    assert record(conversation, "info", "Update available.") == []
    assert record(conversation, "gemini", "Done.")[0] == TextBlock(text="Done.")
    conversation.feed("screen", INPUT)
    assert conversation.rested(0.3) == [AnswerFinished(text="Done.")]
    assert conversation.finish(None).failure is None
