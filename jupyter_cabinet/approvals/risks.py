"""Finds risks that a person should notice before allowing an action, from its text. Pure.

Hints, not a barrier: a program can do anything under a harmless name.
"""

from __future__ import annotations

import posixpath
import re
import shlex

from ..runtimes.requested_actions import AnyAction, Choice, Command, Edit, Fetch, ToolUse
from .model import Risk

LONGEST_SEARCHED = 100_000  # characters of a command
# characters of a command that are split like a shell does: that takes time with the square of the length
LONGEST_QUOTED = 20_000
_DELETING = re.compile(
    r"\b(rm|rmdir|unlink|shred|truncate|mkfs\S*|dd)\s|\s-delete\b|\bgit\s+(clean|reset\s+--hard|push\s[^\n]{0,200}--force)"
    r"|\b(drop|truncate)\s+(table|database|schema)\b|\bdelete\s+from\b|\brmtree\b",
    re.IGNORECASE,
)
_REACHING_OUT = re.compile(
    r"\b(curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp)\s|\bgit\s+(clone|push|pull|fetch)\b"
    r"|\b(pip|pip3|uv|npm|pnpm|yarn|cargo|gem|go|apt|apt-get|brew|conda|mamba)\s+(install|add|get|i|ci)\b|https?://",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def risks_of(asks: AnyAction, *, isolated: bool, root: str, folder: str, cut: bool) -> tuple[Risk, ...]:
    """Return the risks, in a fixed order; none for a question with choices.

    `isolated`: the run is in a sandbox; `root` and `folder` are absolute; `cut`: not all of it can be shown. Only the
    first `LONGEST_SEARCHED` characters of a command are searched. Does not read the disk.
    """
    if isinstance(asks, Choice):
        return ()
    command = (asks.text or shlex.join(asks.argv))[:LONGEST_SEARCHED] if isinstance(asks, Command) else ""
    found: dict[Risk, bool] = {
        "deletes": bool(_DELETING.search(f"{command} ")),
        "outside": any(_leads_out(word, root, folder) for word in (*_files(asks), *_words(command))),
        "network": bool(_REACHING_OUT.search(f"{command} ")) or _goes_out(asks),
        "cut": cut,
        "no_sandbox": not isolated,
    }
    return tuple(risk for risk, is_one in found.items() if is_one)


def _files(asks: AnyAction) -> tuple[str, ...]:
    match asks:
        case Edit(paths=paths) | ToolUse(paths=paths):
            return paths
        case Command(cwd=cwd):
            return (cwd,) if cwd else ()
    return ()


def _goes_out(asks: AnyAction) -> bool:
    """An address in any value may be contacted."""
    if isinstance(asks, ToolUse):
        return any(_ADDRESS.search(each.value) for each in asks.arguments)
    return isinstance(asks, Fetch)


def _words(command: str) -> list[str]:
    if len(command) > LONGEST_QUOTED:
        return command.split()
    try:
        return shlex.split(command)
    except ValueError:  # an open quote: a person sees the command itself
        return command.split()


def _leads_out(word: str, root: str, folder: str) -> bool:
    """Return whether a word of a command names a path outside the workspace.

    `/` inside an address or an option does not.
    """
    path = word.rpartition("=")[2].lstrip("<>")
    if path.startswith("~"):
        return True
    if "://" in path or not (path.startswith("/") or ".." in path.split("/")):
        return False
    place = posixpath.normpath(posixpath.join(folder, path))
    return not (place == root or place.startswith(root.rstrip("/") + "/")) and place != "/dev/null"
