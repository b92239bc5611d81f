"""The dialogue with an interactive Claude Code, from its hooks, its transcript and its screen, without the program."""

from __future__ import annotations

import json

import pytest
from harness.examples import examples
from harness.pictures import claude, claude_box
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.claude.terminal import SILENT_END_SECONDS, ClaudeTerminal
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    AnswerOverruled,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    Request,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.port import Exit

BUSY, IDLE = "\x1b]0;◐ Claude Code\x07".encode(), "\x1b]0;✳ Claude Code\x07".encode()
TOOL = {"tool_name": "Write", "tool_input": {"file_path": "/w/a.txt"}, "tool_use_id": "t1"}


def make(**changes: object) -> ClaudeTerminal:
    values = {"prompt": "Write it.", "mode": "terminal", "cwd": "/w", "session_id": "s1", "hook_command": ("x",)}
    return ClaudeTerminal(Request(**(values | changes)))


def hook(conversation: ClaudeTerminal, event: str, **fields: object) -> list:
    return conversation.feed("hook", json.dumps({"hook_event_name": event, "session_id": "s1"} | fields).encode())


def transcript(conversation: ClaudeTerminal, kind: str, content: object, **message: object) -> list:
    line = {"type": kind, "message": {"role": kind, "content": content, **message}}
    return conversation.feed("transcript", json.dumps(line).encode() + b"\n")


def begun(**changes: object) -> ClaudeTerminal:
    conversation = make(**changes)
    hook(conversation, "SessionStart", model="m")
    conversation.feed("screen", IDLE)
    hook(conversation, "UserPromptSubmit", prompt="Write it.")
    conversation.feed("screen", BUSY)
    return conversation


def test_a_call_that_two_sources_tell_is_given_once():
    conversation = begun()
    assert [type(event) for event in hook(conversation, "PreToolUse", **TOOL)] == [ToolCall]
    block = {"type": "tool_use", "id": "t1", "name": "Write", "input": {}}
    assert not [e for e in transcript(conversation, "assistant", [block]) if isinstance(e, ToolCall)]
    assert [type(event) for event in hook(conversation, "PostToolUse", **TOOL)] == [ToolResult]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    assert transcript(conversation, "user", [result]) == []


def test_the_last_text_comes_with_stop_and_not_again_from_the_transcript():
    conversation = begun()
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [
        TextBlock(text="Done."),
        AnswerFinished(text="Done."),
    ]
    outcome = conversation.finish(None)
    assert (outcome.text, outcome.native_id, outcome.usage) == ("Done.", "s1", None)
    late = transcript(conversation, "assistant", "Done.", id="m1", usage={"input_tokens": 5})
    assert [type(event) for event in late] == [UsageReported]


def test_tokens_are_told_where_the_transcript_is_complete():
    conversation = begun()
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 1}
    transcript(conversation, "assistant", "Done.", id="m1", usage=usage)
    transcript(conversation, "assistant", [{"type": "thinking", "thinking": "x"}], id="m1", usage=usage)
    assert hook(conversation, "Stop", last_assistant_message="Done.") == [AnswerFinished(text="Done.")]
    found = conversation.finish(None).usage
    assert (found.input_tokens, found.output_tokens, found.cache_read_tokens) == (5, 7, 1)


def test_the_tokens_of_the_next_prompt_begin_at_zero():
    conversation = begun()
    transcript(conversation, "assistant", "Done.", id="m1", usage={"input_tokens": 5})
    hook(conversation, "Stop", last_assistant_message="Done.")
    conversation.finish(None)
    conversation.send("More.")
    hook(conversation, "UserPromptSubmit", prompt="More.")
    transcript(conversation, "user", "More.")
    transcript(conversation, "assistant", "Well.", id="m2", usage={"input_tokens": 8})
    hook(conversation, "Stop", last_assistant_message="Well.")
    assert conversation.finish(None).usage.input_tokens == 8


def test_two_boxes_are_two_questions_and_the_second_is_asked_again():
    conversation = begun()
    other = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    first = hook(conversation, "PermissionRequest", **TOOL)[0]
    second = hook(conversation, "PermissionRequest", **other)[0]
    assert (first.question, second.question) == (
        "Claude Code asks to use Write: /w/a.txt",
        "Claude Code asks to use Bash: make",
    )
    events = hook(conversation, "PostToolUse", **TOOL)
    assert events[0] == QuestionAnswered(question_id=first.question_id)
    assert events[1] == second
    assert conversation.feed("screen", BUSY) == []
    conversation.feed("screen", claude_box())
    assert conversation.feed("screen", BUSY) == [QuestionAnswered(question_id=second.question_id)]


def test_the_end_of_a_call_that_was_allowed_here_is_not_that_of_one_that_looks_the_same():
    conversation = begun()
    first = hook(conversation, "PermissionRequest", **TOOL)[0]
    assert conversation.answer(first.question_id, "allow")
    second = hook(conversation, "PermissionRequest", **TOOL)[0]
    assert QuestionAnswered not in [type(event) for event in hook(conversation, "PostToolUse", **TOOL)]
    assert conversation.answer(second.question_id, "deny")


REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. …)."


def answered_here(option):
    conversation = begun()
    hook(conversation, "PreToolUse", **TOOL)
    asked = hook(conversation, "PermissionRequest", **TOOL)[0]
    assert conversation.answer(asked.question_id, option)
    return conversation, asked.question_id


def result_of(conversation, text, *, is_error):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": is_error}
    return transcript(conversation, "user", [block])


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_a_call_that_was_denied_here_and_was_carried_out_has_overruled_the_answer(event):
    conversation, question_id = answered_here("deny")
    told = hook(conversation, event, **TOOL)
    assert told[0] == AnswerOverruled(question_id=question_id, done=True)
    assert not [each for each in hook(conversation, event, **TOOL) if isinstance(each, AnswerOverruled)]


def test_a_call_that_was_allowed_here_and_refused_in_the_box_has_overruled_the_answer():
    conversation, question_id = answered_here("allow")
    told = result_of(conversation, REJECTED, is_error=True)
    assert told[0] == AnswerOverruled(question_id=question_id, done=False)


def test_an_answer_from_here_that_counted_is_not_overruled():
    conversation, _ = answered_here("deny")
    assert [type(each) for each in result_of(conversation, "use the replica", is_error=True)] == [ToolResult]
    hook(conversation, "PreToolUse", **{**TOOL, "tool_use_id": "t2"})  # the same again, and this time it is allowed
    asked = hook(conversation, "PermissionRequest", **TOOL)[0]
    assert conversation.answer(asked.question_id, "allow")
    told = hook(conversation, "PostToolUse", **{**TOOL, "tool_use_id": "t2"})
    assert [type(each) for each in told] == [ToolResult]


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_a_no_in_the_box_beside_an_answer_from_here_is_told_once(option):
    conversation, _ = answered_here(option)
    told = [*result_of(conversation, REJECTED, is_error=True), *result_of(conversation, REJECTED, is_error=True)]
    assert [type(each) for each in told].count(AnswerOverruled) == (option == "allow")


def test_an_idle_title_alone_does_not_end_an_answer():
    conversation = begun()
    assert conversation.feed("screen", IDLE) == []
    assert conversation.feed("screen", b"Do you want to create a.txt?") == []
    assert [type(event) for event in hook(conversation, "PermissionRequest", **TOOL)] == [QuestionAsked]


def test_a_prompt_that_is_back_in_the_input_box_was_interrupted_once_it_stands_there():
    conversation = begun()
    assert conversation.feed("screen", claude("❯\u00a0Hello.", typed="Write it.")) == []
    assert conversation.rested(0.3) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.message == "Claude Code was interrupted."


def test_a_prompt_in_the_history_is_none_in_the_input_box():
    conversation = begun()
    conversation.feed("screen", claude("❯\u00a0Write it."))
    assert conversation.rested(0.3) == conversation.rested(1.0) == []
    conversation.feed("screen", claude_box("❯\u00a0Write it."))
    assert [type(event) for event in conversation.rested(1.0)] == [QuestionAsked]


def test_an_empty_input_box_that_stays_is_an_end_that_nobody_told():
    conversation = begun()
    conversation.feed("screen", claude("Interrupted · What should Claude do instead?"))
    assert conversation.rested(1.0) == []
    assert conversation.rested(SILENT_END_SECONDS) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "cancelled"


def test_an_instruction_that_was_not_sent_is_told_until_it_is():
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    conversation.finish(None)
    conversation.feed("screen", claude())
    assert conversation.input() == "empty"
    conversation.send("More, please.")
    conversation.feed("screen", claude(typed="More, please."))
    (asked,) = conversation.rested(1.0)
    assert "Press Enter" in asked.question
    events = hook(conversation, "UserPromptSubmit", prompt="More, please.")
    assert QuestionAnswered(question_id=asked.question_id) in events


@pytest.mark.parametrize("footer", ["accept edits on · esc to interrupt", "auto mode on · esc to interrupt · ←"])
def test_while_it_works_its_input_box_takes_nothing(footer):
    conversation = begun()
    conversation.feed("screen", claude(footer=footer))  # while a hook runs the title says idle
    assert conversation.input() == "busy"


def test_an_interruption_in_the_transcript_closes_the_question():
    conversation = begun()
    hook(conversation, "PermissionRequest", **TOOL)
    events = transcript(conversation, "user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    assert [type(event) for event in events] == [QuestionAnswered, AnswerFinished]
    assert conversation.finish(None).failure.kind == "cancelled"


def test_a_failure_of_the_service_is_classified():
    conversation = begun()
    text = "Please run /login · API Error: 401 refused"
    hook(conversation, "StopFailure", error="authentication_failed", last_assistant_message=text)
    assert conversation.finish(None).failure.kind == "not_logged_in"


def test_an_end_is_told_once():
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    assert hook(conversation, "Stop", last_assistant_message="Done.") == []
    assert hook(conversation, "StopFailure", error="unknown") == []


def test_what_a_person_types_into_the_cli_opens_a_turn():
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    conversation.finish(None)
    assert hook(conversation, "UserPromptSubmit", prompt="And now?") == [PromptSubmitted(text="And now?")]
    assert hook(conversation, "Stop", last_assistant_message="Well.")[-1] == AnswerFinished(text="Well.")


def test_the_end_of_another_session_is_not_that_of_this_one():
    conversation = begun()
    other = {"session_id": "another", "last_assistant_message": "All is well."}
    assert hook(conversation, "Stop", **other) == hook(conversation, "StopFailure", **other) == []
    assert hook(conversation, "UserPromptSubmit", prompt="Do something else.", session_id="another") == []
    assert hook(conversation, "Stop", last_assistant_message="Done.")[-1] == AnswerFinished(text="Done.")


def test_another_session_than_the_one_to_resume_is_told():
    conversation = make(resume="wanted")
    assert [type(event) for event in hook(conversation, "SessionStart")] == [SessionStarted, Warned]


def test_dialogs_before_the_session_are_questions_and_the_models_words_are_not():
    conversation = make()
    asked = conversation.feed("screen", b"Quick\x1b[9Gsafety\x1b[16Gcheck: Is this a project you trust?")
    assert asked[0].question_id == "dialog-trust"
    assert conversation.feed("screen", b"\x1b[1B") == []
    assert hook(conversation, "SessionStart")[0] == QuestionAnswered(question_id="dialog-trust")
    assert conversation.feed("screen", b"Select login method:") == []


@pytest.mark.parametrize(
    ("exit", "kind"),
    [
        (Exit(code=0), "cancelled"),
        (Exit(signal=15), "cancelled"),
        (Exit(code=143), "cancelled"),
        (Exit(signal=11), "crashed"),
        (Exit(code=1), "crashed"),
    ],
)
def test_a_cli_that_ends_with_a_turn_open_has_failed(exit, kind):
    assert begun().finish(exit).failure.kind == kind


def test_a_cli_that_is_closed_after_its_answer_has_not_failed():
    conversation = begun()
    hook(conversation, "Stop", last_assistant_message="Done.")
    conversation.finish(None)
    assert conversation.finish(Exit(code=0)).failure is None


sources = st.sampled_from(["hook", "transcript", "screen", "stdout", "stderr"])
events = st.sampled_from(["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop"])
leaves = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=5))
json_values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner))
fields = st.sampled_from(["tool_name", "tool_input", "tool_use_id", "prompt", "error", "message", "tool_response"])


@given(st.lists(st.tuples(sources, st.binary(max_size=200)), max_size=20))
def test_no_bytes_raise(pieces):
    conversation = make()
    for source, data in pieces:
        conversation.feed(source, data)
    conversation.finish(Exit(code=1))


@settings(max_examples=examples(10))
@given(st.lists(st.tuples(events, st.dictionaries(fields, json_values, max_size=4)), max_size=8))
def test_no_shape_of_a_hook_raises(told):
    conversation = make()
    for event, values in told:
        hook(conversation, event, **values)
    conversation.finish(None)


@settings(max_examples=examples(10))
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), json_values), max_size=8))
def test_no_shape_of_a_transcript_raises(lines):
    conversation = make()
    for kind, content in lines:
        transcript(conversation, kind, content, id=content, usage=content)
        line = {"type": kind, "subtype": "api_error", "error": content, "message": content, "retryInMs": content}
        conversation.feed("transcript", json.dumps(line).encode() + b"\n")


def test_a_cli_without_an_instruction_waits_and_what_is_typed_is_a_turn_of_its_own():
    conversation = make(prompt="")
    assert [type(event) for event in hook(conversation, "SessionStart", model="m")] == [SessionStarted]
    assert conversation.finish(None).failure is None
    assert hook(conversation, "UserPromptSubmit", prompt="Hi.") == [PromptSubmitted(text="Hi.")]
    assert hook(conversation, "Stop", last_assistant_message="Hello.")[-1] == AnswerFinished(text="Hello.")
    assert conversation.finish(None).text == "Hello."


def test_a_cli_that_ends_before_its_session_has_begun_has_failed_also_without_an_instruction():
    assert make(prompt="").finish(Exit(code=1)).failure is not None
    conversation = make(prompt="")
    hook(conversation, "SessionStart", model="m")
    assert conversation.finish(Exit(code=0)).failure is None


def test_a_notice_of_work_that_was_ended_with_its_turn_is_refused_and_no_other():
    conversation = begun()
    hook(conversation, "PreToolUse", **TOOL)  # whose id is t1

    def refused(call: str) -> bool:
        prompt = f"<task-notification>\n<tool-use-id>{call}</tool-use-id>\n</task-notification>"
        told = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
        return b'"block"' in conversation.refusal(json.dumps(told).encode())

    assert not refused("t1")
    conversation.work_ends()
    assert refused("t1")
    assert not refused("t2")
    assert conversation.refusal(b'{"hook_event_name": "UserPromptSubmit", "prompt": "And now?"}') == b""
    conversation.finish(None)
    hook(conversation, "UserPromptSubmit", prompt="More.")
    hook(conversation, "PreToolUse", **{**TOOL, "tool_use_id": "t2"})
    assert refused("t1")
    assert not refused("t2")
