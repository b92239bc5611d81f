"""Whether Claude Code is logged in, as far as a look tells."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.runtimes.claude import login as claude_login
from jupyter_cabinet.runtimes.claude.login import login_state


@pytest.fixture(autouse=True)
def on_linux(monkeypatch):
    monkeypatch.setattr(claude_login.sys, "platform", "linux")


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK"])
def test_a_variable_is_a_way_in_unless_it_is_empty(name, tmp_path):
    assert login_state({"HOME": str(tmp_path), name: "1"}) == "yes"
    assert login_state({"HOME": str(tmp_path), name: ""}) == "no"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (".claude/.credentials.json", {}),
        (".claude/settings.json", {"apiKeyHelper": "/bin/key"}),
        (".claude.json", {"oauthAccount": {}}),
    ],
)
def test_a_file_of_the_cli_is_a_way_in(file, content, tmp_path):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    assert login_state({"HOME": str(tmp_path)}) == "yes"


def test_a_configured_folder_is_looked_at_instead_of_the_home(tmp_path):
    (tmp_path / ".claude.json").write_text('{"oauthAccount": {}}')
    other = tmp_path / "other"
    other.mkdir()
    environment = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(other)}
    assert login_state(environment) == "no"
    (other / ".claude.json").write_text('{"oauthAccount": {}}')
    assert login_state(environment) == "yes"


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_broken_file_says_nothing(content, tmp_path):
    (tmp_path / ".claude.json").write_text(content)
    assert login_state({"HOME": str(tmp_path)}) == "no"


def test_a_keychain_is_not_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(claude_login.sys, "platform", "darwin")
    assert login_state({"HOME": str(tmp_path)}) == "unknown"
