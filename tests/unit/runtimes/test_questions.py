"""What each CLI asks for, out of recordings of the real ones in their terminals."""

from __future__ import annotations

import json

import pytest
from harness.questions import questions

from jupyter_cabinet.runtimes.acp.questions import asked_of as acp
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.codex.questions import asked_of as codex
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import QuestionAsked, Request
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.requested_actions import (
    AnyAction,
    Argument,
    Change,
    Choice,
    Command,
    Edit,
    Fetch,
    ToolUse,
)
from jupyter_cabinet.runtimes.shared.tool_table import CommandTool, asked_for, tool_use

RECORDED = questions()
RUNTIMES = {"claude": Claude, "codex": Codex, "opencode": Opencode, "pi": Pi}


def argument(name: str, value: object) -> Argument:
    if isinstance(value, str):
        return Argument(name=name, value=value)
    return Argument(name=name, value=json.dumps(value, separators=(",", ":")), is_json=True)


def asked(runtime, payload) -> QuestionAsked:
    request = Request(prompt="Do it.", mode="terminal", cwd="/workspace", session_id="s1", permission_mode="ask")
    events = runtime.conversation(request).feed("hook", json.dumps(payload).encode())
    return next(event for event in events if isinstance(event, QuestionAsked))


PATCH = "*** Begin Patch\n*** Add File: made.txt\n+hello\n*** Update File: old.txt\n@@\n-one\n+two\n*** End Patch"
DIFF = f"""Index: /workspace/made.txt
{"=" * 67}
--- /workspace/made.txt
+++ /workspace/made.txt
@@ -0,0 +1,1 @@
+hello
"""
WITH_REASON = ("claude-command", "codex-command")
ASKS: dict[str, AnyAction] = {
    "claude-command": Command(text="touch made.txt"),
    "claude-fetch": Fetch(url="https://example.org/a", more=(argument("prompt", "What is it?"),)),
    "claude-write": Edit(paths=("/workspace/made.txt",), changes=(Change(new="hello\n"),)),
    "codex-command": Command(text="touch ../made.txt"),
    "codex-patch": Edit(paths=("made.txt", "old.txt"), changes=(Change(diff=PATCH),)),
    "opencode-command": Command(text="touch made.txt"),
    "opencode-fetch": Fetch(url="https://example.org/a", more=(argument("format", "text"),)),
    "opencode-outside": ToolUse(tool="external_directory", paths=("/etc/hostname", "/etc")),
    "opencode-write": Edit(paths=("/workspace/made.txt",), changes=(Change(diff=DIFF),)),
    "pi-command": Command(text="touch made.txt"),
    "pi-edit": Edit(paths=("old.txt",), changes=(Change(old="one", new="two"),)),
    "pi-write": Edit(paths=("made.txt",), changes=(Change(new="hello\n"),)),
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_question_of_a_real_cli_asks_for(name):
    question = asked(RUNTIMES[name.partition("-")[0]](), RECORDED[name])
    assert question.asks == ASKS[name]
    assert question.why == ("It needs a file" if name in WITH_REASON else "")


def test_every_cli_that_asks_by_hooks_was_recorded():
    assert set(ASKS) == set(RECORDED)
    assert {name.partition("-")[0] for name in RECORDED} == set(RUNTIMES)


@pytest.mark.parametrize(
    ("arguments", "change", "more"),
    [
        ({"cell_id": "c1", "new_source": "x"}, Change(new="x", cell="c1"), ()),
        ({"cell_id": "c1", "new_source": "x", "edit_mode": "replace"}, Change(new="x", cell="c1"), ()),
        (
            {"cell_id": "c1", "new_source": "x", "edit_mode": "insert", "cell_type": "code"},
            Change(new="x", cell="c1", cell_mode="insert", cell_type="code"),
            (),
        ),
        ({"new_source": "x", "edit_mode": "insert"}, Change(new="x", cell_mode="insert"), ()),
        ({"cell_id": "c1", "new_source": "", "edit_mode": "delete"}, Change(cell="c1", cell_mode="delete"), ()),
        ({"new_source": "", "edit_mode": "delete"}, Change(), ("edit_mode",)),
        ({"cell_id": "c1", "new_source": "x", "edit_mode": 1}, Change(new="x"), ("cell_id", "edit_mode")),
        ({"new_source": "x"}, Change(new="x"), ()),
    ],
)
def test_what_is_done_with_which_cell_is_named(arguments, change, more):
    payload = {"hook_event_name": "PermissionRequest", "tool_name": "NotebookEdit"}
    question = asked(Demo(), {**payload, "tool_input": {"file_path": "a.ipynb", **arguments}})
    assert question.asks.changes == (change,)
    assert tuple(each.name for each in question.asks.more) == more


def test_gemini_asks_in_its_terminal_alone_and_does_not_say_for_what():
    conversation = Gemini().conversation(Request(prompt="Do it.", mode="terminal", cwd="/w", session_id="s1"))
    conversation.feed("screen", b"\x1b]0;\xe2\x9c\xa6  Working\xe2\x80\xa6 (w)\x07 > \x1b[1;4H")
    events = conversation.feed("screen", "\x1b]0;✋  Action Required (w)\x07".encode())
    (question,) = [event for event in events if isinstance(event, QuestionAsked)]
    assert (question.asks, question.options) == (Choice(), ())


@pytest.mark.parametrize(
    ("known", "asks"),
    [
        (
            {"kind": "execute", "rawInput": {"command": ["ls", "-l"], "cwd": "/w"}},
            Command(argv=("ls", "-l"), cwd="/w"),
        ),
        ({"kind": "execute", "title": "ls -l"}, Command(text="ls -l", is_title=True)),
        ({"kind": "fetch", "rawInput": {"url": "https://x.org"}}, Fetch(url="https://x.org")),
        ({"kind": "edit", "locations": [{"path": "a"}]}, Edit(paths=("a",))),
        ({"kind": "edit", "title": "?"}, ToolUse(tool="edit", arguments=(argument("title", "?"),))),
        (
            {"kind": "delete", "locations": [{"path": "a"}], "rawInput": {"path": "a", "force": True}},
            ToolUse(tool="delete", paths=("a",), arguments=(argument("force", True), argument("path", "a"))),
        ),
        (
            {"kind": "move", "locations": [{"path": "a"}, {"path": "b"}], "rawInput": {"src": "b", "dst": "a"}},
            ToolUse(tool="move", paths=("a", "b"), arguments=(argument("dst", "a"), argument("src", "b"))),
        ),
        (
            {"kind": "edit", "locations": [{"path": "a"}, {"path": "b"}], "rawInput": {"from": "b", "to": "a"}},
            Edit(paths=("a", "b"), more=(argument("from", "b"), argument("to", "a"))),
        ),
        (
            {"kind": "edit", "rawInput": {"file_path": "a", "content": "text", "mode": 1}},
            Edit(paths=("a",), changes=(Change(new="text"),), more=(argument("mode", 1),)),
        ),
        (
            {"kind": "edit", "locations": [{"path": "/w/a"}], "rawInput": {"oldText": "one", "newText": "two"}},
            Edit(paths=("/w/a",), changes=(Change(old="one", new="two"),)),
        ),
        (
            {"kind": "edit", "locations": [{"path": "a"}], "rawInput": {"path": "b", "diff": "-one\n+two"}},
            Edit(paths=("a", "b"), changes=(Change(diff="-one\n+two"),)),
        ),
        (
            {"kind": "edit", "rawInput": {"path": "a", "edits": [{"old_string": "1", "new_string": "2"}]}},
            Edit(paths=("a",), changes=(Change(old="1", new="2"),)),
        ),
        (
            {"kind": "edit", "rawInput": {"path": "a", "edits": [{"old_string": "1"}]}},
            Edit(paths=("a",), more=(argument("edits", [{"old_string": "1"}]),)),
        ),
        (
            {"kind": "edit", "rawInput": {"path": "a", "file_path": "b", "content": "text"}},
            ToolUse(
                tool="edit", arguments=(argument("content", "text"), argument("file_path", "b"), argument("path", "a"))
            ),
        ),
        ({"kind": "read", "rawInput": {"path": "a"}}, ToolUse(tool="read", paths=("a",))),
        (
            {"kind": "execute", "name": "mcp__cab__run", "rawInput": {"command": "ls"}},
            ToolUse(tool="run", server="cab", arguments=(argument("command", "ls"),)),
        ),
    ],
)
def test_an_acp_agents_question_is_read_by_the_protocol(known, asks):
    assert acp(known, ("cab",)) == asks


def test_what_a_tool_that_is_not_known_calls_a_reason_is_shown_with_its_arguments():
    issue = {"title": "A", "description": "one", "justification": "two"}
    asks = tool_use("mcp__gh__create_issue", issue)
    assert [each.name for each in asks.arguments] == ["description", "justification", "title"]
    assert asks != tool_use("mcp__gh__create_issue", {**issue, "description": "other"})
    command = asked_for({"Bash": CommandTool()}, "Bash", {"command": "ls", **issue})
    assert [each.name for each in command.more] == ["justification", "title"]  # the first is its reason


@pytest.mark.parametrize(
    ("patch", "paths"),
    [
        ("*** Begin Patch\n*** Add File: a.md\n+x\n*** End Patch", ["a.md"]),
        ("*** Add File: a.md\n+x\n *** Delete File: secret/key", ["a.md", "secret/key"]),
        ("*** Add File: a.md\n+x\n\t*** Update File: ../outside.sh\n*** Move to: b", ["a.md", "../outside.sh", "b"]),
        ("*** Add File: a.md\r*** Delete File: b", ["a.md", "b"]),
        ("*** Update File: a.md\n@@\n-x\n+*** y\n*** End of File", ["a.md"]),
    ],
)
def test_every_file_that_a_patch_of_codex_names_is_asked_for(patch, paths):
    assert codex("apply_patch", {"command": patch}).paths == tuple(paths)


@pytest.mark.parametrize("line", ["*** Environment ID: x", "***  Delete File: b", "*** delete file: b", "***"])
def test_a_patch_of_codex_with_a_line_that_is_not_known_is_asked_for_as_a_tool(line):
    patch = f"*** Begin Patch\n*** Add File: a.md\n+x\n{line}\n*** End Patch"
    assert codex("apply_patch", {"command": patch}) == ToolUse(
        tool="apply_patch", arguments=(argument("command", patch),)
    )
