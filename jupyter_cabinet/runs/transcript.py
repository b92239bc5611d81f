"""Reads on in a CLI's transcript, which its hook names or its launch describes.

Hooks are the clock, and where there are none the screen: nothing is polled or watched.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

READ_BYTES = 1024 * 1024


class _Hook(msgspec.Struct):
    """The one field of a hook's JSON that this file needs."""

    transcript_path: str = ""


class TranscriptReader:
    """A place in one growing file, which must lie below the folder where this CLI keeps its sessions."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._offset = 0
        self._pattern = ""
        self._sizes: dict[Path, int] = {}  # of files that fitted the pattern before the CLI was started

    @property
    def known(self) -> bool:
        return self._path is not None

    def look_for(self, pattern: str) -> None:
        """Find the transcript by its name, now or when it is there. What is in it now belongs to earlier runs."""
        self._pattern = pattern
        self._sizes = {path: path.stat().st_size for path in self._fitting()}

    @property
    def follows_screen(self) -> bool:
        """Whether no hook will tell when there is news."""
        return bool(self._pattern)

    def _fitting(self) -> list[Path]:
        return sorted(self._folder.glob(self._pattern)) if self._folder and self._pattern else []

    def _find(self) -> None:
        found = self._fitting()[-1:] if self._path is None else []
        for path in found:
            self._path, self._offset = path, self._sizes.get(path, 0)

    def learn(self, hook: bytes) -> None:
        """Take the transcript's path from a hook. What was in the file before belongs to earlier runs."""
        try:
            named = msgspec.json.decode(hook, type=_Hook).transcript_path
        except msgspec.MsgspecError:
            return
        path = Path(named)
        if not named or self._folder is None or path == self._path:
            return
        if path.suffix == ".jsonl" and path.resolve().is_relative_to(self._folder.resolve()):
            first = self._path is None
            self._path = path
            self._offset = path.stat().st_size if first and path.exists() else 0

    def read(self) -> Iterator[bytes]:
        """What the file has gained."""
        self._find()
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                while chunk := file.read(READ_BYTES):
                    self._offset += len(chunk)
                    yield chunk
        except OSError:
            return
