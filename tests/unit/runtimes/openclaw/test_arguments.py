"""What OpenClaw's arguments and settings contain, and what they never contain."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.runtimes.model import McpServer, Request
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.port import Located

HERE = Located(path="/opt/openclaw", version="2026.9.6")
SESSION = "0f5a1d98-f9e4-42c4-b238-e49f327f51b7"
BASE = Request(prompt="Hi.", mode="headless", cwd="/w", session_id=SESSION, run_directory="/run/x")
SERVER = McpServer(name="cab", command=("/bin/x", "y"), environment={"TICKET": "hidden"})


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A person's home; nothing of this machine's."""
    for name in ("OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "OPENCLAW_INCLUDE_ROOTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def launch(**changes):
    return Openclaw().launch(HERE, msgspec.structs.replace(BASE, **changes))


def made(**changes):
    """The settings of the run."""
    (file,) = launch(**changes).files
    assert file.path == "/run/x/openclaw.json"
    return json.loads(file.content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(prompt=st.text(min_size=1, max_size=300))
def test_no_text_of_a_person_stands_in_an_argument(prompt):
    assert launch(prompt=prompt).argv == launch(prompt="plain").argv
    assert launch(prompt=prompt).stdin == prompt.encode(errors="replace")


def test_a_model_is_named_with_its_provider():
    assert "--model=anthropic/opus" in launch(model="anthropic/opus").argv
    assert not any(argument.startswith("--model") for argument in launch().argv)


def test_modes_take_tools_away():
    assert not launch(permission_mode="bypass").files
    assert not any("--config" in argument for argument in launch(permission_mode="bypass").argv)
    assert "--config=/run/x/openclaw.json" in launch().argv
    edit, ask = made()["tools"], made(permission_mode="ask")["tools"]
    assert "group:runtime" in edit["deny"] and "write" not in edit["deny"]
    assert edit["fs"] == {"workspaceOnly": True}
    assert {"write", "edit", "apply_patch", "group:runtime"} <= set(ask["deny"])
    assert made(allowed_tools=(), permission_mode="bypass")["tools"] == {"deny": ["*"]}


def test_the_persons_settings_are_included_and_their_folder_may_be_read(home, monkeypatch):
    assert "$include" not in made()
    (home / ".openclaw").mkdir()
    (home / ".openclaw" / "openclaw.json").write_text("{}")
    assert made()["$include"] == str(home / ".openclaw" / "openclaw.json")
    monkeypatch.setenv("OPENCLAW_INCLUDE_ROOTS", "/theirs")
    assert launch().environment == {"OPENCLAW_INCLUDE_ROOTS": f"{home / '.openclaw'}:/theirs"}
    assert launch(permission_mode="bypass").environment == {}
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", "/elsewhere/a.json5")
    assert made()["$include"] == "/elsewhere/a.json5"


def test_tool_servers_stand_in_the_settings_of_the_run_with_their_secrets():
    found = launch(mcp_servers=(SERVER,), permission_mode="bypass")
    assert "hidden" not in str((found.argv, found.environment))
    servers = json.loads(found.files[0].content)["mcp"]["servers"]
    assert servers["cab"] == {"command": "/bin/x", "args": ["y"], "env": {"TICKET": "hidden"}}


def test_a_system_text_stands_at_the_head_of_the_message():
    assert launch(system="Be brief.").stdin.startswith(b"# Standing instructions\n\nBe brief.")


@pytest.mark.parametrize(
    "changes",
    [
        {"mode": "terminal"},
        {"resume": "946b2d01-6989-4848-bd35-c07ef407dea0"},
        {"model": "gpt"},
        {"allowed_tools": ("read",)},
        {"mcp_servers": (McpServer(name="a b", command=("/bin/x",)),)},
        {"mcp_servers": (SERVER,), "allowed_tools": ()},
        {"run_directory": ""},
    ],
)
def test_what_cannot_be_kept_is_refused(changes):
    with pytest.raises(Invalid):
        launch(**changes)
