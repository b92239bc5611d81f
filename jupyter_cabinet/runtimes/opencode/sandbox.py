"""What opencode needs inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..sandbox_needs import PROVIDER_HOSTS, SandboxNeeds, as_folder, below, existing, missing, urls_in
from .login import data_folder

STEERING = (
    "opencode.json", "opencode.jsonc", "config.json", "AGENTS.md", "package.json", "bun.lock", "node_modules/",
    "agent/", "agents/", "command/", "commands/", "mode/", "modes/", "plugin/", "plugins/", "skill/", "skills/",
    "tool/", "tools/", "themes/",
)  # fmt: skip
PRIVATE = ("snapshot",)  # repositories, whose settings git would follow
PROGRAMS = ("bin/",)
# Inside, each run has the same process numbers, so the next one would wait for a minute for a lock of an ended one.
LOCKS = "locks"
QUIET = ("registry.npmjs.org:443",)  # it looks for the package of its plugins whenever it starts (1.18.33)
SETTINGS = ("opencode.json", "opencode.jsonc", "config.json")


def sandbox_needs(environment: Mapping[str, str]) -> SandboxNeeds:
    """Return the files and hosts that opencode needs in a sandbox. Reads the disk, and creates nothing.

    `environment`: the server's variables. It writes a `.gitignore` into the folder of its settings whenever it starts.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    state = Path(environment.get("XDG_STATE_HOME") or home / ".local/state") / "opencode"
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "opencode"
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    chosen = [environment[name] for name in ("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR") if environment.get(name)]
    return SandboxNeeds(
        state=tuple(map(as_folder, (data_folder(environment), state, settings))),
        steering=(*below(settings, STEERING), *existing(data_folder(environment), PROGRAMS)),
        private=(
            *below(data_folder(environment), PRIVATE),
            *missing(data_folder(environment), PROGRAMS),
            str(state / LOCKS),
        ),
        read=(str(cache), str(home / ".opencode"), *chosen),
        hosts=PROVIDER_HOSTS,
        quiet=QUIET,
        urls=urls_in(*(settings / name for name in SETTINGS), *(Path(path) for path in chosen)),
    )
