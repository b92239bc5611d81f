"""What Gemini CLI needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from ..sandbox_needs import SandboxNeeds, as_folder, below, existing, missing
from .login import folder

STEERING = (
    "settings.json", "trustedFolders.json", "GEMINI.md", ".env", "agents/", "commands/", "extensions/", "hooks/",
    "policies/", "skills/",
)  # fmt: skip
PRIVATE = ("history",)  # its snapshots are repositories, whose settings git would follow
PROGRAMS = ("bin/", "tmp/bin/")
HOSTS = (
    "generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com",
    "aiplatform.googleapis.com", "*.aiplatform.googleapis.com",
)  # fmt: skip


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """Return the files and hosts that Gemini CLI needs in a sandbox. Reads the disk, and creates nothing.

    `environment`: the server's variables.
    """
    place, location = folder(environment), environment.get("GOOGLE_CLOUD_LOCATION")
    regional = (f"{location}-aiplatform.googleapis.com",) if location else ()
    return SandboxNeeds(
        state=(as_folder(place),),
        steering=(*below(place, STEERING), *existing(place, PROGRAMS)),
        private=(*below(place, PRIVATE), *missing(place, PROGRAMS)),
        hosts=(*HOSTS, *regional),
    )
