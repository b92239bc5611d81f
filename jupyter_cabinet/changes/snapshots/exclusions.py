"""Decides which paths no run's changes include, for one root directory: not scanned, compared or written. Pure.

Called by `folder_snapshots.py`, `run_comparison.py` and `decision_execution.py`. `excluded_paths.py` knows where this
server keeps its files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import ignored
from .ignored import IgnoreFile
from .never_compared import ANYWHERE, COMPARED_DOT_FOLDERS, DOT_FOLDER, FROM_SETTING


class Exclusions:
    """The rules; paths are relative to the root.

    `exact`: paths with their reasons; one that ends with `*` matches every name with that prefix. `home`: the home
    directory, "" for the root itself, None if it is not below the root. `patterns`: lines of the setting, as in a
    `.gitignore`.
    """

    def __init__(
        self, exact: Mapping[str, str] | None = None, *, home: str | None = None, patterns: Sequence[str] = ()
    ) -> None:
        named = dict(exact or {})
        self._exact = {path: why for path, why in named.items() if not path.endswith("*")}
        self._begins = {path[:-1]: why for path, why in named.items() if path.endswith("*")}
        self._anywhere = {path.removesuffix("*"): entry.reason for entry in ANYWHERE for path in entry.paths}
        self._home = home
        self._patterns: list[IgnoreFile] = [ignored.read("", "\n".join(patterns).encode())] if patterns else []

    def of(self, folder: str) -> FolderExclusions:
        """Return the exclusions for runs in one folder, which is "" for the root."""
        return FolderExclusions(self, folder)

    def why(self, path: str, folder: str, *, is_folder: bool) -> str:
        """Return why a path is excluded for runs in `folder`; empty if it is not.

        The folders above it are not checked.
        """
        found = self._exact.get(path) or self._by_beginning(path)
        if not found and is_folder and self._is_dot_folder(path) and not _is_in(folder, path):
            found = DOT_FOLDER
        if not found and self._patterns and ignored.is_matched(path, self._patterns, is_folder=is_folder):
            found = FROM_SETTING
        return found

    def _by_beginning(self, path: str) -> str:
        above, _, name = path.rpartition("/")
        for beginning, why in self._begins.items():
            if path.startswith(beginning) and beginning.rpartition("/")[0] == above:
                return why
        return next((why for beginning, why in self._anywhere.items() if name.startswith(beginning)), "")

    def _is_dot_folder(self, path: str) -> bool:
        above, _, name = path.rpartition("/")
        return above == self._home and name.startswith(".") and name not in COMPARED_DOT_FOLDERS


class FolderExclusions:
    """The exclusions for runs in one folder."""

    def __init__(self, exclusions: Exclusions, folder: str) -> None:
        self._exclusions = exclusions
        self._folder = folder

    def why(self, path: str, *, is_folder: bool) -> str:
        """Return why a path is excluded, if no folder above it is; empty if it is not."""
        return self._exclusions.why(path, self._folder, is_folder=is_folder)

    def why_at_or_above(self, path: str, *, is_folder: bool = False) -> str:
        """Return why a path, or a folder above it, is excluded; empty if none is."""
        parts = path.split("/") if path else []
        for length in range(1, len(parts) + 1):
            found = self.why("/".join(parts[:length]), is_folder=is_folder or length < len(parts))
            if found:
                return found
        return ""


NOTHING_EXCLUDED = Exclusions()


def _is_in(folder: str, path: str) -> bool:
    return folder == path or folder.startswith(f"{path}/")
