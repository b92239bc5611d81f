"""Guesses from the environment and OpenClaw's files whether it has a provider. Starts no process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

PROVIDERS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "XAI_API_KEY",
)


def settings_file(environment: Mapping[str, str]) -> Path | None:
    """Return the path of the person's own settings; None if there are none.

    A path that OPENCLAW_CONFIG_PATH names is returned without a check.
    """
    if chosen := environment.get("OPENCLAW_CONFIG_PATH"):
        return Path(chosen)
    path = state_folder(environment) / "openclaw.json"
    return path if path.is_file() else None


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files; "unknown" if it may be elsewhere.

    "no": none of the known ways to log in was found. `environment`: the server's variables. Starts no process, and does
    not try the login.
    """
    if any(environment.get(name) for name in PROVIDERS):
        return "yes"
    return "unknown" if settings_file(environment) else "no"  # it may contain a provider, or name a login


def state_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where OpenClaw keeps its settings, logins and sessions. It may not exist."""
    home = environment.get("OPENCLAW_HOME") or environment.get("HOME") or "/nonexistent"
    return Path(environment.get("OPENCLAW_STATE_DIR") or Path(home) / ".openclaw")


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where OpenClaw keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix.
    """
    settings = environment.get("OPENCLAW_CONFIG_PATH")
    return state_folder(environment), *((Path(f"{settings}*"),) if settings else ())
