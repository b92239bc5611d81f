"""Guesses from the environment and files whether opencode is logged in with a provider. Starts no process.

"no" does not mean that it cannot run: without a login it uses free models of its makers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ...storage.filesystem.untrusted_files import read_object

MAX_BYTES = 1 << 20

# Keys that it reads from the environment, for the best known of its many providers.
PROVIDERS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "XAI_API_KEY",
    "AZURE_API_KEY",
    "OPENCODE_API_KEY",
    "OPENCODE_AUTH_CONTENT",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "GITHUB_TOKEN",
)
_SETTINGS = ("opencode.json", "opencode.jsonc", "config.json")  # may contain a provider with its key


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where opencode keeps its login and its sessions. It may not exist."""
    home = environment.get("HOME") or "/nonexistent"
    return Path(environment.get("XDG_DATA_HOME") or Path(home) / ".local" / "share") / "opencode"


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files; "unknown" if it may be elsewhere.

    "no": none of the known ways to log in was found. `environment`: the server's variables. Starts no process, and does
    not try the login. It may work without a login, too.
    """
    logins = data_folder(environment) / "auth.json"
    if any(environment.get(name) for name in PROVIDERS) or read_object(logins, limit=MAX_BYTES):
        return "yes"
    return "unknown" if any(path.is_file() for path in _settings(environment)) else "no"


def _settings(environment: Mapping[str, str]) -> list[Path]:
    home = environment.get("HOME") or "/nonexistent"
    folder = Path(environment.get("XDG_CONFIG_HOME") or Path(home) / ".config") / "opencode"
    chosen = [Path(environment["OPENCODE_CONFIG"])] if environment.get("OPENCODE_CONFIG") else []
    return [*chosen, *(folder / name for name in _SETTINGS)]


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where opencode keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix. Its folders follow the XDG base directories; its
    database may be anywhere.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    bases = (("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state"), ("XDG_CACHE_HOME", ".cache"))
    folders = (Path(environment.get(name) or home / default) / "opencode" for name, default in bases)
    chosen = [environment[name] for name in ("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR") if environment.get(name)]
    database = environment.get("OPENCODE_DB")
    files = [Path(f"{database}*")] if database else []
    return data_folder(environment), *folders, home / ".opencode", *map(Path, chosen), *files
