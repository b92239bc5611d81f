"""The dialogues with pi, fed with what it says: an open CLI by hooks, a headless one that asks."""

from __future__ import annotations

import json

import pytest
from harness.pictures import pi

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    AnswerOverruled,
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
    Warned,
)
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Exit

CALL = {"tool_use_id": "c1", "tool_name": "write", "tool_input": {"path": "a.txt", "content": "x"}}


def opened(**changes):
    values = {"prompt": "Hi.", "mode": "terminal", "cwd": "/w", "session_id": "s1", **changes}
    return Pi().conversation(Request(**values))


def hook(cli, name, **fields):
    return cli.feed("hook", json.dumps({"hook_event_name": name, **fields}).encode())


def wrote(cli, role, content, **fields):
    line = {"type": "message", "message": {"role": role, "content": content, **fields}}
    return cli.feed("transcript", json.dumps(line).encode() + b"\n")


def begun(**changes):
    cli = opened(**changes)
    hook(cli, "SessionStart", session_id="s1")
    hook(cli, "UserPromptSubmit", prompt="Hi.")
    return cli


def text(words):
    return [{"type": "text", "text": words}]


USAGE = {"input": 100, "output": 20, "cacheRead": 7, "cost": {"total": 0.25}}


def test_hooks_tell_of_the_session_the_prompt_and_the_end():
    cli = opened()
    assert hook(cli, "SessionStart", session_id="s1", model="m") == [SessionStarted(native_id="s1", model="m")]
    assert hook(cli, "UserPromptSubmit", prompt="Hi.") == [PromptSubmitted(text="Hi.")]
    assert hook(cli, "Stop", last_assistant_message="Hello.", stop_reason="stop") == [
        TextBlock(text="Hello."),
        AnswerFinished(text="Hello."),
    ]
    wrote(cli, "assistant", text("Hello."), usage=USAGE)  # its line comes late, and is not told again
    outcome = cli.finish(None)
    assert (outcome.text, outcome.native_id, outcome.cost_usd) == ("Hello.", "s1", 0.25)
    assert outcome.usage.cache_read_tokens == 7


def test_tokens_belong_to_the_prompt_before_them():
    cli = begun()
    wrote(cli, "user", text("Hi."))
    wrote(cli, "assistant", text("One."), usage=USAGE)
    hook(cli, "Stop", last_assistant_message="One.", stop_reason="stop")
    assert cli.finish(None).usage.input_tokens == 100
    cli.send("Go on.")
    wrote(cli, "user", text("Go on."))
    events = wrote(cli, "assistant", text("Two."), usage=USAGE)
    assert [type(event) for event in events] == [TextBlock, UsageReported]
    assert events[1].usage.input_tokens == 100


def test_a_call_that_hook_and_transcript_tell_is_told_once():
    cli = begun()
    block = {"type": "toolCall", "id": "c1", "name": "write", "arguments": CALL["tool_input"]}
    assert [type(event) for event in wrote(cli, "assistant", [block])] == [ToolCall]
    assert hook(cli, "PreToolUse", **CALL) == []
    assert hook(cli, "PostToolUse", tool_use_id="c1", tool_response="done", is_error=True) == [
        ToolResult(call_id="c1", text="done", is_error=True)
    ]
    assert wrote(cli, "toolResult", text("done"), toolCallId="c1") == []


def test_a_question_takes_an_answer_from_here_or_from_the_terminal():
    cli = begun(permission_mode="ask")
    (asked,) = hook(cli, "PermissionRequest", **CALL)
    assert (asked.question_id, asked.tool, asked.in_terminal) == ("c1", "write", True)
    assert asked.question == "pi asks to use write: a.txt"
    assert cli.answer("c1", "") == b""  # left to the box
    assert cli.answer("c1", "deny", "Use\nb.txt.") == b"deny: Use b.txt."
    assert cli.answer("c1", "allow") == b""  # it is answered
    assert hook(cli, "PermissionAnswered", tool_use_id="c1", answer="deny") == []
    hook(cli, "PermissionRequest", **CALL)
    assert hook(cli, "PermissionAnswered", tool_use_id="c1") == [QuestionAnswered(question_id="c1")]
    hook(cli, "PermissionRequest", **CALL)
    assert hook(cli, "Stop", stop_reason="aborted")[0] == QuestionAnswered(question_id="c1")


@pytest.mark.parametrize(("here", "there", "done"), [("deny", "allow", True), ("allow", "deny", False)])
def test_an_answer_that_came_after_the_one_in_the_box_is_overruled(here, there, done):
    cli = begun(permission_mode="ask")
    hook(cli, "PermissionRequest", **CALL)
    cli.answer("c1", here)
    told = hook(cli, "PermissionAnswered", tool_use_id="c1", answer=there)
    assert told == [AnswerOverruled(question_id="c1", done=done)]
    assert hook(cli, "PermissionAnswered", tool_use_id="c1", answer=there) == []


@pytest.mark.parametrize(
    ("reason", "error", "kind"),
    [
        ("error", '429: {"message":"slow down"}', "rate_limited"),
        ("error", "fetch failed", "model_unavailable"),
        ("error", "400: prompt is too long: 300000 tokens", "context_exhausted"),
        ("aborted", "", "cancelled"),
        ("length", "", "output_limit"),
    ],
)
def test_an_answer_that_failed_says_why(reason, error, kind):
    cli = begun()
    hook(cli, "Stop", last_assistant_message="half", stop_reason=reason, error=error)
    outcome = cli.finish(None)
    assert outcome.failure.kind == kind
    assert outcome.text == ""


def test_the_trust_dialog_is_a_question_until_the_session_begins():
    cli = opened()
    (asked,) = cli.feed("screen", b"\x1b[1mTrust project\x1b[20Gfolder?\r\n/w\r\n")
    assert (asked.question_id, asked.options) == ("dialog-trust", ())
    events = hook(cli, "SessionStart", session_id="s1")
    assert events[0] == QuestionAnswered(question_id="dialog-trust")


def test_a_prompt_that_is_not_taken_for_want_of_a_key_has_failed():
    cli = opened()
    hook(cli, "SessionStart", session_id="s1")
    cli.feed("screen", pi("Error: No API key found for the selected model."))
    assert cli.rested(0.3) == [AnswerFinished()]
    assert cli.finish(None).failure.kind == "not_logged_in"


def test_a_cli_that_is_closed_before_it_has_answered_was_cancelled():
    assert begun().finish(Exit(code=0)).failure.kind == "cancelled"
    cli = opened()
    cli.feed("screen", b"No session found matching '0'")
    assert cli.finish(Exit(code=1)).failure.kind == "session_gone"


# --- headless, with questions ------------------------------------------------------------------------


def asking():
    return opened(mode="headless", permission_mode="ask")


def says(cli, **line):
    return cli.feed("stdout", json.dumps(line).encode() + b"\n")


def test_a_question_of_a_persons_own_extension_takes_its_own_answers():
    cli = asking()
    (asked,) = says(cli, type="extension_ui_request", id="q1", method="select", title="Which?", options=["a", "b"])
    assert [option.label for option in asked.options] == ["a", "b"]
    assert json.loads(cli.answer("q1", "b")) == {"type": "extension_ui_response", "id": "q1", "value": "b"}
    (asked,) = says(cli, type="extension_ui_request", id="q2", method="confirm", title="Sure?", message="All is lost.")
    assert asked.question == "Sure? All is lost."
    assert json.loads(cli.answer("q2", "no"))["confirmed"] is False
    says(cli, type="extension_ui_request", id="q3", method="input", title="Name?")
    assert json.loads(cli.answer("q3", "send", "plum"))["value"] == "plum"
    says(cli, type="extension_ui_request", id="q4", method="editor", title="Text?")
    assert json.loads(cli.answer("q4", "cancel"))["cancelled"] is True
    assert cli.answer("q4", "cancel") == b""
    assert says(cli, type="extension_ui_request", id="q5", method="setStatus", statusText="x") == []


def test_stdin_stays_open_until_the_answer_is_complete_or_the_prompt_refused():
    cli = asking()
    assert cli.outgoing() == b""
    says(cli, type="turn_end", message={"stopReason": "stop"})
    assert cli.outgoing() == b""
    says(cli, type="agent_settled")
    assert cli.outgoing() is None
    assert cli.finish(Exit(code=0)).failure is None
    refused = asking()
    says(refused, type="response", id="prompt", success=False, error="No API key found for x.")
    assert refused.outgoing() is None
    assert refused.finish(Exit(code=0)).failure.kind == "not_logged_in"


def test_our_own_question_names_the_call_it_is_about():
    cli = asking()
    says(cli, type="tool_execution_start", toolCallId="c1", toolName="bash", args={"command": "ls"})
    (asked,) = says(
        cli, type="extension_ui_request", id="q1", method="select", title="JUPYTER_CABINET_PI c1", options=["allow"]
    )
    assert isinstance(asked, QuestionAsked)
    assert (asked.tool, asked.input) == ("bash", {"command": "ls"})
    assert json.loads(cli.answer("q1", "session"))["value"] == "session"


def test_an_extension_that_fails_is_told():
    (event,) = says(asking(), type="extension_error", extensionPath="/x", event="tool_call", error="oh")
    assert isinstance(event, Warned)


def test_thoughts_come_from_the_transcript_alone():
    cli = begun()
    assert wrote(cli, "assistant", [{"type": "thinking", "thinking": "Hm."}]) == [Thinking(text="Hm.")]


def test_a_hook_and_a_line_of_a_kind_of_their_own_say_nothing():
    cli = begun()
    assert hook(cli, "SessionEnd", session_id="s1") == []
    assert cli.feed("transcript", b'{"type": "label", "id": "x"}\n["message"]\n') == []


def test_a_cli_that_leaves_before_any_tokens_has_no_usage():
    outcome = begun().finish(Exit(code=1))
    assert (outcome.usage, outcome.cost_usd, outcome.failure.kind) == (None, None, "crashed")
