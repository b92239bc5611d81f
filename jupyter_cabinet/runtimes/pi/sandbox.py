"""What pi needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..sandbox_needs import PROVIDER_HOSTS, SandboxNeeds, as_folder, below, existing, missing, urls_in
from .login import folder

STEERING = (
    "settings.json", "models.json", "AGENTS.md", "SYSTEM.md", "APPEND_SYSTEM.md", "keybindings.json", "extensions/",
    "git/", "npm/", "prompts/", "skills/", "themes/",
)  # fmt: skip
PROGRAMS = ("bin/",)


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """Return the files and hosts that pi needs in a sandbox. Reads the disk, and creates nothing.

    `environment`: the server's variables.
    """
    place, sessions = folder(environment), environment.get("PI_CODING_AGENT_SESSION_DIR")
    return SandboxNeeds(
        state=(as_folder(place), *((as_folder(Path(sessions)),) if sessions else ())),
        steering=(*below(place, STEERING), *existing(place, PROGRAMS)),
        private=missing(place, PROGRAMS),
        hosts=PROVIDER_HOSTS,
        urls=urls_in(place / "models.json"),
    )
