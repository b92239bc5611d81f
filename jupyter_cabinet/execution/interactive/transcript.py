"""Reads the new parts of a CLI's transcript, which its hook names or its launch describes.

Hooks trigger the reading, or the screen if there are none: nothing is polled or watched. A hook may name anything, and
a transcript may be replaced by anything, so only a regular file below the CLI's own folder is read, one piece at a
time.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ...core.clock import Clock
from ...runtimes.shared.json_lines import object_of
from ...storage import untrusted_files

READ_BYTES = 256 << 10
# The file is read on the event loop: reading and parsing this much of a local regular file takes some ten milliseconds.
# One line of a transcript with a picture may have megabytes; the next reading takes the rest.
LOOK_BYTES = 4 << 20
# No CLI writes more between two readings. Anything beyond that, as in a huge sparse file, is skipped.
BEHIND_BYTES = 64 << 20
# Claude Code 2.1.329 writes the last answer 150 ms after it calls its Stop hook, and waits for the hook meanwhile. On a
# busy machine it takes longer. Text that is missing is waited for longer than text that may come.
LOOK_SECONDS = 0.02
LOOKS = 15
LOOKS_WHERE_TEXT_IS_OWED = 100


class TranscriptReader:
    """Positions in growing files, which must be below the folder where this CLI keeps its sessions."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._named: Path | None = None  # by a hook
        self._pattern = ""
        self._found: list[Path] = []  # by their names
        self._is_sure = False  # one of them has grown; no further one will come
        self._offsets: dict[Path, int] = {}  # how far a file was read, or was old content

    @property
    def known(self) -> bool:
        """Whether there is a file to read: one that a hook has named, or that the pattern has found."""
        return bool(self._paths())

    def look_for(self, pattern: str) -> None:
        """Find the transcript by its name, now or once it exists. Its current content belongs to earlier runs."""
        self._pattern = pattern
        self._found = self._fitting()
        self._offsets |= {path: _size(path) or 0 for path in self._found}

    @property
    def follows_screen(self) -> bool:
        """Whether no hook will report new content."""
        return bool(self._pattern)

    def _fitting(self) -> list[Path]:
        return sorted(self._folder.glob(self._pattern)) if self._folder and self._pattern else []

    def _paths(self) -> list[Path]:
        """Find files by the pattern again.

        A continued session may get another file, and return to the previous one while it works (Gemini CLI 0.61.0: a
        minute is part of the name, and it writes before it has loaded the session).
        """
        if self._named is not None:
            return [self._named]
        if not self._is_sure:
            self._found = self._fitting()
        return self._found

    def learn(self, hook: bytes) -> None:
        """Take the transcript's path from a hook. The file's earlier content belongs to earlier runs."""
        named = (object_of(hook) or {}).get("transcript_path")
        if not named or not isinstance(named, str) or self._folder is None:
            return
        path = Path(named)
        size = _size(path) if path.suffix == ".jsonl" and self._place_of(path) is not None else None
        if path == self._named or size is None:
            return
        # if it is not the first file, its content is already news of this process
        self._offsets.setdefault(path, size if self._named is None else 0)
        self._named = path

    def read(self) -> Iterator[bytes]:
        """Return the new content of the files, up to the limit of one reading."""
        for path in self._paths():
            yield from self._read(path)

    async def wait_for_end(self, read: Callable[[], bool], owes_text: Callable[[], bool], clock: Clock) -> None:
        """Wait for the last answer with its tokens, which reaches the file a little after its hook is called.

        `read` takes the file's new content, and returns whether there was any. `owes_text`: the hook has reported text
        that the file does not contain yet.
        """
        read()
        for look in range(LOOKS_WHERE_TEXT_IS_OWED):
            if not self.known or (look >= LOOKS and not owes_text()):
                return
            if read() and not owes_text():
                return
            await clock.sleep(LOOK_SECONDS)

    def _read(self, path: Path) -> Iterator[bytes]:
        place = self._place_of(path)
        if self._folder is None or place is None:
            return
        offset = self._offsets.get(path, 0)
        try:
            with untrusted_files.open_file(place, beneath=self._folder.resolve()) as file:
                size = untrusted_files.size_of(file)
                if size < offset and self.follows_screen:
                    offset = 0  # it was rewritten (Gemini CLI 0.61.0, after a session continues)
                if size - offset > BEHIND_BYTES:
                    offset = size - LOOK_BYTES
                file.seek(offset)
                for _ in range(LOOK_BYTES // READ_BYTES):
                    chunk = file.read(READ_BYTES)
                    offset += len(chunk)
                    self._offsets[path] = offset
                    if chunk:
                        self._is_sure = True
                        yield chunk
        except OSError:
            return

    def _place_of(self, path: Path) -> Path | None:
        """Return the real path; None outside of the folder. People link these folders, so links inside it count."""
        assert self._folder is not None
        try:
            place = path.resolve()
            return place if place.is_relative_to(self._folder.resolve()) else None
        except (OSError, RuntimeError, ValueError):  # a loop of links, or an invalid name
            return None


def _size(path: Path) -> int | None:
    """Return the position of a regular file, or one that does not exist yet; None for everything else."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
