"""What Claude Code needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..sandbox_needs import SandboxNeeds, as_folder, below, existing, missing
from .login import folder

STEERING = (
    "settings.json", "settings.local.json", "CLAUDE.md", "agents/", "commands/", "hooks/", "output-styles/", "plugins/",
    "rules/", "skills/", "workflows/",
)  # fmt: skip
PRIVATE = ("shell-snapshots", "session-env", "ide", "daemon")
PROGRAMS = ("local/", "downloads/", "bin/")
HOSTS = ("api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai", "mcp-proxy.anthropic.com")
BEDROCK, VERTEX = ("*.amazonaws.com",), ("*.googleapis.com", "oauth2.googleapis.com")
QUIET = ("downloads.claude.ai:443",)  # for updates and plugins, with 2.1.329 also if that is switched off
ENVIRONMENT = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """Return the files and hosts that Claude Code needs in a sandbox. Reads the disk, and creates nothing.

    `environment`: the server's variables. Its file `.claude.json` contains its tool servers, and is replaced with every
    start.
    """
    home, place = Path(environment.get("HOME") or "/nonexistent"), folder(environment)
    chosen = bool(environment.get("CLAUDE_CONFIG_DIR"))
    cloud = (BEDROCK if environment.get("CLAUDE_CODE_USE_BEDROCK") else ()) + (
        VERTEX if environment.get("CLAUDE_CODE_USE_VERTEX") else ()
    )
    own = (*STEERING, ".claude.json") if chosen else STEERING
    return SandboxNeeds(
        state=(as_folder(place),),
        steering=(*below(place, own), *existing(place, PROGRAMS)),
        private=(*below(place, PRIVATE), *missing(place, PROGRAMS)),
        read=(str(home / ".local/share/claude"),),
        copied=() if chosen else (str(home / ".claude.json"),),
        hosts=(*HOSTS, *cloud),
        quiet=QUIET,
        environment=ENVIRONMENT,
    )
