"""What Codex needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..sandbox_needs import SandboxNeeds, as_folder, below, existing, missing, urls_in
from .login import folder

STEERING = (
    "config.toml", "hooks.json", "AGENTS.md", "AGENTS.override.md", "agents/", "hooks/", "plugins/", "prompts/",
    "rules/", "skills/",
)  # fmt: skip
PRIVATE = ("shell_snapshots", "tmp", "app-server-control", "app-server-daemon")
# Where it looks for plugins and news whenever it starts (Codex 0.169.0).
QUIET = ("github.com:443", "api.github.com:443", "raw.githubusercontent.com:443")
PROGRAMS = ("packages/", "bin/")
HOSTS = ("api.openai.com", "auth.openai.com", "chatgpt.com")


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """Return the files and hosts that Codex needs in a sandbox. Reads the disk, and creates nothing.

    `environment`: the server's variables.
    """
    place, databases = folder(environment), environment.get("CODEX_SQLITE_HOME")
    return SandboxNeeds(
        state=(as_folder(place), *((as_folder(Path(databases)),) if databases else ())),
        steering=(*below(place, STEERING), *existing(place, PROGRAMS)),
        has_own_sandbox=True,
        private=(*below(place, PRIVATE), *missing(place, PROGRAMS)),
        hosts=HOSTS,
        quiet=QUIET,
        urls=urls_in(place / "config.toml"),
    )
