"""Whether Claude Code is logged in, as far as a look at the environment and two files tells. Starts nothing.

A guess in favour of the person: only where none of the known ways in is there the answer is "no".
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ...storage.foreign import read_object

_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_PROVIDERS = "CLAUDE_CODE_USE_"  # Bedrock, Vertex, Foundry: they have logins of their own
MAX_BYTES = 32 * 1024 * 1024  # ~/.claude.json keeps a history and grows


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """ "unknown" on macOS, whose keychain cannot be asked quietly."""
    if any(environment.get(name) for name in _VARIABLES):
        return "yes"
    if any(name.startswith(_PROVIDERS) and value for name, value in environment.items()):
        return "yes"
    home = Path(environment.get("HOME") or "/nonexistent")
    configured = environment.get("CLAUDE_CONFIG_DIR")
    folder = Path(configured) if configured else home / ".claude"
    if (folder / ".credentials.json").is_file():
        return "yes"
    if "apiKeyHelper" in read_object(folder / "settings.json", limit=MAX_BYTES):
        return "yes"
    account = read_object((folder if configured else home) / ".claude.json", limit=MAX_BYTES)
    if "oauthAccount" in account or "primaryApiKey" in account:
        return "yes"
    return "unknown" if sys.platform == "darwin" else "no"
