"""Guesses from the environment and two files whether Codex is logged in. Starts no process.

It errs in favour of the person: "no" only if none of the known ways to log in was found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from ...storage.filesystem import untrusted_files

MAX_BYTES = 1 << 20
OWN_PROVIDER = "openai"


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where Codex keeps its settings, login and sessions. It may not exist."""
    configured = environment.get("CODEX_HOME")
    return Path(configured) if configured else Path(environment.get("HOME") or "/nonexistent") / ".codex"


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files; "unknown" if it may be elsewhere.

    "no": none of the known ways to log in was found. `environment`: the server's variables. Starts no process, and does
    not try the login.
    """
    place = folder(environment)
    if environment.get("CODEX_API_KEY") or (place / "auth.json").is_file():
        return "yes"
    settings = _settings(place / "config.toml")
    provider = settings.get("model_provider", OWN_PROVIDER)
    if provider != OWN_PROVIDER:
        return _at_provider(settings, str(provider), environment)
    # the login may be in the system's keyring, which cannot be read without a dialog
    return "unknown" if settings.get("cli_auth_credentials_store") in ("keyring", "auto") else "no"


def _at_provider(
    settings: dict[str, Any], provider: str, environment: Mapping[str, str]
) -> Literal["yes", "no", "unknown"]:
    known = settings.get("model_providers")
    about = known.get(provider) if isinstance(known, dict) else None
    variable = about.get("env_key") if isinstance(about, dict) else None
    if not isinstance(variable, str):
        return "unknown"
    return "yes" if environment.get(variable) else "no"


def _settings(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(untrusted_files.read(path, limit=MAX_BYTES).decode())
    except (OSError, ValueError, RecursionError):
        return {}


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where Codex keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix.
    """
    databases = environment.get("CODEX_SQLITE_HOME")
    return folder(environment), *((Path(databases),) if databases else ())
