"""Guesses from the environment and a few files whether Gemini CLI is logged in. Starts no process.

It errs in favour of the person: "no" only if none of the known ways to log in was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GENAI_USE_VERTEXAI")
_FILES = ("oauth_creds.json", "gemini-credentials.json")
_SETTINGS = (".env", "settings.json")  # may name a key; they are not read


def folder(environment: Mapping[str, str]) -> Path:
    """Return the folder where Gemini CLI keeps its settings, login and sessions.

    It may not exist, and does not if the variables name no home.
    """
    home = environment.get("GEMINI_CLI_HOME") or environment.get("HOME") or "/nonexistent"
    return Path(home) / ".gemini"


def login_state(environment: Mapping[str, str]) -> Literal["yes", "no", "unknown"]:
    """Return whether there is a login, judging by variables and files; "unknown" if it may be elsewhere.

    "no": none of the known ways to log in was found. `environment`: the server's variables. Starts no process, and does
    not try the login.
    """
    place = folder(environment)
    if any(environment.get(name) for name in _VARIABLES) or any((place / name).is_file() for name in _FILES):
        return "yes"
    # a key may also be in the system's keyring, or in a file of the project
    return "unknown" if any((place / name).is_file() for name in _SETTINGS) else "no"


def state_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where Gemini CLI keeps conversations, settings and logins, whether or not these paths exist.

    A name that ends with `*` matches every name with that prefix.
    """
    return (folder(environment),)
