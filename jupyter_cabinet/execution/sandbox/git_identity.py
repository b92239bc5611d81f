"""The name under which isolated runs commit: the person's own, without the rest of their git configuration.

That configuration may contain passwords and programs to start, so it is not visible in a sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from dulwich.config import ConfigFile

from ...storage.filesystem import untrusted_files

MAX_BYTES = 1 << 20


def git_identity(environment: Mapping[str, str]) -> dict[str, str]:
    """Return git's variables for author and committer; empty if the person has not set a name. Reads two files.

    These are the person's configuration files; that of a repository and files that they include do not count.
    """
    home = Path(environment.get("HOME") or "/nonexistent")
    settings = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    found: dict[str, str] = {}
    for path in (settings / "git" / "config", home / ".gitconfig"):  # the later one counts more
        try:
            config = ConfigFile.from_file(BytesIO(untrusted_files.read(path, limit=MAX_BYTES)))
        except (OSError, ValueError):
            continue
        for name in ("name", "email"):
            try:
                text = config.get((b"user",), name.encode()).decode(errors="replace")
            except KeyError:
                continue
            found |= {f"GIT_{role}_{name.upper()}": text for role in ("AUTHOR", "COMMITTER") if "\0" not in text}
    return found
