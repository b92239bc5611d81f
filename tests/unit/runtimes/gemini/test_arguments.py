"""What Gemini CLI's arguments contain, and what they never contain."""

from __future__ import annotations

import tomllib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.gemini.arguments import (
    ALLOW_PRIORITY,
    ASK_PRIORITY,
    DENY_PRIORITY,
    DENY_UNKNOWN_PRIORITY,
)
from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.port import Located
from jupyter_cabinet.runtimes.shared.session_ids import NO_SESSION

HERE = Located(path="/opt/gemini", version="0.61.0")
SESSION = "0f5a1d98-f9e4-42c4-b238-e49f327f51b7"
BASE = Request(prompt="Hi.", mode="terminal", cwd="/w", session_id=SESSION, run_directory="/run/x")


def launch(**changes):
    return Gemini().launch(HERE, msgspec.structs.replace(BASE, **changes))


@given(prompt=st.text(min_size=1, max_size=300), headless=st.booleans())
def test_no_text_of_a_person_becomes_an_option(prompt, headless):
    mode = "headless" if headless else "terminal"
    made, fixed = (launch(prompt=text, mode=mode) for text in (prompt, "plain"))
    assert all(argument.startswith("--") and "=" in argument for argument in made.argv[1:])
    if headless:
        assert made.argv == fixed.argv
        assert made.stdin.endswith(prompt.encode(errors="replace"))
    else:
        assert made.argv[:-1] == fixed.argv[:-1]
        text = made.argv[-1].removeprefix("--prompt-interactive=")
        assert text.rstrip(" ").endswith(prompt.replace("\0", "").rstrip(" "))
        assert not (text[0] in "'\"" and text[0] == text[-1])  # its parser would take them away


@pytest.mark.parametrize(("mode", "word"), [("ask", "default"), ("edit", "auto_edit"), ("bypass", "yolo")])
def test_the_permission_mode_is_always_given(mode, word):
    assert f"--approval-mode={word}" in launch(permission_mode=mode).argv


def test_a_session_is_chosen_or_resumed_never_both_and_its_transcript_is_named():
    assert f"--session-id={SESSION}" in launch().argv
    assert launch().transcript == "*/chats/session-*-0f5a1d98.jsonl"
    resumed = launch(resume="11111111-1111-4111-8111-111111111111")
    assert "--resume=11111111-1111-4111-8111-111111111111" in resumed.argv
    assert not any(argument.startswith("--session-id") for argument in resumed.argv)
    assert resumed.transcript == "*/chats/session-*-11111111.jsonl"
    assert f"--resume={NO_SESSION}" in launch(resume="latest").argv
    assert not launch(mode="headless").transcript


def test_a_list_of_tools_is_a_policy_that_denies_the_rest():
    made = launch(allowed_tools=("read_file", "glob"))
    assert "--policy=/run/x/tools.toml" in made.argv
    deny, allow = tomllib.loads(made.files[0].content.decode())["rule"]
    assert (deny["toolName"], deny["decision"]) == ("*", "deny")
    assert (allow["toolName"], allow["decision"]) == (["read_file", "glob"], "allow")
    assert allow["priority"] > deny["priority"]
    assert [rule["decision"] for rule in tomllib.loads(launch(allowed_tools=()).files[0].content.decode())["rule"]] == [
        "deny"
    ]
    assert not launch().files


def test_ask_first_asks_for_what_the_list_names_unless_it_only_reads():
    made = launch(allowed_tools=("read_file", "run_shell_command", "mine"), permission_mode="ask")
    rules = tomllib.loads(made.files[0].content.decode())["rule"]
    by_decision = {(rule["decision"], rule["priority"]): rule["toolName"] for rule in rules}
    assert by_decision["allow", ALLOW_PRIORITY] == ["read_file"]
    assert by_decision["ask_user", ASK_PRIORITY] == ["run_shell_command", "mine"]
    absent = next(rule for rule in rules if "write_file" in rule["toolName"])
    assert (absent["decision"], absent["priority"]) == ("deny", DENY_PRIORITY)
    assert "run_shell_command" not in absent["toolName"]
    # what a person allows for always (950) wins against the question, and brings no other tool back
    assert by_decision["deny", DENY_UNKNOWN_PRIORITY] == "*"
    assert DENY_UNKNOWN_PRIORITY < ASK_PRIORITY < 950 < DENY_PRIORITY
    none = tomllib.loads(launch(allowed_tools=(), permission_mode="ask").files[0].content.decode())["rule"]
    assert {rule["decision"] for rule in none} == {"deny"}


def test_a_long_prompt_or_a_system_text_goes_into_a_file_that_it_may_read():
    for changes in ({"prompt": "x" * 33_000}, {"system": "hidden"}):
        made = launch(**changes)
        assert made.files[0].path == "/run/x/prompt.md"
        assert "/run/x/prompt.md" in made.argv[-1]
        assert "--include-directories=/run/x" in made.argv
        assert "hidden" not in str(made.argv)


def test_without_an_instruction_the_cli_is_opened_without_one():
    assert not any("prompt" in argument for argument in launch(prompt="").argv)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "--x"},
        {"model": ""},
        {"allowed_tools": ("run_shell_command(git)",)},
        {"session_id": "-x"},
        {"mcp_servers": (McpServer(name="ab", command=("/bin/x",)),)},
    ],
)
def test_what_cannot_be_kept_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)


def test_a_model_is_given_as_it_is():
    assert "--model=gemini-3-pro" in launch(mode="headless", model="gemini-3-pro").argv
    assert not [argument for argument in launch(mode="headless").argv if argument.startswith("--model")]
