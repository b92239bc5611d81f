"""Decides which files of a workspace are not compared: by `.gitignore` files, and folders that tools fill. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

IGNORE_FILE = ".gitignore"
MOST_PATTERNS = 2_000  # of one file

# Never compared, and never listed: records of version control, our own, and Jupyter's files beside a notebook.
_HIDDEN = frozenset({".git", ".hg", ".svn", ".cabinet", ".ipynb_checkpoints"})
# Filled by tools, whatever `.gitignore` says.
_FILLED = frozenset({"__pycache__", "node_modules", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
# Files that the server itself writes while agents work: reverting them would lose other work.
_OWN = (".agents/.history", ".agents/.messages")
_DEEPEST = 3  # path parts that are hidden because of their position


class IgnoreFile(NamedTuple):
    """The patterns of one `.gitignore`, and its folder: "" or one that ends with a slash."""

    folder: str
    patterns: GitIgnoreSpec


def read(folder: str, text: bytes) -> IgnoreFile:
    """Return the patterns of an ignore file, at most `MOST_PATTERNS` lines.

    Invalid ones are skipped, as in git.
    """
    patterns: list[GitIgnoreSpecPattern] = []
    for line in text.decode(errors="replace").splitlines()[:MOST_PATTERNS]:
        try:
            patterns.extend(GitIgnoreSpec.from_lines([line]).patterns)
        except (GitIgnorePatternError, ValueError):
            continue
    return IgnoreFile(folder, GitIgnoreSpec(patterns))


def is_hidden(path: str) -> bool:
    """Return whether it is not even listed as left out. `path` is relative to the server's root."""
    return path.rpartition("/")[2] in _HIDDEN or path in _OWN or _is_memory(path)


def is_in_hidden(path: str) -> bool:
    """Return whether it, or a folder above it, is not even listed."""
    parts = path.split("/")
    tops = ("/".join(parts[:length]) for length in range(1, min(len(parts), _DEEPEST) + 1))
    return not _HIDDEN.isdisjoint(parts) or any(map(is_hidden, tops))


def _is_memory(path: str) -> bool:
    parts = path.split("/")
    return len(parts) == 3 and parts[0] == ".agents" and parts[2] in ("memory", "inbox")


def is_ignored(path: str, files: Sequence[IgnoreFile], *, is_folder: bool) -> bool:
    """Return whether a path is ignored, by `.gitignore` files or as a folder that tools fill.

    `files`: those of the folders above it, the outermost first. The innermost that matches counts.
    """
    return (is_folder and path.rpartition("/")[2] in _FILLED) or is_matched(path, files, is_folder=is_folder)


def is_matched(path: str, files: Sequence[IgnoreFile], *, is_folder: bool) -> bool:
    """Return whether a path is ignored by these files only. `files`: as in `is_ignored`."""
    for folder, patterns in reversed(files):
        said = patterns.check_file(path[len(folder) :] + ("/" if is_folder else "")).include
        if said is not None:
            return said
    return False
