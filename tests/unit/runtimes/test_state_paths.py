"""Where the CLIs keep conversations, settings and logins: by default, and where variables put them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.adapter import Adapter
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.port import KeepsState
from jupyter_cabinet.runtimes.registry import Runtimes

DEFAULTS = {
    ".claude": "Claude Code",
    ".claude.json*": "Claude Code",
    ".codex": "Codex",
    ".gemini": "Gemini CLI",
    ".local/share/opencode": "opencode",
    ".config/opencode": "opencode",
    ".local/state/opencode": "opencode",
    ".pi": "pi",
    ".openclaw": "OpenClaw",
}
VARIABLES = {
    "CLAUDE_CONFIG_DIR": "/x/claude",
    "CODEX_HOME": "/x/codex",
    "CODEX_SQLITE_HOME": "/x/databases",
    "GEMINI_CLI_HOME": "/x/gemini",
    "XDG_DATA_HOME": "/x/data",
    "XDG_CONFIG_HOME": "/x/config",
    "XDG_STATE_HOME": "/x/state",
    "OPENCODE_CONFIG": "/x/opencode.json",
    "OPENCODE_CONFIG_DIR": "/x/opencode",
    "OPENCODE_DB": "/x/opencode.db",
    "PI_CODING_AGENT_DIR": "/x/pi",
    "PI_CODING_AGENT_SESSION_DIR": "/x/sessions",
    "OPENCLAW_STATE_DIR": "/x/openclaw",
    "OPENCLAW_CONFIG_PATH": "/x/openclaw.json",
}


def found(environment: Mapping[str, str]) -> dict[str, str]:
    return Runtimes(set(), {}, environment).state_paths()


def test_by_default_they_are_in_the_home_directory() -> None:
    assert {f"/home/ada/{path}": title for path, title in DEFAULTS.items()}.items() <= found(
        {"HOME": "/home/ada"}
    ).items()


def test_variables_put_them_elsewhere() -> None:
    expected = {"/x/gemini/.gemini", "/x/data/opencode", "/x/config/opencode", "/x/state/opencode"}
    expected |= {"/x/state/jupyter-cabinet/demo", "/x/claude/.claude.json*", "/x/opencode.db*", "/x/openclaw.json*"}
    moved = {"GEMINI_CLI_HOME", "OPENCODE_DB", "OPENCLAW_CONFIG_PATH"}
    expected |= {path for name, path in VARIABLES.items() if name not in moved and not name.startswith("XDG_")}
    assert expected <= found({"HOME": "/home/ada", **VARIABLES}).keys()


def test_an_adapter_that_says_nothing_or_fails_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(Adapter(), KeepsState) and Adapter().state_paths({}) == ()

    def broken(self: Claude, environment: Mapping[str, str]) -> tuple[Path, ...]:
        raise RuntimeError

    monkeypatch.setattr(Claude, "state_paths", broken)
    assert "/home/ada/.codex" in found({"HOME": "/home/ada"})
