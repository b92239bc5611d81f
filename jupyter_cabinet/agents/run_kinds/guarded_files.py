"""The files that say what agents may and what steers them: which of them have changed while a run worked.

An agent must not write them itself. One that did gains nothing, because another version counts only once a person has
confirmed it; here it is found, so that its run says so. Blocks: call it off the loop.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...runs.rules.trigger_chain import PLAYBOOKS, PLAYS
from ..files.powers import STEERING_TEXTS
from ..files.safe_files import AGENTS, PERSONA

MOST_LOOKED_AT = 5_000
MOST_NAMED = 5

# path below the root -> inode, size, nanoseconds of its last change and of the last one that shows however it was made
Marks = dict[str, tuple[int, int, int, int]]


def marks(root: Path) -> Marks:
    """The mark of every such file as it is now. Unreadable files are left out."""
    found: Marks = {}
    for path in _places(root):
        try:
            about = (root / path).stat(follow_symlinks=False)
        except OSError:
            continue
        found[path] = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return found


def told(before: Marks, after: Marks) -> tuple[str, ...]:
    """Sentences for the person about what has changed in between."""
    changed = sorted(path for path in {*before, *after} if _content(before.get(path)) != _content(after.get(path)))
    if not changed:
        return ()
    named = ", ".join(changed[:MOST_NAMED]) + (f" and {len(changed) - MOST_NAMED} more" * (len(changed) > MOST_NAMED))
    return (f"While it worked these files were changed: {named}. They count once a person has confirmed them.",)


def _content(mark: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Without the time that other permissions and hard links change too: a backup does that."""
    return None if mark is None else mark[:3]


def folders(root: Path) -> list[Path]:
    """The folders that these files are in, and those above them, whichever are there. No link is among them."""
    agents, playbooks, plays = root / AGENTS, root / PLAYBOOKS, root / PLAYS
    found = [root]
    if _is_folder(playbooks):
        found += [playbooks, *([plays] if _is_folder(plays) else [])]
    if _is_folder(agents):
        found += [agents, *(each for name in _names(agents) if _is_folder(each := agents / name))]
    return found[:MOST_LOOKED_AT]


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


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
