"""What the demo agent's arguments contain, and what it does not support."""

from __future__ import annotations

import json

import msgspec
import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.demo.arguments import check, headless, interactive
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.shared.run_files import RunFiles

BASE = Request(prompt="append: Hi.", mode="terminal", cwd="/w", session_id="s1", run_directory="/run/x")


def request(**changes: object) -> Request:
    return msgspec.structs.replace(BASE, **changes)


def opened(**changes: object) -> list[str]:
    made = request(**changes)
    return interactive(made, RunFiles(made))


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"model": "opus"}, "model", "has no model"),
        ({"mcp_servers": (McpServer(name="notes", command=("/bin/x",)),)}, "mcp_servers", "cannot use tool servers"),
    ],
)
def test_what_it_does_not_have_is_refused(changes, field, words):
    with pytest.raises(Invalid, match=words) as refused:
        check(request(**changes))
    assert refused.value.detail == {"field": field}
    check(BASE)


def test_who_can_be_asked_answers_over_stdin():
    argv = ["--session-id", "s1", "--permission-mode", "manual", "--print"]
    assert headless(request(permission_mode="ask"), asks=True) == [*argv, "--input-format=stream-json"]
    assert headless(request(permission_mode="ask"), asks=False) == argv


def test_a_session_is_chosen_or_resumed_and_tools_are_one_argument():
    argv = headless(request(resume="s0", allowed_tools=("Read", "Write")), asks=False)
    assert argv == ["--resume", "s0", "--permission-mode", "acceptEdits", "--tools=Read,Write", "--print"]
    assert "--tools=" in headless(request(allowed_tools=()), asks=False)


def test_in_a_terminal_the_instruction_stands_behind_all_options():
    argv = opened(prompt="--hook=evil", hook_command=("/bin/a b", "c"))
    assert argv[-3:] == [f"--hook={json.dumps(['/bin/a b', 'c'])}", "--", "--hook=evil"]
    assert opened(prompt="")[-1] == "--hook=[]"


def test_a_long_instruction_stands_in_a_file():
    made = request(prompt="x" * 40_000)
    files = RunFiles(made)
    assert interactive(made, files)[-1] == "--prompt-file=/run/x/prompt.md"
    assert [file.content for file in files.all()] == [b"x" * 40_000]
