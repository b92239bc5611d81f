"""What Codex's arguments contain, and what they never contain."""

from __future__ import annotations

import hashlib
import json
import shlex
import tomllib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.port import Located
from jupyter_cabinet.runtimes.shared.session_ids import NO_SESSION
from jupyter_cabinet.runtimes.shared.toml_text import toml

HERE = Located(path="/opt/codex", version="0.169.0")
SESSION = "01a1fbce-903f-7143-85d2-ae7ca122beac"
BASE = Request(prompt="Hi.", mode="terminal", cwd="/w", session_id="s1", run_directory="/run/x")


def launch(**changes):
    return Codex().launch(HERE, msgspec.structs.replace(BASE, **changes))


def overrides(argv):
    """The settings that come by `-c`."""
    found = {}
    for place, argument in enumerate(argv):
        if argument == "-c":
            name, _, value = argv[place + 1].partition("=")
            found[name] = tomllib.loads(f"value = {value}")["value"]
    return found


@given(prompt=st.text(min_size=1, max_size=300), headless=st.booleans(), resume=st.sampled_from([None, SESSION]))
def test_no_text_of_a_person_becomes_an_option(prompt, headless, resume):
    mode = "headless" if headless else "terminal"
    made, fixed = (launch(prompt=text, mode=mode, resume=resume) for text in (prompt, "plain"))
    assert len(made.argv) == len(fixed.argv)
    if headless:
        assert made.argv == fixed.argv
        assert made.argv[-1] == "-"
        assert made.stdin == prompt.encode(errors="replace")
    else:
        assert made.argv[:-1] == fixed.argv[:-1]
        assert "--" in made.argv[:-1]
        assert made.argv[-1].endswith(prompt.replace("\0", ""))


@given(st.text())
def test_any_text_is_the_same_after_toml(text):
    assert tomllib.loads(f"value = {toml(text)}")["value"] == text.encode(errors="replace").decode()


@given(
    st.recursive(
        st.text() | st.booleans() | st.integers(-(2**60), 2**60),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_value_is_the_same_after_toml(value):
    assert tomllib.loads(f"value = {toml(value)}")["value"] == value


def test_without_an_instruction_the_cli_is_opened_without_one():
    assert "--" not in launch(prompt="").argv
    assert launch(prompt="", resume=SESSION).argv[-2:] == ("--", SESSION)


@pytest.mark.parametrize(
    ("mode", "permission", "expected"),
    [
        ("terminal", "ask", ("-s", "read-only", "-a", "on-request")),
        ("terminal", "edit", ("-s", "workspace-write", "-a", "on-request")),
        ("headless", "ask", ("-s", "read-only")),
        ("headless", "edit", ("-s", "workspace-write")),
        ("headless", "bypass", ("--dangerously-bypass-approvals-and-sandbox",)),
    ],
)
def test_the_permission_mode_is_always_given(mode, permission, expected):
    argv = launch(mode=mode, permission_mode=permission).argv
    place = argv.index(expected[0])
    assert argv[place : place + len(expected)] == expected
    assert ("-a" in argv) == ("-a" in expected)


@pytest.mark.parametrize("mode", ["headless", "terminal"])
def test_a_session_that_is_no_uuid_is_one_that_codex_does_not_have(mode):
    assert launch(resume=SESSION, mode=mode).argv.count(SESSION) == 1
    assert NO_SESSION in launch(resume="ses_1", mode=mode).argv


def test_hooks_are_trusted_by_their_hash_and_run_the_given_program_whatever_its_name():
    argv = launch(hook_command=("/a b/python", "-I", "it's.py", "$(x)\x7fü")).argv
    hooks = overrides(argv)["hooks"]
    state = hooks.pop("state")
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop"} == set(hooks)
    handler = hooks["Stop"][0]["hooks"][0]
    assert shlex.split(handler["command"]) == ["/a b/python", "-I", "it's.py", "$(x)\x7fü"]
    identity = {"event_name": "stop", "hooks": [{**handler, "async": False}]}
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    trusted = f"sha256:{hashlib.sha256(canonical).hexdigest()}"
    assert state["/<session-flags>/config.toml:stop:0:0"] == {"trusted_hash": trusted}
    assert len(state) == len(hooks)
    assert "hooks" not in overrides(launch(hook_command=()).argv)


def test_a_tool_server_gets_its_environment_from_a_file():
    server = McpServer(name="cab", command=("/bin/x", "-v"), environment={"TICKET": "hidden"})
    made = launch(mcp_servers=(server,))
    assert "hidden" not in str(made.argv)
    given_server = overrides(made.argv)["mcp_servers.cab"]
    assert given_server["args"][-1] == made.files[0].path == "/run/x/tools-cab.json"
    assert json.loads(made.files[0].content) == {"command": ["/bin/x", "-v"], "environment": {"TICKET": "hidden"}}
    plain = launch(mcp_servers=(McpServer(name="cab", command=("/bin/x", "-v")),))
    assert not plain.files
    assert overrides(plain.argv)["mcp_servers.cab"]["command"] == "/bin/x"


def test_codex_waits_for_a_slow_tool_server_before_it_begins():
    server = McpServer(name="cab", command=("/bin/x",))
    assert overrides(launch(mcp_servers=(server,)).argv)["mcp_optional_startup_grace_ms"] == 0
    assert "mcp_optional_startup_grace_ms" not in overrides(launch().argv)


def test_a_long_prompt_or_a_system_text_goes_into_a_file():
    for changes in ({"prompt": "x" * 33_000}, {"system": "hidden"}):
        made = launch(**changes)
        assert made.files[0].path == "/run/x/prompt.md"
        assert "/run/x/prompt.md" in made.argv[-1]
        assert "hidden" not in str(made.argv)
    assert launch(mode="headless", system="More.").stdin.decode().startswith("# Standing instructions\n\nMore.")


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "--x"},
        {"model": ""},
        {"allowed_tools": ()},
        {"allowed_tools": ("Read",)},
        {"session_id": "-x"},
        {"mcp_servers": (McpServer(name="a.b", command=("/bin/x",)),)},
        {"mcp_servers": (McpServer(name="ab", command=()),)},
    ],
)
def test_what_cannot_be_kept_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)


def test_a_model_is_given_as_it_is():
    argv = launch(mode="headless", model="gpt-5.5-codex").argv
    assert argv[argv.index("-m") + 1] == "gpt-5.5-codex"
    assert "-m" not in launch(mode="headless").argv
