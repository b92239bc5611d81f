"""Guesses from the environment and two files whether Claude Code is logged in. Starts no process.

It errs in favour of the person: "no" only if none of the known ways to log in was found.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ...storage.filesystem.untrusted_files import read_object

_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_PROVIDERS = "CLAUDE_CODE_USE_"  # Bedrock, Vertex, Foundry: they have their own logins
MAX_BYTES = 32 * 1024 * 1024  # ~/.claude.json keeps a history and grows


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files. Starts no process, and does not try it.

    "no": none of the known ways to log in was found; "unknown" instead on macOS, whose keychain cannot be read without
    a dialog. `environment`: the server's variables.
    """
    if any(environment.get(name) for name in _VARIABLES):
        return "yes"
    if any(name.startswith(_PROVIDERS) and value for name, value in environment.items()):
        return "yes"
    home = Path(environment.get("HOME") or "/nonexistent")
    place = folder(environment)
    if (place / ".credentials.json").is_file():
        return "yes"
    if "apiKeyHelper" in read_object(place / "settings.json", limit=MAX_BYTES):
        return "yes"
    account = read_object((place if environment.get("CLAUDE_CONFIG_DIR") else home) / ".claude.json", limit=MAX_BYTES)
    if "oauthAccount" in account or "primaryApiKey" in account:
        return "yes"
    return "unknown" if sys.platform == "darwin" else "no"


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where Claude Code keeps its settings, login and sessions. It may not exist."""
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return Path(configured) if configured else Path(environment.get("HOME") or "/nonexistent") / ".claude"


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where Claude Code keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix. Backups of its file `.claude.json` lie next to it.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    account = folder(environment) if environment.get("CLAUDE_CONFIG_DIR") else home
    own = (home / ".local" / place / "claude" for place in ("share", "state"))
    return folder(environment), account / ".claude.json*", home / ".claude", *own
