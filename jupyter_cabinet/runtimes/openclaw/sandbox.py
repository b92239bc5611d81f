"""What OpenClaw needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..sandbox_needs import PROVIDER_HOSTS, SandboxNeeds, as_folder, below, urls_in
from .login import settings_file, state_folder

STEERING = ("openclaw.json", ".env", "extensions/", "hooks/", "plugins/", "skills/")


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """See `port.Isolable`."""
    place, settings = state_folder(environment), settings_file(environment)
    chosen = environment.get("OPENCLAW_CONFIG_PATH")
    return SandboxNeeds(
        state=(as_folder(place),),
        steering=below(place, STEERING),
        read=(str(Path(chosen)),) if chosen else (),
        hosts=PROVIDER_HOSTS,
        urls=urls_in(settings) if settings else (),
    )
