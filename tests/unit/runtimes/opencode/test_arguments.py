"""What opencode's arguments and settings contain, and what they never contain."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.opencode.arguments import NO_SESSION
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.port import Located

HERE = Located(path="/opt/opencode", version="1.18.33")
SESSION = "0f5a1d98-f9e4-42c4-b238-e49f327f51b7"
HOOK = ("/usr/bin/python3", "hook.py", "/run/x")
BASE = Request(prompt="Hi.", mode="terminal", cwd="/w", session_id=SESSION, run_directory="/run/x", hook_command=HOOK)


def launch(**changes):
    return Opencode().launch(HERE, msgspec.structs.replace(BASE, **changes))


def settings(**changes):
    return json.loads(launch(**changes).environment["OPENCODE_CONFIG_CONTENT"])


def told(**changes):
    """What the plugin is given."""
    return settings(**changes)["plugin"][0][1]


@given(prompt=st.text(min_size=1, max_size=300), headless=st.booleans())
def test_no_text_of_a_person_becomes_an_option(prompt, headless):
    mode = "headless" if headless else "terminal"
    made, fixed = (launch(prompt=text, mode=mode) for text in (prompt, "plain"))
    assert made.environment == fixed.environment
    if headless:
        assert made.argv == fixed.argv == ("/opt/opencode", "run", "--format=json")
        assert made.stdin == prompt.encode(errors="replace")
    else:
        assert made.argv[:-1] == fixed.argv[:-1]
        assert made.argv[-1].startswith("--prompt=")
        assert made.argv[-1].endswith(prompt.replace("\0", ""))


def test_the_plugin_exists_and_tells_hooks_in_a_terminal_and_lines_without_one():
    path, given_to_it = settings()["plugin"][0]
    assert Path(path.removeprefix("file://")).is_file()
    assert given_to_it["hook"] == list(HOOK)
    assert "lines" not in given_to_it
    assert told(mode="headless")["lines"] is True
    assert "hook" not in told(mode="headless")


def test_modes_are_rules_that_ask_in_a_terminal_and_deny_without_one():
    assert told()["rules"]["edit"] == "allow"
    assert told()["rules"]["bash"] == "ask"
    assert told(mode="headless")["rules"]["bash"] == "deny"
    assert told(permission_mode="ask")["rules"]["edit"] == "ask"
    assert told(permission_mode="ask", mode="headless")["rules"]["edit"] == "deny"
    assert told(permission_mode="bypass")["rules"] == {}
    assert "--auto" in launch(permission_mode="bypass").argv
    assert told(permission_mode="bypass")["auto"] is True
    assert "auto" not in told(permission_mode="edit")
    assert not any("--auto" in launch(permission_mode=mode).argv for mode in ("ask", "edit"))


def test_a_list_of_tools_denies_the_rest_and_only_ask_first_asks_for_what_it_names():
    made = told(allowed_tools=("read", "bash"))
    assert made["only"] is True
    assert (made["rules"]["read"], made["rules"]["bash"]) == ("allow", "allow")
    assert told(allowed_tools=("read", "bash"), permission_mode="ask")["rules"]["bash"] == "ask"
    assert told(allowed_tools=("bash",), permission_mode="ask", mode="headless")["rules"]["bash"] == "deny"
    assert "edit" not in made["rules"]
    assert told(allowed_tools=())["only"] is True
    assert told()["only"] is False


@pytest.mark.parametrize("mode", ["ask", "edit", "bypass"])
def test_a_tool_server_of_the_run_is_there_beside_whatever_list_of_tools_and_asks_nobody(mode):
    server = McpServer(name="cab", command=("/bin/x",))
    for tools in ((), ("read",), None):
        assert told(allowed_tools=tools, permission_mode=mode, mcp_servers=(server,))["rules"]["cab_*"] == "allow"


def test_a_session_of_another_cli_is_none_of_its_own():
    assert "--session=ses_abc1" in launch(resume="ses_abc1").argv
    assert f"--session={NO_SESSION}" in launch(resume="latest").argv


def test_system_text_and_secrets_of_tool_servers_stand_in_files():
    server = McpServer(name="cab", command=("/bin/x", "y"), environment={"TICKET": "hidden"})
    made = launch(system="hidden", mcp_servers=(server, McpServer(name="plain", command=("/bin/z",))))
    assert "hidden" not in str((made.argv, made.environment))
    assert {file.path for file in made.files} == {"/run/x/system.md", "/run/x/tools-cab.json"}
    found = json.loads(made.environment["OPENCODE_CONFIG_CONTENT"])
    assert found["instructions"] == ["/run/x/system.md"]
    assert found["mcp"]["cab"]["command"][-1] == "/run/x/tools-cab.json"
    assert found["mcp"]["plain"]["command"] == ["/bin/z"]
    assert found["plugin"][0][1]["rules"]["cab_*"] == "allow"


def test_a_long_prompt_goes_into_a_file_that_it_may_read():
    made = launch(prompt="x" * 33_000)
    assert made.files[0].path == "/run/x/prompt.md"
    assert "/run/x/prompt.md" in made.argv[-1]
    assert told(prompt="x" * 33_000)["rules"]["external_directory"]["/run/x/*"] == "allow"


def test_the_first_instruction_for_a_session_that_goes_on_is_handed_over_by_the_plugin():
    made = launch(resume="ses_1", model="a/b/c")
    assert made.argv == ("/opt/opencode", "--model=a/b/c", "--session=ses_1")
    assert [(file.path, file.content) for file in made.files] == [("/run/x/prompt.md", b"Hi.")]
    assert told(resume="ses_1", model="a/b/c")["first"] == {
        "session": "ses_1",
        "file": "/run/x/prompt.md",
        "model": {"providerID": "a", "modelID": "b/c"},
    }
    assert not any("first" in told(**changes) for changes in ({}, {"resume": "ses_1", "prompt": ""}))
    assert "first" not in told(resume="ses_1", mode="headless")


def test_without_an_instruction_the_cli_is_opened_without_one():
    assert launch(prompt="").argv == ("/opt/opencode",)


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "gpt"},
        {"model": ""},
        {"allowed_tools": ("bash(git *)",)},
        {"allowed_tools": ("write",)},
        {"mcp_servers": (McpServer(name="a b", command=("/bin/x",)),)},
        {"mcp_servers": (McpServer(name="ab", command=()),)},
        {"resume": "../x"},
        {"run_directory": "", "system": "s"},
    ],
)
def test_what_cannot_be_kept_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)
