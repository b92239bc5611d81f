"""Guesses from the environment and a few files whether pi is logged in. Starts no process.

It errs in favour of the person: "no" only if none of the known ways to log in was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

# Keys and settings of the providers that pi knows (0.87.1); its own `models.json` may name other variables.
VARIABLES = (
    "ANTHROPIC_*",
    "ANT_LING_*",
    "OPENAI_*",
    "AZURE_OPENAI_*",
    "DEEPSEEK_*",
    "NVIDIA_*",
    "GEMINI_API_KEY",
    "GOOGLE_*",
    "COPILOT_GITHUB_TOKEN",
    "GROQ_*",
    "CEREBRAS_*",
    "XAI_*",
    "FIREWORKS_*",
    "TOGETHER_*",
    "BASETEN_*",
    "OPENROUTER_*",
    "AI_GATEWAY_*",
    "ZAI_*",
    "MISTRAL_*",
    "MINIMAX_*",
    "MOONSHOT_*",
    "OPENCODE_API_KEY",
    "RADIUS_API_KEY",
    "HF_TOKEN",
    "KIMI_*",
    "META_API_KEY",
    "CLOUDFLARE_*",
    "QWEN_*",
    "XIAOMI_*",
    "AWS_*",
)
_KEYS = ("_API_KEY", "_TOKEN", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "GOOGLE_APPLICATION_CREDENTIALS")
_NO_OBJECT = 4  # bytes: a shorter file contains only `{}`


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where pi keeps its settings, login and sessions. It may not exist."""
    chosen = environment.get("PI_CODING_AGENT_DIR")
    return Path(chosen) if chosen else Path(environment.get("HOME") or "/nonexistent") / ".pi" / "agent"


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files; "unknown" if it may be elsewhere.

    "no": none of the known ways to log in was found. `environment`: the server's variables. Starts no process, and does
    not try the login.
    """
    place = folder(environment)
    keys = [name for name, value in environment.items() if value and name.endswith(_KEYS) and _is_known(name)]
    if keys or _has_something(place / "auth.json"):
        return "yes"
    # a provider that the person has added, whose key may be anywhere, or not needed
    return "unknown" if _has_something(place / "models.json") else "no"


def _is_known(name: str) -> bool:
    return any(name.startswith(known[:-1]) if known.endswith("*") else name == known for known in VARIABLES)


def _has_something(file: Path) -> bool:
    try:
        return file.stat().st_size >= _NO_OBJECT
    except OSError:
        return False


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where pi keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix.
    """
    sessions = environment.get("PI_CODING_AGENT_SESSION_DIR")
    default = Path(environment.get("HOME") or "/nonexistent") / ".pi"
    return folder(environment), default, *((Path(sessions),) if sessions else ())
