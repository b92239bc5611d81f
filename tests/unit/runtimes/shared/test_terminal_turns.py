"""The turns of a CLI that is open in a PTY, as all of them have them: Gemini CLI's has no hooks, Codex's has."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness.pictures import codex, gemini, picture

from jupyter_cabinet.runtimes.codex.terminal import CodexTerminal
from jupyter_cabinet.runtimes.gemini.terminal import GeminiTerminal
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    Request,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit
from jupyter_cabinet.runtimes.shared.screens.terminal_turns import MEANT_SECONDS, tool_of

BOX = picture("  Allow this?", "  1. Yes", cursor=(2, 0), title="w", shown=False)


def request(**changes: Any) -> Request:
    values = {"prompt": "Do it.", "mode": "terminal", "cwd": "/w", "session_id": "s1", "hook_command": ("x",)}
    return Request(**(values | changes))


def make(**changes: Any) -> CodexTerminal:
    return CodexTerminal(request(**changes))


def hook(conversation: CodexTerminal, event: str, **fields: Any) -> list:
    told = {"hook_event_name": event, "session_id": "s1", "turn_id": "turn1", **fields}
    return conversation.feed("hook", json.dumps(told).encode())


def line(conversation: CodexTerminal, kind: str, payload: dict[str, Any]) -> list:
    return conversation.feed("transcript", json.dumps({"type": kind, "payload": payload}).encode() + b"\n")


def said(conversation: CodexTerminal, text: str) -> list:
    item = {"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": text}]}
    return line(conversation, "event_msg", {"type": "item_completed", "item": item})


def tokens(conversation: CodexTerminal) -> list:
    return line(conversation, "token_usage_record", {"response_id": "r1", "usage": {"input_tokens": 5}})


def begun(**changes: Any) -> CodexTerminal:
    conversation = make(**changes)
    hook(conversation, "SessionStart")
    hook(conversation, "UserPromptSubmit", prompt="Do it.")
    return conversation


def test_a_cli_without_hooks_or_answers_of_its_own_is_told_nothing_by_them():
    conversation = GeminiTerminal(request())
    assert conversation.start() == b""
    assert conversation.feed("hook", b'{"hook_event_name": "Stop"}') == []
    assert conversation.feed("stdout", b"text") == []
    assert conversation.answer("q1", "allow", "Go on.") == b""
    assert conversation.session_usage() is None


def test_a_hook_that_is_no_object_says_nothing():
    assert make().feed("hook", b"garbage") == []


def test_an_instruction_is_pasted_as_words_and_opens_a_turn():
    conversation = make(prompt="")
    assert not conversation.open
    assert conversation.send("/clear @a") == b"\x1b[200~Instruction: /clear @a \x1b[201~"
    assert conversation.open


def test_the_screen_has_the_terminals_size():
    conversation = make()
    conversation.resized(61, 17)
    assert (conversation.screen.grid.columns, conversation.screen.grid.rows) == (61, 17)


def test_under_an_open_question_nothing_may_be_typed():
    conversation = begun()
    conversation.feed("screen", codex())
    assert conversation.input() == "empty"
    hook(conversation, "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
    assert conversation.input() == "other"
    assert conversation.rested(MEANT_SECONDS) == []


def test_before_a_session_has_begun_a_still_screen_tells_nothing():
    conversation = make()
    conversation.feed("screen", BOX)
    assert conversation.rested(MEANT_SECONDS) == []


def test_a_box_that_stands_for_a_while_is_a_question_until_it_is_gone():
    conversation = begun()
    conversation.feed("screen", BOX)
    assert conversation.rested(MEANT_SECONDS / 2) == []
    asked = QuestionAsked(
        question_id="dialog-screen", question="Codex asks a question in its terminal.", in_terminal=True
    )
    assert conversation.rested(MEANT_SECONDS) == [asked]
    conversation.feed("screen", codex())
    assert conversation.rested(0.1) == [QuestionAnswered(question_id="dialog-screen")]


def test_half_a_picture_is_no_box():
    conversation = begun()
    conversation.feed("screen", b"\x1b[?2026h" + BOX)
    assert conversation.rested(MEANT_SECONDS) == []


def test_an_instruction_that_was_not_sent_is_a_question_until_it_is():
    conversation = make()
    hook(conversation, "SessionStart")
    conversation.feed("screen", codex(typed="Do it."))
    (asked,) = conversation.rested(MEANT_SECONDS)
    assert asked.question == "The instruction is in Codex's input box and was not sent. Press Enter in the terminal."
    assert conversation.input() == "typed"  # nothing prevents its Enter
    submitted = hook(conversation, "UserPromptSubmit", prompt="Do it.")
    assert submitted == [QuestionAnswered(question_id="dialog-unsent"), PromptSubmitted(text="Do it.")]


def test_what_a_person_types_is_no_unsent_instruction():
    conversation = begun()
    conversation.feed("screen", codex(typed="draft"))
    assert conversation.rested(MEANT_SECONDS) == []


def test_a_cli_that_is_closed_within_a_turn_is_cancelled_and_one_without_a_turn_has_not_failed():
    failure = begun().finish(Exit(code=0)).failure
    assert (failure.kind, failure.message) == ("cancelled", "Codex was closed before it answered.")
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    outcome = conversation.finish(Exit(code=0))
    assert (outcome.text, outcome.failure) == ("Done.", None)
    assert make().finish(Exit(code=3)).failure.kind == "crashed"


def test_an_interrupted_answer_is_cancelled_once():
    conversation = begun()
    assert conversation.interrupted() == [AnswerFinished()]
    assert conversation.interrupted() == []
    outcome = conversation.finish(None)
    assert (outcome.text, outcome.failure.message) == ("", "Codex was interrupted.")
    assert conversation.finish(None).failure is None  # ready for the next instruction


def test_an_end_that_only_the_screen_told_is_taken_back_by_work():
    conversation = begun()
    assert conversation.goes_on() == []
    assert conversation.assume(conversation.interrupted()) == [AnswerFinished()]
    warned = Warned(message="Codex continued after it seemed to be interrupted.")
    assert conversation.goes_on() == [PromptSubmitted(text="Do it."), warned]
    assert (conversation.open, conversation.submitted) == (True, True)
    conversation.interrupted()
    assert conversation.goes_on() == []  # that was no assumption


@pytest.mark.parametrize(
    ("changes", "session", "warned"),
    [
        ({}, "s1", []),
        ({"resume": "s1"}, "s1", []),
        ({"resume": "s0"}, "s1", ["Codex opened a different session than requested."]),
        (
            {"system": "Be brief."},
            "s1",
            ["Codex does not accept an addition to its system prompt. The text is placed before the message."],
        ),
    ],
)
def test_a_session_that_begins_otherwise_than_asked_is_told_once(changes, session, warned):
    conversation = make(**changes)
    events = conversation.started(session, "m")
    assert events == [SessionStarted(native_id=session, model="m"), *(Warned(message=each) for each in warned)]
    assert conversation.started("s2") == [SessionStarted(native_id="s2")]


def test_a_session_without_a_name_is_none():
    conversation = make()
    assert conversation.started("") == [SessionStarted(native_id="")]
    assert conversation.native_id is None


def test_what_a_person_typed_into_the_cli_is_a_turn_too():
    conversation = make(prompt="")
    hook(conversation, "SessionStart")
    assert hook(conversation, "Stop", last_assistant_message="Done.") == []  # no turn is open
    assert hook(conversation, "UserPromptSubmit", prompt="By hand.") == [PromptSubmitted(text="By hand.")]
    assert conversation.open


def test_a_text_that_a_hook_told_is_not_told_again_but_its_tokens_are():
    conversation = begun()
    tokens(conversation)
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [
        TextBlock(text="Done."),
        AnswerFinished(text="Done."),
    ]
    assert conversation.finish(None).usage is None  # the line with the last answer's may still come
    assert said(conversation, "Done.\n") == [UsageReported(usage=Usage(input_tokens=5))]


def test_a_line_that_comes_after_the_end_is_told_and_is_not_the_answer():
    conversation = begun()
    assert said(conversation, "Done.") == [TextBlock(text="Done.")]
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [AnswerFinished(text="Done.")]
    assert said(conversation, "Late.") == [TextBlock(text="Late.")]
    assert conversation.finish(None).text == "Done."


def test_an_answer_without_a_text_ends_the_turn_all_the_same():
    assert hook(begun(), "Stop", last_assistant_message=None) == [AnswerFinished()]


def test_a_call_and_its_result_are_each_given_once():
    conversation = begun()
    call, result = ToolCall(call_id="t1", tool="Bash"), ToolResult(call_id="t1", text="ok")
    assert [conversation.once(each) for each in (call, result, call, result)] == [[call], [result], [], []]


def test_a_hook_without_a_session_is_of_this_one():
    conversation = begun()
    assert [conversation.is_of_another_session({"session_id": each}) for each in ("s2", "s1", "", None)] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("told", "tool"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "ls"}}, ("Bash", {"command": "ls"})),
        ({"tool_name": 3, "tool_input": "ls"}, ("a tool", {})),
    ],
)
def test_a_hook_may_be_about_any_tool(told, tool):
    assert tool_of(told) == tool


def test_without_hooks_the_input_box_tells_that_a_session_has_begun():
    conversation = GeminiTerminal(request(system="Be brief."))
    started, warned = conversation.feed("screen", gemini())
    assert started == SessionStarted(native_id="s1")
    assert warned.message.startswith("Gemini CLI does not accept an addition")
