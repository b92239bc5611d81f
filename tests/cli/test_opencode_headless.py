"""The real opencode without a terminal, against the suite's model server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
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
from jupyter_cabinet.runtimes.opencode import Opencode
from jupyter_cabinet.testing.driving import run_headless
from jupyter_cabinet.testing.model_script import Answer, Asked, ToolUse

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


def echo(asked: Asked) -> Answer:
    return Answer(text=f"You said: {asked.prompt[:200]}")


def shell(command: str) -> Answer:
    return Answer(tools=(ToolUse(name="bash", arguments={"command": command, "description": "It needs it"}),))


def run(desk, prompt="Hello.", stop_after=None, **changes):
    return run_headless(Opencode(), desk.request(prompt, **changes), desk.environment, stop_after)


def test_it_writes_a_file_and_tells_every_step(opencode_desk, model):
    model.script = WRITE
    events, outcome = run(opencode_desk, "Create hello.txt.")
    assert (opencode_desk.folder / "hello.txt").read_text() == "hello\n"
    step = [TextBlock, ToolCall, ToolResult, UsageReported]
    assert [type(event) for event in events] == [SessionStarted, *step, TextBlock, UsageReported, AnswerFinished]
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id.startswith("ses_")
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)
    assert outcome.cost_usd == pytest.approx(0.00028)


def test_a_resumed_session_remembers_and_its_system_text_is_that_of_the_run(opencode_desk, model):
    model.script = echo
    _, before = run(opencode_desk, "The word is plum.", system="MARK-ONE")
    events, after = run(
        opencode_desk, "/init which word?", resume=before.native_id, system="MARK-TWO", model="suite/other-model"
    )
    assert after.native_id == before.native_id
    assert "The word is plum." in str(model.requests[-1].body["messages"])
    assert "MARK-ONE" in model.requests[0].system
    assert "MARK-TWO" in model.requests[-1].system and "MARK-ONE" not in model.requests[-1].system
    assert (model.requests[-1].prompt, model.requests[-1].body["model"]) == ("/init which word?", "other-model")
    assert not [event for event in events if isinstance(event, Warned)]
    assert after.usage == before.usage


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


@pytest.mark.parametrize(
    ("mode", "there"), [("ask", {"hello.txt": False, "made": False}), ("edit", {"hello.txt": True, "made": False})]
)
def test_without_a_terminal_a_mode_leaves_out_the_tools_that_would_ask(opencode_desk, model, mode, there):
    """Also where the person's own settings allow everything."""
    seed_opencode(opencode_desk.home, model.url, permission={"edit": "allow", "bash": "allow"})
    model.script = [WRITE[0], shell("touch made"), Answer(text="Done.")]
    events, outcome = run(opencode_desk, "Create it.", permission_mode=mode)
    assert outcome.failure is None
    assert {name: (opencode_desk.folder / name).exists() for name in there} == there
    assert any(isinstance(event, Warned) and "cannot ask" in event.message for event in events) == (mode == "ask")


def test_edit_mode_stays_in_the_folder_and_bypass_does_not(opencode_desk, model):
    outside = opencode_desk.home / "outside.txt"
    model.script = [
        Answer(tools=(ToolUse(name="write", arguments={"path": str(outside), "content": "x"}),)),
        shell("touch made"),
        Answer(text="Done."),
    ]
    _, outcome = run(opencode_desk, "Create it.")
    assert outcome.failure is None
    assert not outside.exists()
    _, outcome = run(opencode_desk, "Create it.", permission_mode="bypass")
    assert outcome.failure is None
    assert outside.exists() and (opencode_desk.folder / "made").exists()


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
