"""The real Codex without a terminal, against the suite's model server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness.driving import run_headless

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.model import (
    McpServer,
    ToolCall,
    ToolResult,
    Warned,
)
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse, echo

from .clis import CLIS

pytestmark = pytest.mark.realcli

TOOL_SERVER = Path(__file__).with_name("tool_server.py")


def shell(command: str) -> ToolUse:
    return ToolUse(name="exec_command", arguments={"cmd": command})


WRITE = CLIS["codex"].writing


def test_a_resumed_session_counts_its_tokens_once(codex_desk, model):
    model.script = echo
    _, before = run_headless(Codex(), codex_desk.request("The word is plum."), codex_desk.environment)
    changes = {"resume": before.native_id, "session_usage_before": before.session_usage}
    _, after = run_headless(Codex(), codex_desk.request("Which word?", **changes), codex_desk.environment)
    assert after.session_usage.input_tokens == 2 * before.session_usage.input_tokens
    assert after.usage == before.usage


def test_a_connection_that_breaks_again_is_named(codex_desk, model):
    model.always = Answer(text="half a sentence that is cut off somewhere in it", cut=True)
    _, outcome = run_headless(Codex(), codex_desk.request("Hello."), codex_desk.environment)
    assert outcome.failure.kind == "model_unavailable"


def test_ask_mode_without_a_terminal_may_only_read_and_says_so(codex_desk, model):
    model.script = WRITE
    request = codex_desk.request("Create it.", permission_mode="ask")
    events, _ = run_headless(Codex(), request, codex_desk.environment)
    assert not (codex_desk.folder / "hello.txt").exists()
    assert any(isinstance(event, Warned) and "may only read" in event.message for event in events)


def test_edit_mode_keeps_it_in_its_folder_and_bypass_does_not(codex_desk, model):
    outside = codex_desk.home / "outside.txt"
    model.script = [Answer(tools=(shell(f"echo x > {outside}"),))]
    run_headless(Codex(), codex_desk.request("Write."), codex_desk.environment)
    assert not outside.exists()
    run_headless(Codex(), codex_desk.request("Write.", permission_mode="bypass"), codex_desk.environment)
    assert outside.exists()


def test_a_list_of_tools_is_refused_before_the_start(codex_desk):
    for tools in ((), ("Read",)):
        with pytest.raises(Invalid, match="list of tools"):
            run_headless(Codex(), codex_desk.request("Hello.", allowed_tools=tools), codex_desk.environment)


def test_the_added_system_text_is_at_the_head_of_every_start_and_it_is_said(codex_desk, model):
    model.script = echo
    events, first = run_headless(Codex(), codex_desk.request("One.", system="MARK-ONE"), codex_desk.environment)
    assert any(isinstance(event, Warned) and "placed before the message" in event.message for event in events)
    request = codex_desk.request("Two.", resume=first.native_id, system="MARK-TWO")
    run_headless(Codex(), request, codex_desk.environment)
    assert [asked.prompt.partition("\n\n")[0] for asked in model.requests] == ["# Standing instructions"] * 2
    assert "MARK-TWO" in model.requests[1].prompt
    assert "MARK-ONE" not in model.requests[1].prompt


def use_double(asked: ModelRequest) -> Answer:
    tool = next((name for name in asked.tools if name.endswith("double")), "")
    call = ToolUse(name=tool, arguments={"word": "plum"})
    return Answer(tools=(call,)) if tool and asked.turn == 0 else Answer(text="Done.")


def test_a_tool_server_is_used_and_gets_its_environment(codex_desk, model):
    model.script = use_double
    server = McpServer(name="cab", command=(sys.executable, str(TOOL_SERVER)), environment={"CAB_TICKET": "o'ne"})
    request = codex_desk.request("Double it.", mcp_servers=(server,))
    events, outcome = run_headless(Codex(), request, codex_desk.environment)
    assert outcome.failure is None
    assert [event.tool for event in events if isinstance(event, ToolCall)] == ["mcp__cab__double"]
    assert [event.text for event in events if isinstance(event, ToolResult)] == ["plum plum o'ne"]


def test_a_broken_tool_server_is_told_and_the_run_goes_on(codex_desk, model):
    model.script = use_double
    server = McpServer(name="cab", command=("/nonexistent/program",))
    events, outcome = run_headless(
        Codex(), codex_desk.request("Double it.", mcp_servers=(server,)), codex_desk.environment
    )
    assert outcome.failure is None
    told = [event.message for event in events if isinstance(event, Warned)]
    assert told == ["A tool server could not be started by Codex: cab."]


def test_the_model_is_chosen(codex_desk, model):
    model.script = echo
    run_headless(Codex(), codex_desk.request("Hello.", model="another-model"), codex_desk.environment)
    assert model.requests[0].body["model"] == "another-model"


def test_the_version_is_found(codex_desk):
    located = Codex().locate(codex_desk.environment)
    assert located.version.count(".") == 2
    assert located.login == "yes"
