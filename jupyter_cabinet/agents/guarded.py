"""The files that say what agents may and what steers them: which of them have changed while a run worked.

An agent must not write them itself. One that did gains nothing, because another version counts only once a person has
confirmed it; here it is found, so that its run says so. Blocks: call it off the loop.
"""

from __future__ import annotations

import os
from pathlib import Path

from .agent_files import AGENTS, PERSONA
from .powers import STEERING_TEXTS

PLAYS = ".playbooks/plays"
MOST_LOOKED_AT = 5_000
MOST_NAMED = 5

Marks = dict[str, tuple[int, int, int]]  # path below the root -> inode, size, nanoseconds of its last change


def marks(root: Path) -> Marks:
    """Of every such file, as it is now. What cannot be looked at is left out."""
    found: Marks = {}
    for path in _places(root):
        try:
            about = (root / path).stat(follow_symlinks=False)
        except OSError:
            continue
        found[path] = (about.st_ino, about.st_size, about.st_mtime_ns)
    return found


def told(before: Marks, after: Marks) -> tuple[str, ...]:
    """Sentences for the person about what has changed in between."""
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    if not changed:
        return ()
    named = ", ".join(changed[:MOST_NAMED]) + (f" and {len(changed) - MOST_NAMED} more" * (len(changed) > MOST_NAMED))
    return (f"While it worked these files were changed: {named}. They count once a person has confirmed them.",)


def _places(root: Path) -> list[str]:
    agents = [f"{AGENTS}/{name}" for name in _names(root / AGENTS)]
    files = [f"{agent}/{name}" for agent in agents for name in (PERSONA, *STEERING_TEXTS)]
    files += [agent for agent in agents if agent.endswith(".md")]
    return [*files, *(f"{PLAYS}/{name}" for name in _names(root / PLAYS))][:MOST_LOOKED_AT]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError:
        return []
