"""The dialogue with an interactive Codex, from its hooks, its transcript and its screen, without the program."""

from __future__ import annotations

import json

import pytest
from harness.examples import examples
from harness.pictures import codex
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.codex.screen import SCREEN
from jupyter_cabinet.runtimes.codex.terminal import CodexTerminal
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
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

BUSY, IDLE = "\x1b]0;⠋ w\x07".encode(), b"\x1b]0;w\x07"
ASKING = b"\x1b]0;[ ! ] Action Required | w\x07"
TOOL = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}


def make(**changes: object) -> CodexTerminal:
    values = {"prompt": "Do it.", "mode": "terminal", "cwd": "/w", "session_id": "s1", "hook_command": ("x",)}
    return CodexTerminal(Request(**(values | changes)))


def hook(conversation: CodexTerminal, event: str, **fields: object) -> list:
    told = {"hook_event_name": event, "session_id": "s1", "turn_id": "turn1", **fields}
    return conversation.feed("hook", json.dumps(told).encode())


def transcript(conversation: CodexTerminal, kind: str, **payload: object) -> list:
    return conversation.feed(
        "transcript", json.dumps({"type": "event_msg", "payload": {"type": kind, **payload}}).encode() + b"\n"
    )


def message(text: str) -> dict:
    return {"item": {"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": text}]}}


def begun(**changes: object) -> CodexTerminal:
    conversation = make(**changes)
    hook(conversation, "SessionStart", model="m")
    conversation.feed("screen", IDLE)
    hook(conversation, "UserPromptSubmit", prompt="Do it.")
    conversation.feed("screen", BUSY)
    return conversation


def test_an_answer_is_told_once_whichever_source_is_first():
    conversation = begun()
    assert transcript(conversation, "item_completed", **message("Done.")) == [TextBlock(text="Done.")]
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [AnswerFinished(text="Done.")]
    conversation = begun()
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [
        TextBlock(text="Done."),
        AnswerFinished(text="Done."),
    ]
    assert transcript(conversation, "item_completed", **message("Done.")) == []
    assert conversation.finish(None).text == "Done."


def test_a_call_that_hook_and_transcript_tell_is_given_once():
    conversation = begun()
    assert [type(event) for event in hook(conversation, "PreToolUse", **TOOL)] == [ToolCall]
    item = {"type": "CommandExecution", "id": "t1", "command": ["/bin/bash", "-lc", "make"], "aggregated_output": "ok"}
    assert [type(event) for event in transcript(conversation, "item_completed", item=item)] == [ToolResult]
    assert hook(conversation, "PostToolUse", tool_response="ok", **TOOL) == []


def test_a_box_is_a_question_until_work_goes_on():
    conversation = begun()
    asked = hook(conversation, "PermissionRequest", **TOOL)
    assert [type(event) for event in asked] == [QuestionAsked]
    assert conversation.answer(asked[0].question_id, "terminal") == b""
    assert conversation.feed("screen", ASKING) == []
    assert conversation.feed("screen", BUSY) == [QuestionAnswered(question_id=asked[0].question_id)]


def test_of_two_calls_at_once_each_is_asked_and_only_the_one_that_goes_on_is_over():
    conversation = begun()
    call = {"tool_name": "Bash", "tool_input": {"command": "make", "description": "why"}}
    other = {"tool_name": "Bash", "tool_input": {"command": "make test", "description": "why"}}
    first, twin, third = (hook(conversation, "PermissionRequest", **each)[0] for each in (call, call, other))
    assert len({first.question_id, twin.question_id, third.question_id}) == 3
    assert conversation.answer(first.question_id, "allow")
    assert conversation.feed("screen", IDLE + BUSY) == []
    assert [type(event) for event in hook(conversation, "PostToolUse", tool_response="ok", **TOOL)] == [ToolResult]
    assert conversation.answer(third.question_id, "terminal") == b""
    conversation.feed("screen", ASKING)
    assert conversation.feed("screen", BUSY) == [QuestionAnswered(question_id=third.question_id)]
    assert conversation.answer(twin.question_id, "allow")


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("■ Conversation interrupted - use /feedback", "cancelled"),
        ("■ unexpected status 401 Unauthorized: bad key", "not_logged_in"),
        ("■ exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"),
        ("■ something new", "unknown"),
    ],
)
def test_an_end_that_no_hook_tells_is_read_from_the_screen_also_when_it_is_drawn_late(shown, kind):
    conversation = begun()
    conversation.feed("screen", codex("› Do it."))
    assert conversation.rested(0.3) == []
    conversation.feed("screen", codex("■ of the turn before", "› Do it.", "", shown))
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    failure = conversation.finish(None).failure
    assert failure.kind == kind
    assert failure.message.endswith((".", "something new"))


def test_how_an_earlier_turn_ended_says_nothing_of_this_one():
    conversation = make(resume="s1")
    hook(conversation, "SessionStart")
    conversation.feed("screen", BUSY + codex("■ Conversation interrupted"))
    hook(conversation, "UserPromptSubmit", prompt="Do it.", turn_id="turn2")
    conversation.feed("screen", BUSY)
    assert transcript(conversation, "turn_aborted", turn_id="turn1") == []
    assert transcript(conversation, "task_complete", turn_id="turn1", error={"message": "429"}) == []
    conversation.feed("screen", codex("■ Conversation interrupted", "› Do it."))
    assert conversation.rested(0.3) == conversation.rested(1.0) == []
    assert hook(conversation, "Stop", last_assistant_message="Done.")[-1] == AnswerFinished(text="Done.")


def test_the_transcript_tells_why_a_turn_has_failed():
    conversation = begun()
    error = {"message": "exceeded retry limit, last status: 429 Too Many Requests"}
    assert transcript(conversation, "task_complete", turn_id="turn1", error=error) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "rate_limited"


@pytest.mark.parametrize(("name", "phrase", "question"), SCREEN.dialogs)
def test_a_dialog_of_the_first_start_is_a_question(name, phrase, question):
    conversation = make()
    asked = conversation.feed("screen", phrase.replace(" ", "\x1b[1C").encode())
    assert [(event.question_id, event.question) for event in asked] == [(f"dialog-{name}", question)]
    answered = hook(conversation, "SessionStart")
    assert [type(event) for event in answered] == [QuestionAnswered, SessionStarted]


def test_typing_into_it_is_an_instruction():
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    conversation.finish(None)
    assert hook(conversation, "UserPromptSubmit", prompt="More.") == [PromptSubmitted(text="More.")]
    assert hook(conversation, "Stop", last_assistant_message="Well.")[-1] == AnswerFinished(text="Well.")


def test_another_session_than_the_one_asked_for_is_told():
    conversation = make(resume="other")
    assert [type(event) for event in hook(conversation, "SessionStart")] == [SessionStarted, Warned]


def test_a_cli_that_leaves_is_named():
    gone = make()
    gone.feed("screen", b"ERROR: No saved session found with ID x. Run `codex resume`")
    assert gone.finish(Exit(code=1)).failure.kind == "session_gone"
    assert begun().finish(Exit(code=0)).failure.kind == "cancelled"
    assert begun().finish(Exit(signal=9)).failure.kind == "crashed"


def test_without_hooks_the_screen_alone_tells_the_end():
    conversation = make(hook_command=())
    conversation.feed("screen", BUSY)
    conversation.native_id = "s1"
    conversation.feed("screen", codex())
    assert conversation.rested(0.3) == [AnswerFinished(text="")]


@settings(max_examples=examples(20))
@given(st.lists(st.integers(1, 40), max_size=8))
def test_the_screen_may_come_in_any_pieces(cuts):
    data = BUSY + b"\x1b[2Kworking\x1b[?2026h" + codex("› Do it.", "■ Conversation interrupted") + b"\x1b[?2026l"
    conversation, events = begun(), []
    for cut in [*cuts, len(data)]:
        events += conversation.feed("screen", data[:cut])
        data = data[cut:]
    assert events == []
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "cancelled"


def test_another_session_that_a_tool_has_started_ends_nothing_here():
    conversation = begun()
    assert hook(conversation, "Stop", session_id="s2", last_assistant_message="Done.") == []
    assert hook(conversation, "UserPromptSubmit", session_id="s2", prompt="Other.") == []
    assert conversation.open
    assert hook(conversation, "Stop", last_assistant_message="Done.")[-1] == AnswerFinished(text="Done.")


def test_a_hook_that_nobody_knows_says_nothing():
    assert hook(begun(), "PreCompact") == []


def test_thoughts_of_the_transcript_are_told_as_they_are():
    item = {"type": "Reasoning", "id": "r1", "summary_text": ["Hm."]}
    assert transcript(begun(), "item_completed", item=item) == [Thinking(text="Hm.")]


def test_while_it_works_a_still_screen_ends_nothing():
    conversation = begun()
    assert conversation.rested(5.0) == []
    assert conversation.open


def test_without_hooks_it_has_answered_when_it_waits_again():
    conversation = make(hook_command=())
    hook(conversation, "SessionStart", model="m")
    conversation.feed("screen", codex(title="⠋ work"))
    assert conversation.rested(5.0) == []
    conversation.feed("screen", codex("• Done."))
    assert conversation.rested(5.0) == [AnswerFinished()]


def test_with_hooks_it_has_not_answered_before_a_hook_tells_of_it():
    conversation = begun()
    conversation.feed("screen", codex("• Done."))
    assert conversation.rested(5.0) == []
    assert conversation.open


def test_work_that_goes_on_after_a_seeming_end_opens_the_turn_again():
    conversation = begun()
    conversation.feed("screen", codex("› Do it.", "■ stream disconnected before completion"))
    assert conversation.rested(5.0) == [AnswerFinished()]
    submitted, warned, call = hook(conversation, "PreToolUse", **TOOL)
    assert submitted == PromptSubmitted(text="Do it.")
    assert warned == Warned(message="Codex continued after it seemed to be interrupted.")
    assert call.call_id == "t1"
    assert conversation.open
    hook(conversation, "Stop", last_assistant_message="Done.")
    assert conversation.finish(None).text == "Done."
