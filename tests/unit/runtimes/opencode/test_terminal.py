"""The dialogue with an interactive opencode, from what its plugin tells, without the program."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    AnswerOverruled,
    PromptSubmitted,
    QuestionAnswered,
    QuestionAsked,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    Thinking,
    ToolCall,
    ToolResult,
)
from jupyter_cabinet.runtimes.opencode.terminal import OpencodeTerminal
from jupyter_cabinet.runtimes.port import Exit

READY = b"tab agents  ctrl+p commands"


def make(**changes: object) -> OpencodeTerminal:
    values = {"prompt": "Do it.", "mode": "terminal", "cwd": "/w", "session_id": "s1"}
    return OpencodeTerminal(Request(**(values | changes)))


def event(kind: str, session: str = "ses_1", **properties: object) -> dict:
    return {"type": kind, "properties": {"sessionID": session, **properties}}


def part(message: str, kind: str, session: str = "ses_1", **fields: object) -> dict:
    return event("message.part.updated", session, part={"messageID": message, "type": kind, **fields})


def hook(conversation: OpencodeTerminal, *events: dict) -> list:
    payload = {"hook_event_name": "Events", "events": events}
    return conversation.feed("hook", json.dumps(payload).encode())


def ask(conversation: OpencodeTerminal, question: str = "per_1", **properties: object) -> list:
    about = {"id": question, "permission": "bash", "metadata": {"command": "ls /"}, "patterns": ["ls /"]}
    payload = {"hook_event_name": "PermissionRequest", "event": event("permission.asked", **about, **properties)}
    return conversation.feed("hook", json.dumps(payload).encode())


def prompt(text: str, message: str = "m1", session: str = "ses_1", **fields: object) -> tuple[dict, dict]:
    told = event("message.updated", session, info={"id": message, "role": "user"})
    return told, part(message, "text", session, text=text, **fields)


def status(kind: str, session: str = "ses_1", **fields: object) -> dict:
    return event("session.status", session, status={"type": kind, **fields})


def step(reason: str = "stop", session: str = "ses_1") -> dict:
    tokens = {"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 7, "write": 0}}
    return part("m2", "step-finish", session, reason=reason, tokens=tokens, cost=0.25)


def tool(state: str, **fields: object) -> dict:
    return part("m2", "tool", tool="write", callID="c1", state={"status": state, "input": {"filePath": "a"}, **fields})


CREATED = event("session.created", info={"id": "ses_1", "model": {"id": "m"}})
IDLE = status("idle")


def begun(**changes: object) -> OpencodeTerminal:
    conversation = make(**changes)
    hook(conversation, CREATED, *prompt("Do it."), status("busy"))
    return conversation


def test_a_turn_is_told_in_its_steps_and_ends_when_the_session_is_idle():
    conversation = make()
    assert hook(conversation, CREATED, *prompt("Do it.")) == [
        SessionStarted(native_id="ses_1", model="m"),
        PromptSubmitted(text="Do it."),
    ]
    assert [type(each) for each in hook(conversation, tool("running"), tool("completed", output="ok"))] == [
        ToolCall,
        ToolResult,
    ]
    told = hook(conversation, step("tool-calls"), part("m3", "reasoning", text="Hm."), part("m3", "text", text="Done."))
    assert (told[0], told[1]) == (Thinking(text="Hm."), TextBlock(text="Done."))
    assert hook(conversation, step(), IDLE, IDLE) == [AnswerFinished(text="Done.")]
    outcome = conversation.finish(None)
    assert (outcome.text, outcome.native_id, outcome.cost_usd, outcome.failure) == ("Done.", "ses_1", 0.5, None)
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.cache_read_tokens) == (200, 50, 14)


def test_the_second_word_of_an_end_does_not_end_the_next_turn():
    conversation = begun()
    hook(conversation, part("m2", "text", text="Done."), step(), IDLE)
    conversation.finish(None)
    conversation.send("Again.")
    assert hook(conversation, IDLE) == []
    assert hook(conversation, *prompt("Again.", "m4")) == [PromptSubmitted(text="Again.")]
    assert hook(conversation, part("m5", "text", text="Well."), step(), IDLE)[-1] == AnswerFinished(text="Well.")
    assert conversation.finish(None).cost_usd == 0.25


def test_what_a_person_types_opens_a_turn_and_what_the_cli_says_itself_does_not():
    conversation = begun()
    hook(conversation, part("m2", "text", text="Done."), step(), IDLE)
    conversation.finish(None)
    assert hook(conversation, *prompt("Called by a tool.", "m4", synthetic=True)) == []
    assert hook(conversation, *prompt("By hand.", "m5")) == [PromptSubmitted(text="By hand.")]
    assert hook(conversation, part("m6", "text", text="Yes."), step(), IDLE)[-1] == AnswerFinished(text="Yes.")


def test_an_agent_of_the_agent_is_not_its_answer_but_may_ask():
    conversation = begun()
    child = event("session.created", "ses_2", info={"id": "ses_2", "parentID": "ses_1"})
    assert hook(conversation, child, part("m8", "text", "ses_2", text="Inner."), step("stop", "ses_2")) == []
    assert hook(conversation, status("idle", "ses_2"), status("idle", "ses_of_before")) == []
    assert [type(each) for each in ask(conversation, sessionID="ses_2")] == [QuestionAsked]


def test_a_new_session_in_the_same_cli_is_told():
    conversation = begun()
    hook(conversation, part("m2", "text", text="Done."), step(), IDLE)
    conversation.finish(None)
    told = hook(conversation, event("session.created", "ses_3", info={"id": "ses_3"}), *prompt("New.", "m9", "ses_3"))
    assert told == [SessionStarted(native_id="ses_3"), PromptSubmitted(text="New.")]


@pytest.mark.parametrize(
    ("option", "word"), [("allow", "once"), ("session", "always"), ("deny", "reject"), ("nonsense", None), ("", None)]
)
def test_a_question_is_answered_by_what_its_hook_prints(option, word):
    conversation = begun()
    (asked,) = ask(conversation, always=["ls *"])
    assert (asked.tool, asked.input, asked.question) == ("bash", {"command": "ls /"}, "opencode asks to use bash: ls /")
    assert asked.in_terminal
    assert [each.id for each in asked.options] == ["allow", "session", "deny"]
    printed = conversation.answer(asked.question_id, option)
    assert (json.loads(printed)["reply"] if printed else None) == word
    assert conversation.answer("per_other", "allow") == b""


def test_words_go_with_a_refusal_alone():
    conversation = begun()
    ask(conversation, "per_1")
    ask(conversation, "per_2")
    assert json.loads(conversation.answer("per_1", "deny", "No.")) == {"reply": "reject", "message": "No."}
    assert json.loads(conversation.answer("per_2", "allow", "Well.")) == {"reply": "once"}


def test_a_question_that_was_answered_in_the_terminal_is_gone_whatever_comes_first():
    conversation = begun()
    replied = {"type": "permission.replied", "properties": {"sessionID": "ses_1", "requestID": "per_1"}}
    ask(conversation)
    assert hook(conversation, replied) == [QuestionAnswered(question_id="per_1")]
    assert hook(conversation, {**replied, "properties": {"requestID": "per_2"}}) == []
    assert ask(conversation, "per_2") == []


@pytest.mark.parametrize(("here", "there", "done"), [("deny", "once", True), ("allow", "reject", False)])
def test_an_answer_that_came_after_the_one_in_the_box_is_overruled(here, there, done):
    conversation = begun()
    ask(conversation)
    conversation.answer("per_1", here)
    replied = {"type": "permission.replied", "properties": {"requestID": "per_1", "reply": there}}
    assert hook(conversation, replied) == [AnswerOverruled(question_id="per_1", done=done)]
    assert hook(conversation, replied) == []


def test_an_answer_that_counted_is_not_overruled():
    conversation = begun()
    ask(conversation)
    conversation.answer("per_1", "session")
    assert (
        hook(conversation, {"type": "permission.replied", "properties": {"requestID": "per_1", "reply": "always"}})
        == []
    )


def test_no_to_a_question_ends_the_answer():
    conversation = begun()
    error = "The user rejected permission to use this specific tool call."
    hook(conversation, tool("error", error=error), step("tool-calls"))
    assert hook(conversation, IDLE) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == "permission_denied"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"name": "MessageAbortedError", "data": {"message": "Aborted"}}, "cancelled"),
        ({"name": "APIError", "data": {"message": "bad key", "statusCode": 401}}, "not_logged_in"),
        ({"name": "APIError", "data": {"message": "no", "statusCode": 503}}, "model_unavailable"),
        ({"name": "APIError", "data": {"message": "hm", "statusCode": 418}}, "unknown"),
        ({"name": "ContextOverflowError", "data": {}}, "context_exhausted"),
        ({"name": "UnknownError", "data": {"message": "Model not found: a/b."}}, "model_unavailable"),
    ],
)
def test_an_error_of_the_session_is_the_reason(error, kind):
    conversation = begun()
    assert hook(conversation, event("session.error", error=error), IDLE) == [AnswerFinished(text="")]
    assert conversation.finish(None).failure.kind == kind


def test_a_retry_is_told_and_a_question_of_the_agent_is_waited_for():
    conversation = begun()
    assert hook(conversation, status("retry", attempt=2, message="busy")) == [Retrying(attempt=2, reason="busy")]
    asked = hook(conversation, event("question.asked", id="q1"))
    assert [type(each) for each in asked] == [QuestionAsked]
    assert [type(each) for each in hook(conversation, event("question.replied"))] == [QuestionAnswered]


def test_opened_without_an_instruction_it_has_begun_when_it_takes_input():
    conversation = make(prompt="")
    assert conversation.feed("screen", b"opencode") == []
    assert conversation.feed("screen", READY) == [SessionStarted(native_id="")]
    assert make(prompt="", resume="ses_9").feed("screen", READY) == [SessionStarted(native_id="ses_9")]


def test_a_cli_that_leaves_before_it_began_says_why_on_the_screen():
    conversation = make(resume="ses_9")
    conversation.feed("screen", b"\x1b[91mError: \x1b[0mSession not found: ses_9")
    assert conversation.finish(Exit(code=1)).failure.kind == "session_gone"
    assert begun().finish(Exit(code=0)).failure.kind == "cancelled"


@pytest.mark.parametrize("drawn", [b"", b"\x1b[91mError: \x1b[0mSession not found: ses_9"])
def test_a_session_that_is_gone_has_not_begun_when_its_error_is_told_before_the_cli_leaves(drawn):
    conversation = make(resume="ses_9")
    error = {"name": "NotFoundError", "data": {"message": "Session not found: ses_9"}}
    assert hook(conversation, event("session.error", "ses_9", error=error)) == []
    conversation.feed("screen", drawn)
    outcome = conversation.finish(Exit(code=1))
    assert (outcome.native_id, outcome.failure.kind) == (None, "session_gone")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
KINDS = [
    "session.created",
    "session.status",
    "session.error",
    "message.updated",
    "message.part.updated",
    "permission.x",
]
FIELDS = ["info", "part", "status", "error", "id", "messageID", "type", "text", "state", "tokens", "cost", "reason"]


@given(
    kind=st.sampled_from(KINDS),
    fields=st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from(["idle", "retry", "tool", "step-finish"])),
)
def test_no_value_of_a_known_event_raises(kind, fields):
    conversation = begun()
    within = {name: fields for name in ("info", "part", "status", "error")}
    hook(conversation, event(kind, **within), event(kind, **fields))
    ask(conversation, **{name: value for name, value in fields.items() if name != "id"})
    conversation.finish(Exit(code=1))


def test_nothing_may_be_typed_under_an_open_question():
    conversation = begun()
    conversation.feed("screen", READY)
    ask(conversation)
    assert conversation.asks()
    assert conversation.input() == "other"
    assert conversation.answer("per_1", "allow") != b""
    assert not conversation.asks()


def test_its_store_is_no_transcript_and_is_not_read():
    assert begun().feed("transcript", b'{"type": "text", "text": "Hello."}\n') == []


def test_news_of_the_session_that_mean_nothing_here_are_passed_over():
    conversation = begun()
    assert hook(conversation, event("message.removed", messageID="m9")) == []
    assert hook(conversation, part("m2", "snapshot", snapshot="abc")) == []
    assert hook(conversation, part("m2", "reasoning", text="")) == []
    assert conversation.open
