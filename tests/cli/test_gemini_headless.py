"""The real Gemini CLI without a terminal, against the suite's model server."""

from __future__ import annotations

import json

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES, statuses

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolCall,
    ToolResult,
    UsageReported,
    Warned,
)
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

pytestmark = pytest.mark.realcli

WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="write_file", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


def test_it_writes_a_file_and_tells_every_step(gemini_desk, model):
    model.script = WRITE
    request = gemini_desk.request("Create hello.txt.")
    events, outcome = run_headless(Gemini(), request, gemini_desk.environment)
    assert (gemini_desk.folder / "hello.txt").read_text() == "hello\n"
    expected = [SessionStarted, TextBlock, ToolCall, ToolResult, TextBlock, UsageReported, AnswerFinished]
    assert [type(event) for event in events if not isinstance(event, TextDelta)] == expected
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).endswith("I wrote hello.txt.")
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id == request.session_id
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)


def test_a_resumed_session_remembers_and_counts_its_own_tokens(gemini_desk, model):
    model.script = echo
    _, before = run_headless(Gemini(), gemini_desk.request("The word is plum."), gemini_desk.environment)
    request = gemini_desk.request("Which word?", resume=before.native_id)
    events, after = run_headless(Gemini(), request, gemini_desk.environment)
    assert after.native_id == before.native_id
    assert "The word is plum." in str(model.requests[-1].body["contents"])
    assert not [event for event in events if isinstance(event, Warned)]
    assert after.usage == before.usage


def test_an_id_that_has_a_session_is_told_apart_and_can_be_gone_on_with(gemini_desk, model):
    model.script = echo
    first = gemini_desk.request("The word is plum.")
    run_headless(Gemini(), first, gemini_desk.environment)
    again = gemini_desk.request("Which word?", session_id=first.session_id)
    _, refused = run_headless(Gemini(), again, gemini_desk.environment)
    assert refused.failure.kind == "session_exists"
    _, outcome = run_headless(
        Gemini(), gemini_desk.request("Which word?", resume=first.session_id), gemini_desk.environment
    )
    assert outcome.failure is None and outcome.native_id == first.session_id


@pytest.mark.parametrize("session", ["00000000-0000-4000-8000-00000000000a", "latest"])
def test_a_session_that_is_gone_is_called_gone(gemini_desk, model, session):
    model.script = echo
    if session == "latest":  # there is one, but not this one
        run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    asked = len(model.requests)
    _, outcome = run_headless(Gemini(), gemini_desk.request("Go on.", resume=session), gemini_desk.environment)
    assert outcome.failure.kind == FAILURES["gemini"]["session"]
    assert len(model.requests) == asked


@pytest.mark.parametrize(("status", "kind"), [(400, "unknown"), *statuses("gemini")])
def test_a_refusal_of_the_service_is_named(gemini_desk, model, status, kind):
    model.always = Answer(error=status, text="scripted refusal")
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure.kind == kind
    assert outcome.text == ""


@pytest.mark.parametrize(("status", "kind"), statuses("gemini", 429, 500))
def test_a_service_that_is_busy_is_asked_again_and_each_retry_is_told(gemini_desk, model, status, kind):
    """It would go on for a minute; the watchdog ends it. What it said until then names the reason."""
    model.always = Answer(error=status, text="scripted refusal")
    request = gemini_desk.request("Hello.")
    events, outcome = run_headless(
        Gemini(), request, gemini_desk.environment, stop_after=lambda: model.wait_for_requests(2, seconds=30)
    )
    retries = [event for event in events if isinstance(event, Retrying)]
    assert [(event.attempt, event.reason) for event in retries][:1] == [(1, str(status))]
    assert outcome.failure.kind == kind


def test_without_a_key_it_is_not_logged_in(gemini_desk):
    del gemini_desk.environment["GEMINI_API_KEY"]
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure.kind == FAILURES["gemini"]["no login"]
    (gemini_desk.home / ".gemini" / "settings.json").unlink()
    assert Gemini().locate(gemini_desk.environment).login == "no"


def test_a_folder_that_is_not_trusted_is_named(gemini_desk, model):
    settings = gemini_desk.home / ".gemini" / "settings.json"
    settings.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure.message.startswith("This folder is not trusted in Gemini CLI.")
    assert model.requests == []


def test_a_connection_that_breaks_once_is_mended_by_the_cli(gemini_desk, model):
    model.script = echo
    model.faults.append(Answer(text="half a sentence that is cut off somewhere in it", cut=True))
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello."), gemini_desk.environment)
    assert outcome.failure is None
    assert outcome.text.endswith("You said: Hello.")


def test_a_terminated_run_is_stopped_not_crashed(gemini_desk, model):
    model.script = [Answer(text="late", delay_seconds=60)]
    _, outcome = run_headless(
        Gemini(), gemini_desk.request("Hello."), gemini_desk.environment, stop_after=lambda: model.wait_for_requests(1)
    )
    assert outcome.failure.kind == FAILURES["gemini"]["stop"]


def test_a_prompt_of_300_kb_arrives_whole(gemini_desk, model):
    model.script = echo
    prompt = "".join(f"word {number} " for number in range(30_000))
    _, outcome = run_headless(Gemini(), gemini_desk.request(prompt), gemini_desk.environment)
    assert outcome.failure is None
    assert model.requests[0].prompt == prompt.strip()


@pytest.mark.parametrize("prompt", ["--help me with this", "/model"])
def test_no_prompt_is_an_option_or_a_command(gemini_desk, model, prompt):
    model.script = echo
    _, outcome = run_headless(Gemini(), gemini_desk.request(prompt), gemini_desk.environment)
    assert outcome.failure is None
    assert model.requests[0].prompt.endswith(prompt)


def test_ask_mode_without_a_terminal_has_no_tool_that_asks_and_says_so(gemini_desk, model):
    model.script = WRITE
    request = gemini_desk.request("Create it.", permission_mode="ask")
    events, _ = run_headless(Gemini(), request, gemini_desk.environment)
    assert not (gemini_desk.folder / "hello.txt").exists()
    assert any(isinstance(event, Warned) and "cannot ask" in event.message for event in events)
    assert "write_file" not in model.requests[0].tools


def test_no_tools_means_none_and_a_list_means_that_list_in_every_mode(gemini_desk, model):
    model.script = echo
    _, outcome = run_headless(Gemini(), gemini_desk.request("Hello.", allowed_tools=()), gemini_desk.environment)
    assert outcome.failure is None
    assert model.requests == []  # it has asked, but with no tool at all
    request = gemini_desk.request("Hello.", allowed_tools=("read_file", "glob"), permission_mode="bypass")
    run_headless(Gemini(), request, gemini_desk.environment)
    assert set(model.requests[0].tools) == {"read_file", "glob"}


def test_a_run_that_brings_tool_servers_is_refused_before_the_start(gemini_desk):
    server = McpServer(name="cab", command=("/bin/true",))
    with pytest.raises(Invalid, match="tool servers"):
        run_headless(Gemini(), gemini_desk.request("Hello.", mcp_servers=(server,)), gemini_desk.environment)


def test_the_added_system_text_and_the_model_are_those_of_the_run(gemini_desk, model):
    model.script = echo
    request = gemini_desk.request("One.", system="MARK-ONE", model="gemini-2.5-flash")
    events, _ = run_headless(Gemini(), request, gemini_desk.environment)
    assert model.requests[0].prompt == "# Standing instructions\n\nMARK-ONE\n\n# Instruction\n\nOne."
    assert "gemini-2.5-flash:" in model.requests[0].path
    assert any(isinstance(event, Warned) and "head of the message" in event.message for event in events)
