"""Selects the variables of the server's environment for a child process: an allow-list. Pure.

Called by `runs/` and `terminals/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

# A trailing `*` stands for any ending.
ALLOWED = (
    "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TERM", "XDG_*",
    "SSL_CERT_*", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "VIRTUAL_ENV", "CONDA_*",
)  # fmt: skip

# These are removed even if requested: they give power over this server.
FORBIDDEN = ("JUPYTER*_TOKEN", "JUPYTER*_COOKIE*", "JUPYTERHUB_*", "JPY_*")

# Variables that the agent CLIs put into their own tools' environment (observed November 2026, see `docs/`): inherited,
# they would tie a run to the session that happened to start the server.
STRIPPED = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_EXECPATH",
    "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_PID", "CLAUDE_EFFORT", "AI_AGENT",
    "CODEX_CI", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_MANAGED_*",
    "CODEX_VERSION", "CODEX_APPLY_PATCH_*",
    "GEMINI_CLI", "OPENCODE", "OPENCODE_PID", "AGENT",
    "PI_CODING_AGENT", "PI_MODEL", "PI_PROVIDER", "PI_REASONING_LEVEL", "PI_SESSION_FILE", "PI_SESSION_ID",
    "OPENCLAW_CLI", "OPENCLAW_SHELL", "OPENCLAW_PATH_BOOTSTRAPPED", "OPENCLAW_NODE_OPTIONS_READY",
    "npm_config_user_agent", "NODE_OPTIONS",
)  # fmt: skip

# The type of the browser's emulator.
PROGRAM_TERMINAL = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "FORCE_COLOR": "3"}


def build_environment(source: Mapping[str, str], *, keep: Iterable[str], add: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a child: what `ALLOWED` and `keep` name in `source`, and `add`. All else is left out.

    `source`: the server's own. `keep`: further names that a runtime needs, a trailing `*` stands for any ending. `add`:
    our own values, used unchanged except for those that give power over the server, which are left out.
    """
    allowed = (*ALLOWED, *keep)
    kept = {name: value for name, value in source.items() if _matches(name, allowed)}
    refused = (*FORBIDDEN, *STRIPPED)
    inherited = {name: value for name, value in kept.items() if not _matches(name, refused)}
    ours = {name: value for name, value in add.items() if not _matches(name, FORBIDDEN)}
    return {**inherited, **ours}


def shell_environment(source: Mapping[str, str], *, secrets: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment for a person's own shell: the server's, without variables with power over the server.

    `secrets`: texts that no value may contain, whatever its name; such variables are left out.
    """
    refused = (*FORBIDDEN, *STRIPPED)
    hidden = [text for text in secrets if text]
    kept = {name: value for name, value in source.items() if not _matches(name, refused)}
    return {name: value for name, value in kept.items() if not any(text in value for text in hidden)}


def terminal_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a program in one of our PTYs: `environment`, the terminal's type, a UTF-8 locale."""
    result = {**environment, **PROGRAM_TERMINAL}
    locale = result.get("LC_ALL") or result.get("LC_CTYPE") or result.get("LANG") or ""
    if "utf-8" not in locale.lower() and "utf8" not in locale.lower():
        result.pop("LC_ALL", None)  # it would override the following ones
        result["LC_CTYPE"] = "C.UTF-8"
        result.setdefault("LANG", "C.UTF-8")
    return result


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
