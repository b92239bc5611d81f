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
    """Return the path of the person's own settings, if they exist."""
    if chosen := environment.get("OPENCLAW_CONFIG_PATH"):
        return Path(chosen)
    path = state_folder(environment) / "openclaw.json"
    return path if path.is_file() else None


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login. `environment`: the server's variables."""
    if any(environment.get(name) for name in PROVIDERS):
        return "yes"
    return "unknown" if settings_file(environment) else "no"  # it may contain a provider, or name a login


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where OpenClaw keeps its settings, logins and sessions."""
    home = environment.get("OPENCLAW_HOME") or environment.get("HOME") or "/nonexistent"
    return Path(environment.get("OPENCLAW_STATE_DIR") or Path(home) / ".openclaw")


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """See `port.KeepsState`."""
    settings = environment.get("OPENCLAW_CONFIG_PATH")
    return state_folder(environment), *((Path(f"{settings}*"),) if settings else ())
