"""Detects changes of the files that define and steer agents while a run was active.

An agent must not write these files itself. It would gain nothing, because a new version has no effect until a person
confirms it; the run reports the change. Blocks: call it off the loop.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...runs.rules.trigger_chain import PLAYBOOKS, PLAYS
from ..files.powers import STEERING_TEXTS
from ..files.safe_files import AGENTS, PERSONA

MOST_LOOKED_AT = 5_000
MOST_NAMED = 5

# path below the root -> inode, size, modification time and status change time (mtime, ctime) in nanoseconds
Marks = dict[str, tuple[int, int, int, int]]


def marks(root: Path) -> Marks:
    """Return the mark of every such file as it is now, by path; at most 5,000. Unreadable files are left out."""
    found: Marks = {}
    for path in _places(root):
        try:
            about = (root / path).stat(follow_symlinks=False)
        except OSError:
            continue
        found[path] = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    return found


def change_warnings(before: Marks, after: Marks) -> tuple[str, ...]:
    """Return a sentence for people about the files that changed between two sets of marks; empty if none did."""
    changed = sorted(path for path in {*before, *after} if _content(before.get(path)) != _content(after.get(path)))
    if not changed:
        return ()
    named = ", ".join(changed[:MOST_NAMED]) + (f" and {len(changed) - MOST_NAMED} more" * (len(changed) > MOST_NAMED))
    return (f"While it worked these files were changed: {named}. They count once a person has confirmed them.",)


def _content(mark: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return the mark without its ctime, which changes of permissions and hard links alter too, as in a backup."""
    return None if mark is None else mark[:3]


def folders(root: Path) -> list[Path]:
    """Return the folders of these files, and their parents, as far as they exist. Links are left out."""
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
