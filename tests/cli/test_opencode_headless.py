"""The real opencode without a terminal, against the suite's model server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES, statuses

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    McpServer,
    Retrying,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    UsageReported,
    Warned,
)
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .conftest import seed_opencode

pytestmark = pytest.mark.realcli

TOOL_SERVER = str(Path(__file__).with_name("tool_server.py"))
WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="write", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


def shell(command: str) -> Answer:
    return Answer(tools=(ToolUse(name="bash", arguments={"command": command, "description": "It needs it"}),))


def run(desk, prompt="Hello.", stop_after=None, **changes):
    return run_headless(Opencode(), desk.request(prompt, **changes), desk.environment, stop_after)


def test_it_writes_a_file_tells_every_step_and_remembers_with_the_system_text_of_each_run(opencode_desk, model):
    model.script = WRITE
    events, before = run(opencode_desk, "Create hello.txt.", system="MARK-ONE")
    assert (opencode_desk.folder / "hello.txt").read_text() == "hello\n"
    step = [TextBlock, ToolCall, ToolResult, UsageReported]
    assert [type(event) for event in events] == [SessionStarted, *step, TextBlock, UsageReported, AnswerFinished]
    assert before.failure is None
    assert before.text == "I wrote hello.txt."
    assert before.native_id.startswith("ses_")
    assert (before.usage.input_tokens, before.usage.output_tokens) == (200, 40)
    assert before.cost_usd == pytest.approx(0.00028)

    model.script, prompt = echo, "/init which file?"
    changes = {"resume": before.native_id, "system": "MARK-TWO", "model": "suite/other-model"}
    events, after = run(opencode_desk, prompt, **changes)
    assert after.native_id == before.native_id
    assert not [event for event in events if isinstance(event, Warned)]
    assert after.usage.input_tokens == 100  # of this run
    last = model.requests[-1]
    assert (last.prompt, last.body["model"]) == (prompt, "other-model")
    assert "Create hello.txt." in str(last.body["messages"])
    assert "MARK-ONE" in model.requests[0].system
    assert "MARK-TWO" in last.system and "MARK-ONE" not in last.system


def test_a_session_that_is_gone_is_called_gone(opencode_desk, model):
    _, outcome = run(opencode_desk, "Go on.", resume="latest")
    assert outcome.failure.kind == FAILURES["opencode"]["session"]
    assert model.requests == []


@pytest.mark.parametrize(("status", "kind"), statuses("opencode"))
def test_a_refusal_of_the_service_is_named(opencode_desk, model, status, kind):
    model.always = Answer(error=status, text="scripted refusal")
    _, outcome = run(opencode_desk)
    assert outcome.failure.kind == kind
    assert outcome.text == ""


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (status, "Rate limit reached." if status == 429 else "scripted fault", kind)
        for status, kind in statuses("opencode", 429, 500)
    ],
)
def test_a_service_that_is_busy_is_asked_again_and_each_retry_is_told(opencode_desk, model, status, words, kind):
    """It would go on for ever; the watchdog ends it. What it said until then names the reason."""
    model.always = Answer(error=status, text=words)
    events, outcome = run(opencode_desk, stop_after=lambda: model.wait_for_requests(2, seconds=40))
    retries = [event for event in events if isinstance(event, Retrying)]
    assert (retries[0].attempt, retries[0].reason) == (1, words)
    assert outcome.failure.kind == kind


def test_a_connection_that_breaks_once_is_mended_by_the_cli(opencode_desk, model):
    model.script = echo
    model.faults.append(Answer(text="half a sentence that is cut off somewhere in it", cut=True))
    _, outcome = run(opencode_desk)
    assert outcome.failure is None
    assert outcome.text == "You said: Hello."


def test_a_terminated_run_is_stopped_not_crashed(opencode_desk, model):
    model.script = [Answer(text="late", delay_seconds=60)]
    _, outcome = run(opencode_desk, stop_after=lambda: model.wait_for_requests(1))
    assert outcome.failure.kind == FAILURES["opencode"]["stop"]


def test_a_prompt_of_300_kb_that_begins_with_a_dash_arrives_whole(opencode_desk, model):
    model.script = echo
    prompt = "--help " + "".join(f"word {number} " for number in range(30_000))
    _, outcome = run(opencode_desk, prompt)
    assert outcome.failure is None
    assert model.requests[0].prompt == prompt.strip()


def test_each_mode_leaves_out_what_would_ask_and_bypass_nothing(opencode_desk, model):
    """Also where the person's own settings allow everything."""
    seed_opencode(opencode_desk.home, model.url, permission={"edit": "allow", "bash": "allow"})
    outside = opencode_desk.home / "outside.txt"
    beyond = Answer(tools=(ToolUse(name="write", arguments={"path": str(outside), "content": "x"}),))
    model.script = [WRITE[0], beyond, shell("touch made"), Answer(text="Done.")]
    there = (opencode_desk.folder / "hello.txt", outside, opencode_desk.folder / "made")
    for mode, expected in (("ask", "000"), ("edit", "100"), ("bypass", "111")):  # in this order: files stay
        events, outcome = run(opencode_desk, "Create it.", permission_mode=mode)
        assert outcome.failure is None, (mode, outcome)
        assert "".join(str(int(path.exists())) for path in there) == expected, mode
        assert any(isinstance(each, Warned) and "cannot ask" in each.message for each in events) == (mode == "ask")


def test_what_the_person_has_denied_stays_denied(opencode_desk, model):
    seed_opencode(opencode_desk.home, model.url, permission={"edit": "deny", "bash": {"touch *": "allow"}})
    model.script = [WRITE[0], shell("touch made"), Answer(text="Done.")]
    run(opencode_desk, "Create it.")
    assert not (opencode_desk.folder / "hello.txt").exists()
    assert (opencode_desk.folder / "made").exists()  # they have allowed this very command


def test_no_tools_means_none_and_a_list_means_that_list_in_every_mode(opencode_desk, model):
    agent = {"build": {"permission": {"bash": "allow"}}}
    seed_opencode(opencode_desk.home, model.url, permission={"*": "allow", "bash": "allow"}, agent=agent)
    model.script = echo
    _, outcome = run(opencode_desk, allowed_tools=())
    assert outcome.failure is None
    assert model.requests == []  # it has asked, but with no tool at all
    run(opencode_desk, allowed_tools=("read", "glob"), permission_mode="bypass")
    assert set(model.requests[0].tools) == {"read", "glob"}


def test_tool_servers_of_the_run_work_and_one_that_does_not_start_is_told(opencode_desk, model):
    servers = (
        McpServer(name="cab", command=(sys.executable, TOOL_SERVER), environment={"CAB_TICKET": "secret-ticket"}),
        McpServer(name="broken", command=("/bin/false",)),
    )
    model.script = [Answer(tools=(ToolUse(name="cab_double", arguments={"word": "plum"}),)), Answer(text="Done.")]
    events, outcome = run(opencode_desk, mcp_servers=servers)
    assert outcome.failure is None
    assert [event.text for event in events if isinstance(event, ToolResult)] == ["plum plum secret-ticket"]
    assert [event.message for event in events if isinstance(event, Warned)] == [
        "These tool servers did not start: broken."
    ]


def test_its_login_is_read_from_files_and_variables(opencode_desk):
    assert Opencode().locate(opencode_desk.environment).login == "unknown"
    assert Opencode().locate(opencode_desk.environment).version
    (opencode_desk.home / ".config" / "opencode" / "opencode.json").unlink()
    assert Opencode().locate(opencode_desk.environment).login == "no"
    _, outcome = run(opencode_desk, model="anthropic/claude-sonnet-4-5")
    assert outcome.failure.kind == FAILURES["opencode"]["no login"]
