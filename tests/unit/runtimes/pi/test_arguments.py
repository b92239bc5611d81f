"""What pi's arguments contain, and what they never contain."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Dialogue, Located
from jupyter_cabinet.runtimes.shared.session_ids import NO_SESSION

HERE = Located(path="/opt/pi", version="0.87.1")
SESSION = "0f5a1d98-f9e4-42c4-b238-e49f327f51b7"
BASE = Request(
    prompt="Hi.", mode="terminal", cwd="/w", session_id=SESSION, run_directory="/run/x", hook_command=("/bin/hook", "x")
)


def launch(**changes):
    return Pi().launch(HERE, msgspec.structs.replace(BASE, **changes))


def settings(made):
    return json.loads(made.environment["JUPYTER_CABINET_PI"])


@given(prompt=st.text(min_size=1, max_size=300), mode=st.sampled_from(["terminal", "edit", "ask"]))
def test_no_text_of_a_person_becomes_an_option_or_a_file(prompt, mode):
    changes = {"mode": "terminal"} if mode == "terminal" else {"mode": "headless", "permission_mode": mode}
    made, fixed = (launch(prompt=text, **changes) for text in (prompt, "plain"))
    if mode == "terminal":
        assert made.argv[:-1] == fixed.argv[:-1]
        assert made.argv[-2] == "--"
        assert made.argv[-1].endswith(prompt.replace("\0", ""))
        assert not made.argv[-1].startswith("@")
        return
    assert made.argv == fixed.argv
    if mode == "edit":
        assert made.stdin.endswith(prompt.encode(errors="replace"))
    else:
        lines = [json.loads(line) for line in made.stdin.splitlines()]
        assert [line["type"] for line in lines] == ["get_state", "prompt"]
        assert lines[1]["message"].endswith(prompt)


def test_a_prompt_that_would_name_a_file_stands_behind_a_space():
    assert launch(prompt="@secrets.txt, what is in it?").argv[-2:] == ("--", " @secrets.txt, what is in it?")
    assert launch(prompt="Hi.").argv[-2:] == ("--", "Hi.")


def test_a_headless_prompt_comes_by_stdin_as_text_or_as_a_message():
    assert launch(mode="headless", permission_mode="edit").stdin == b"Hi."
    lines = [json.loads(line) for line in launch(mode="headless", permission_mode="ask").stdin.splitlines()]
    assert lines == [{"type": "get_state", "id": "state"}, {"type": "prompt", "id": "prompt", "message": "Hi."}]


def test_a_run_that_asks_speaks_the_protocol_with_answers():
    asking = launch(mode="headless", permission_mode="ask")
    assert asking.argv[1:3] == ("--mode", "rpc")
    assert asking.keep_stdin_open
    request = msgspec.structs.replace(BASE, mode="headless", permission_mode="ask")
    assert isinstance(Pi().conversation(request), Dialogue)
    other = launch(mode="headless")
    assert other.argv[1:4] == ("--print", "--mode", "json")
    assert not other.keep_stdin_open


@pytest.mark.parametrize("mode", ["ask", "edit", "bypass"])
def test_the_extension_that_keeps_the_mode_is_always_loaded(mode):
    for made in (launch(permission_mode=mode), launch(permission_mode=mode, mode="headless")):
        assert made.argv[made.argv.index("--extension") + 1].endswith("/runtimes/pi/extension.js")
        assert settings(made)["mode"] == mode
    assert settings(launch())["hook"] == ["/bin/hook", "x"]
    assert settings(launch(mode="headless"))["hook"] == []


def test_edit_mode_has_no_shell_unless_a_list_names_it():
    def tools(**changes):
        argv = launch(**changes).argv
        return argv[argv.index("--tools") + 1] if "--tools" in argv else None

    assert tools() == "read,grep,find,ls,edit,write"
    assert tools(allowed_tools=("read", "bash")) == "read,bash"
    assert tools(permission_mode="bypass") is None
    assert tools(permission_mode="ask") is None
    assert "--no-tools" in launch(allowed_tools=()).argv


def test_a_model_is_named_where_one_is_asked_for():
    argv = launch(model="anthropic/opus").argv
    assert argv[argv.index("--model") + 1] == "anthropic/opus"
    assert "--model" not in launch().argv


def test_a_session_is_chosen_or_resumed_never_both():
    def after(name, made):
        return made.argv[made.argv.index(name) + 1]

    assert after("--session-id", launch()) == SESSION
    resumed = launch(resume="11111111-1111-4111-8111-111111111111")
    assert after("--session", resumed) == "11111111-1111-4111-8111-111111111111"
    assert "--session-id" not in resumed.argv
    assert after("--session", launch(resume="0f5a1d98")) == NO_SESSION  # pi would take it for the beginning of an id


def test_a_system_text_and_a_long_prompt_go_into_files():
    made = launch(system="hidden", prompt="x" * 33_000)
    assert {file.path for file in made.files} == {"/run/x/system.md", "/run/x/prompt.md"}
    assert made.argv[made.argv.index("--append-system-prompt") + 1] == "/run/x/system.md"
    assert "/run/x/prompt.md" in made.argv[-1]
    assert "hidden" not in str(made.argv)


def test_without_an_instruction_the_cli_is_opened_without_one():
    assert "--" not in launch(prompt="").argv


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "--x"},
        {"model": ""},
        {"allowed_tools": ("bash,write",)},
        {"session_id": "-x"},
        {"mcp_servers": (McpServer(name="ab", command=("/bin/x",)),)},
        {"system": "x", "run_directory": ""},
    ],
)
def test_what_cannot_be_kept_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)
