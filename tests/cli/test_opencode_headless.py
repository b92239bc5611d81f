"""The real opencode without a terminal, against the suite's model server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES

from jupyter_cabinet.runtimes.model import (
    McpServer,
    ToolResult,
    Warned,
)
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .clis import CLIS
from .homes import seed_opencode

pytestmark = pytest.mark.realcli

TOOL_SERVER = str(Path(__file__).with_name("tool_server.py"))
WRITE = CLIS["opencode"].writing


def shell(command: str) -> Answer:
    return Answer(tools=(ToolUse(name="bash", arguments={"command": command, "description": "It needs it"}),))


def run(desk, prompt="Hello.", stop_after=None, **changes):
    return run_headless(Opencode(), desk.request(prompt, **changes), desk.environment, stop_after)


def test_the_system_text_and_the_model_are_those_of_each_run_and_no_prompt_is_a_command(opencode_desk, model):
    model.script, prompt = echo, "/init which file?"
    _, before = run(opencode_desk, system="MARK-ONE")
    assert before.native_id.startswith("ses_")
    run(opencode_desk, prompt, resume=before.native_id, system="MARK-TWO", model="suite/other-model")
    first, last = model.requests[0], model.requests[-1]
    assert (last.prompt, last.body["model"]) == (prompt, "other-model")
    assert "MARK-ONE" in first.system
    assert "MARK-TWO" in last.system and "MARK-ONE" not in last.system


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
