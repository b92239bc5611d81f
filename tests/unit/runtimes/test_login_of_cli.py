"""Whether Codex, Gemini CLI and pi are logged in, as far as a look tells."""

from __future__ import annotations

import os

import pytest

from jupyter_cabinet.runtimes.claude import login as claude_login
from jupyter_cabinet.runtimes.codex import login as codex_login
from jupyter_cabinet.runtimes.gemini import login as gemini_login
from jupyter_cabinet.runtimes.openclaw import login as openclaw_login
from jupyter_cabinet.runtimes.opencode import login as opencode_login
from jupyter_cabinet.runtimes.pi import login as pi_login

PROVIDER = 'model_provider = "mine"\n[model_providers.mine]\nenv_key = "MY_KEY"\n'


@pytest.mark.parametrize(
    ("settings", "variables", "state"),
    [
        (None, {}, "no"),
        ("", {"CODEX_API_KEY": "k"}, "yes"),
        ("", {"OPENAI_API_KEY": "k"}, "no"),  # Codex takes it only for a provider that names it
        (PROVIDER, {}, "no"),
        (PROVIDER, {"MY_KEY": "k"}, "yes"),
        ('model_provider = "local"\n', {}, "unknown"),
        ('cli_auth_credentials_store = "keyring"\n', {}, "unknown"),
        ("not = [toml", {}, "no"),
    ],
)
def test_codex_is_logged_in_by_file_variable_or_provider(settings, variables, state, tmp_path):
    folder = tmp_path / ".codex"
    folder.mkdir()
    if settings is not None:
        (folder / "config.toml").write_text(settings)
    assert codex_login.login_state({"HOME": str(tmp_path), **variables}) == state
    (folder / "auth.json").write_text("{}")
    assert codex_login.login_state({"HOME": str(tmp_path), **variables}) in ("yes", state)
    assert codex_login.login_state({"HOME": "/nonexistent", "CODEX_HOME": str(folder)}) == codex_login.login_state(
        {"HOME": str(tmp_path)}
    )


def test_gemini_is_logged_in_by_variable_or_file(tmp_path):
    home = {"HOME": str(tmp_path)}
    assert gemini_login.login_state(home) == "no"
    assert gemini_login.login_state({**home, "GEMINI_API_KEY": "k"}) == "yes"
    assert gemini_login.login_state({**home, "GEMINI_API_KEY": ""}) == "no"
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "settings.json").write_text("{}")
    assert gemini_login.login_state(home) == "unknown"
    (tmp_path / ".gemini" / "oauth_creds.json").write_text("{}")
    assert gemini_login.login_state(home) == "yes"
    assert gemini_login.login_state({"HOME": "/nonexistent", "GEMINI_CLI_HOME": str(tmp_path)}) == "yes"


def test_pi_is_logged_in_by_variable_or_file(tmp_path):
    home = {"HOME": str(tmp_path)}
    assert pi_login.login_state(home) == "no"
    assert pi_login.login_state({**home, "OPENROUTER_API_KEY": "k"}) == "yes"
    assert pi_login.login_state({**home, "SOME_OTHER_API_KEY": "k", "OPENAI_BASE_URL": "u"}) == "no"
    place = tmp_path / ".pi" / "agent"
    place.mkdir(parents=True)
    (place / "auth.json").write_text("{}")
    assert pi_login.login_state(home) == "no"
    (place / "models.json").write_text('{"providers": {}}')
    assert pi_login.login_state(home) == "unknown"
    (place / "auth.json").write_text('{"anthropic": {}}')
    assert pi_login.login_state(home) == "yes"
    assert pi_login.login_state({"HOME": "/nonexistent", "PI_CODING_AGENT_DIR": str(place)}) == "yes"


def test_opencode_is_logged_in_by_variable_or_file(tmp_path):
    home = {"HOME": str(tmp_path)}
    assert opencode_login.login_state(home) == "no"
    assert opencode_login.login_state({**home, "OPENROUTER_API_KEY": "k"}) == "yes"
    (tmp_path / ".config" / "opencode").mkdir(parents=True)
    (tmp_path / ".config" / "opencode" / "opencode.json").write_text("{}")
    assert opencode_login.login_state(home) == "unknown"
    data = tmp_path / ".local" / "share" / "opencode"
    data.mkdir(parents=True)
    (data / "auth.json").write_text("{}")
    assert opencode_login.login_state(home) == "unknown"
    (data / "auth.json").write_text('{"anthropic": {"type": "api", "key": "k"}}')
    assert opencode_login.login_state(home) == "yes"
    assert opencode_login.login_state({"XDG_DATA_HOME": str(data.parent)}) == "yes"


def test_openclaw_has_a_provider_by_variable_or_settings(tmp_path):
    home = {"HOME": str(tmp_path)}
    assert openclaw_login.login_state(home) == "no"
    assert openclaw_login.login_state({**home, "OPENAI_API_KEY": "k"}) == "yes"
    (tmp_path / ".openclaw").mkdir()
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    assert openclaw_login.login_state(home) == "unknown"
    assert openclaw_login.login_state({"OPENCLAW_STATE_DIR": str(tmp_path / ".openclaw")}) == "unknown"


@pytest.mark.timeout(10)
@pytest.mark.parametrize("plant", ["pipe", "device", "deep", "no text", "list"])
def test_a_settings_file_that_cannot_be_read_hangs_nobody_and_says_nothing(tmp_path, plant):
    def put(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if plant == "pipe":
            os.mkfifo(path)
        elif plant == "device":
            path.symlink_to("/dev/zero")
        else:
            path.write_bytes({"deep": b"a = " + b"[" * 100_000, "no text": b"\xff\xfe", "list": b"[]"}[plant])

    for name in (".codex/config.toml", ".claude.json", ".claude/settings.json", ".local/share/opencode/auth.json"):
        put(tmp_path / name)
    home = {"HOME": str(tmp_path)}
    assert codex_login.login_state(home) == "no"
    assert claude_login.login_state(home) in ("no", "unknown")
    assert opencode_login.login_state(home) == "no"


def test_settings_that_people_link_from_elsewhere_are_read(tmp_path):
    (tmp_path / "dotfiles.json").write_text('{"oauthAccount": {}}')
    (tmp_path / ".claude.json").symlink_to(tmp_path / "dotfiles.json")
    assert claude_login.login_state({"HOME": str(tmp_path)}) == "yes"
