"""The real Claude Code without a terminal, against the suite's model server."""

from __future__ import annotations

import os
import time

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES, statuses

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
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
ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error"}

WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="Write", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


def names(events):
    return [type(event) for event in events if not isinstance(event, TextDelta)]


def test_it_writes_a_file_and_tells_every_step(desk, model):
    model.script = WRITE
    request = desk.request("Create hello.txt.")
    events, outcome = run_headless(Claude(), request, desk.environment)
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    expected = [SessionStarted, TextBlock, ToolCall, ToolResult, TextBlock, UsageReported, AnswerFinished]
    assert names(events) == expected
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id == request.session_id
    assert outcome.usage.input_tokens == 200
    assert outcome.cost_usd > 0
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "".join(
        e.text for e in events if isinstance(e, TextBlock)
    )


def test_a_resumed_session_remembers_and_counts_its_cost_once(desk, model):
    model.script = echo
    first = desk.request("The word is plum.")
    _, before = run_headless(Claude(), first, desk.environment)
    second = desk.request("Which word?", resume=before.native_id, session_cost_before_usd=before.session_cost_usd)
    events, after = run_headless(Claude(), second, desk.environment)
    assert after.native_id == first.session_id
    assert "The word is plum." in str(model.requests[-1].body["messages"])
    assert not [event for event in events if isinstance(event, Warned)]
    assert after.session_cost_usd == pytest.approx(2 * before.session_cost_usd)
    assert after.cost_usd == pytest.approx(before.cost_usd)
    assert after.usage == before.usage


def test_an_id_that_has_a_session_is_told_apart_and_can_be_gone_on_with(desk, model):
    model.script = echo
    first = desk.request("The word is plum.")
    run_headless(Claude(), first, desk.environment)
    again = desk.request("Which word?", session_id=first.session_id)
    _, refused = run_headless(Claude(), again, desk.environment)
    assert refused.failure.kind == "session_exists"
    _, outcome = run_headless(Claude(), desk.request("Which word?", resume=first.session_id), desk.environment)
    assert outcome.failure is None and outcome.native_id == first.session_id


def test_a_session_that_is_gone_is_called_gone(desk):
    request = desk.request("Go on.", resume="00000000-0000-4000-8000-000000000000")
    _, outcome = run_headless(Claude(), request, desk.environment)
    assert outcome.failure.kind == FAILURES["claude"]["session"]


@pytest.mark.parametrize(
    ("status", "kind"),
    statuses("claude"),
)
def test_a_refusal_of_the_service_is_named(desk, model, status, kind):
    model.always = Answer(error=status, error_type=ERROR_TYPES[status], text="scripted refusal")
    events, outcome = run_headless(Claude(), desk.request("Hello."), desk.environment)
    assert outcome.failure.kind == kind
    assert outcome.text == ""
    if status in (429, 500):
        assert any(isinstance(event, Retrying) for event in events)


def test_without_key_and_login_it_is_not_logged_in(desk):
    del desk.environment["ANTHROPIC_API_KEY"]
    assert Claude().locate(desk.environment).login == "no"
    _, outcome = run_headless(Claude(), desk.request("Hello."), desk.environment)
    assert outcome.failure.kind == FAILURES["claude"]["no login"]


def test_a_connection_that_breaks_once_is_mended_by_the_cli(desk, model):
    model.script = echo
    model.faults.append(Answer(text="half a sentence that is cut off somewhere in it", cut=True))
    _, outcome = run_headless(Claude(), desk.request("Hello."), desk.environment)
    assert outcome.failure is None
    assert outcome.text.startswith("You said: Hello.")


def test_a_terminated_run_is_stopped_not_crashed(desk, model):
    model.script = [Answer(text="late", delay_seconds=60)]
    _, outcome = run_headless(
        Claude(), desk.request("Hello."), desk.environment, stop_after=lambda: model.wait_for_requests(1)
    )
    assert outcome.failure.kind == FAILURES["claude"]["stop"]


def test_a_prompt_of_300_kb_arrives_whole(desk, model):
    model.script = echo
    prompt = "word " * 60_000
    _, outcome = run_headless(Claude(), desk.request(prompt), desk.environment)
    assert outcome.failure is None
    assert model.requests[0].prompt == prompt.strip()


@pytest.mark.parametrize("prompt", ["--help me with this", "/model opus", "!touch x"])
def test_no_prompt_is_an_option_or_a_command(desk, model, prompt):
    model.script = echo
    _, outcome = run_headless(Claude(), desk.request(prompt), desk.environment)
    assert outcome.failure is None
    assert model.requests[0].prompt.endswith(prompt)
    assert not (desk.folder / "x").exists()


def test_edit_mode_asks_nobody_refuses_commands_and_says_so(desk, model):
    command = 'python3 -c \'open("made.txt", "w")\''  # `touch` and its like count as edits
    model.script = [Answer(text="I do it.", tools=(ToolUse(name="Bash", arguments={"command": command}),))]
    events, outcome = run_headless(Claude(), desk.request("Create it."), desk.environment)
    assert not (desk.folder / "made.txt").exists()
    assert outcome.failure.kind == "permission_denied"
    assert any(isinstance(event, Warned) and "Bash" in event.message for event in events)


def test_no_tools_means_none_and_a_list_means_that_list(desk, model):
    model.script = echo
    _, outcome = run_headless(Claude(), desk.request("Hello.", allowed_tools=()), desk.environment)
    assert outcome.failure is None
    assert model.requests == []  # it has asked, but with no tool at all
    run_headless(Claude(), desk.request("Hello.", allowed_tools=("Read",)), desk.environment)
    assert "Read" in model.requests[0].tools
    assert not {"Write", "Edit", "Bash"} & set(model.requests[0].tools)


def test_the_added_system_text_is_the_newest_also_after_a_resume(desk, model):
    model.script = echo
    first = desk.request("One.", system="MARK-ONE")
    run_headless(Claude(), first, desk.environment)
    run_headless(Claude(), desk.request("Two.", resume=first.session_id, system="MARK-TWO"), desk.environment)
    assert "MARK-ONE" in model.requests[0].system
    assert "MARK-TWO" in model.requests[1].system
    assert "MARK-ONE" not in model.requests[1].system


def test_the_limit_of_turns_ends_the_run(desk, model):
    model.script = WRITE
    _, outcome = run_headless(Claude(), desk.request("Create it.", max_turns=1), desk.environment)
    assert outcome.failure.kind == "output_limit"


def test_the_version_is_asked_quickly(desk):
    started = time.monotonic()
    located = Claude().locate(desk.environment)
    assert located.version.count(".") == 2
    assert located.login == "yes"
    assert time.monotonic() - started < 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_no_questions_works_as_root_only_where_the_person_has_set_is_sandbox(desk, model, monkeypatch):
    model.script = WRITE
    request = desk.request("Create it.", permission_mode="bypass")
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    with pytest.raises(Invalid, match="as root"):
        run_headless(Claude(), request, desk.environment)
    monkeypatch.setenv("IS_SANDBOX", "1")
    _, outcome = run_headless(Claude(), request, {**desk.environment, "IS_SANDBOX": "1"})
    assert outcome.failure is None
    assert (desk.folder / "hello.txt").exists()
