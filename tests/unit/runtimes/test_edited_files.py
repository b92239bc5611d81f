"""Which files a run has changed, from what the real CLIs have said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_cabinet.runtimes.edited_files import action_of, edited_files, may_change_anything, reports_its_calls
from jupyter_cabinet.runtimes.model import AnyAgentEvent, ToolCall
from jupyter_cabinet.runtimes.requested_actions import Argument, Change, Command, Edit, ToolUse

GOLDEN = Path(__file__).parents[2] / "fixtures" / "golden"


def calls(file: str) -> list[ToolCall]:
    events = msgspec.convert(json.loads((GOLDEN / file).read_text())["events"], list[AnyAgentEvent])
    return [event for event in events if isinstance(event, ToolCall)]


@pytest.mark.parametrize(
    ("runtime", "file"),
    [
        ("claude", "claude/stream-json.json"),
        ("gemini", "gemini/stream-json.json"),
        ("opencode", "opencode/run-json.json"),
        ("pi", "pi/mode-json.json"),
        ("acp-claude", "acp/claude-agent-acp-0_100_0_0.json"),
        ("acp-gemini", "acp/gemini-0_61_0_0.json"),
        ("acp-opencode", "acp/opencode-1_18_33_0.json"),
        ("acp-pi", "acp/pi-acp-0_0_34_0.json"),
    ],
)
def test_the_file_that_a_cli_has_written_is_named(runtime: str, file: str) -> None:
    assert {path for call in calls(file) for path in edited_files(runtime, call)} == {"/workspace/hello.txt"}


def call(tool: str, **given: Any) -> ToolCall:
    return ToolCall(call_id="1", tool=tool, input=given)


def test_a_patch_of_codex_names_all_its_files() -> None:
    assert edited_files("codex", call("apply_patch", paths=["a.txt", "b, c.txt"])) == ("a.txt", "b, c.txt")


@pytest.mark.parametrize(
    ("runtime", "asked"),
    [
        ("claude", call("Read", file_path="a")),
        ("claude", call("Write")),
        ("claude", call("Write", file_path=5)),
        ("claude", call("edit", path="a")),
        ("codex", call("Bash", command="rm a", path="a")),
        ("codex", call("apply_patch", paths=["", 5])),
        ("codex", call("apply_patch", paths="a")),
        ("codex", call("apply_patch")),
        ("acp-codex", call("exec_command", command="rm a", path="a")),
        ("somebody-elses", call("Write", file_path="a")),
    ],
)
def test_of_other_calls_nothing_is_known(runtime: str, asked: ToolCall) -> None:
    assert edited_files(runtime, asked) == ()


@pytest.mark.parametrize(
    ("runtime", "asked"),
    [
        ("claude", call("Bash", command="ls")),
        ("claude", call("Write")),  # it does not say which
        ("claude", call("mcp__files__move", path="a")),
        ("codex", call("Bash", command="ls")),
        ("gemini", call("run_shell_command", command="ls")),
        ("somebody-elses", call("Read", file_path="a")),
    ],
)
def test_a_command_and_an_unknown_tool_may_change_any_file(runtime: str, asked: ToolCall) -> None:
    assert may_change_anything(runtime, asked)


@pytest.mark.parametrize(
    ("runtime", "asked"),
    [
        ("claude", call("Read", file_path="a")),
        ("claude", call("Write", file_path="a")),
        ("claude", call("WebFetch", url="a")),
        ("codex", call("apply_patch", paths=["a.txt"])),
        ("gemini", call("grep_search", pattern="a")),
        ("opencode", call("read", filePath="a")),
        ("pi", call("ls", path="a")),
    ],
)
def test_who_only_reads_or_names_what_it_edits_changes_nothing_else(runtime: str, asked: ToolCall) -> None:
    assert not may_change_anything(runtime, asked)


def test_of_an_unknown_cli_it_is_not_known_whether_it_reports() -> None:
    assert reports_its_calls("codex") and reports_its_calls("demo")
    assert not reports_its_calls("openclaw") and not reports_its_calls("acp-mine")


@pytest.mark.parametrize(
    ("runtime", "tool", "arguments", "action"),
    [
        ("codex", "Bash", {"command": "ls"}, Command(text="ls")),
        ("gemini", "run_shell_command", {"command": "ls"}, Command(text="ls")),
        ("opencode", "bash", {"command": "ls", "description": "Lists"}, Command(text="ls")),
        ("pi", "bash", {"command": "ls"}, Command(text="ls")),
        (
            "gemini",
            "replace",
            {"file_path": "a.md", "old_string": "x", "new_string": "y"},
            Edit(paths=("a.md",), changes=(Change(old="x", new="y"),)),
        ),
        (
            "opencode",
            "write",
            {"filePath": "a.md", "content": "y"},
            Edit(paths=("a.md",), changes=(Change(new="y"),)),
        ),
        (
            "codex",
            "apply_patch",
            {"paths": ["a", "b"], "patch": "*** Begin Patch"},
            Edit(paths=("a", "b"), changes=(Change(diff="*** Begin Patch"),)),
        ),
        ("codex", "apply_patch", {"paths": ["a"]}, Edit(paths=("a",))),
        ("gemini", "unknown", {"x": "1"}, ToolUse(tool="unknown", arguments=(Argument(name="x", value="1"),))),
        ("nobody", "bash", {}, ToolUse(tool="bash")),
    ],
)
def test_a_call_is_described_as_its_action(runtime, tool, arguments, action):
    assert action_of(runtime, ToolCall(call_id="1", tool=tool, input=arguments)) == action


def test_the_tools_in_stored_sessions_of_openclaw_are_known() -> None:
    assert edited_files("openclaw", call("write", path="a.txt", content="x")) == ("a.txt",)
    assert action_of("openclaw", call("exec", command="ls", workdir="/tmp")) == Command(text="ls", cwd="/tmp")
    assert not may_change_anything("openclaw", call("read", path="a.txt"))
    assert may_change_anything("openclaw", call("bash", command="ls"))
