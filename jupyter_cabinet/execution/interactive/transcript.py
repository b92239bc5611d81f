"""Reads the new parts of a CLI's transcript, whose path comes from a hook or from the launch.

Hooks trigger the reading; without hooks, the screen does. Nothing is polled or watched. A hook may name any file, and a
transcript may be replaced by anything. Therefore only a regular file below the CLI's own folder is read, piece by
piece.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ...core.clock import Clock
from ...runtimes.shared.messages.json_lines import object_of
from ...storage.filesystem import untrusted_files

READ_BYTES = 256 << 10
# The file is read on the event loop: reading and parsing this much of a local file takes some ten milliseconds.
# One line of a transcript with a picture may have megabytes; the next call reads the rest.
LOOK_BYTES = 4 << 20
# No CLI writes more between two calls. If there is more, as in a huge sparse file, only the end is read.
BEHIND_BYTES = 64 << 20
# Claude Code 2.1.329 writes the last answer 150 ms after it calls its Stop hook, and waits for the hook meanwhile. On a
# busy machine it takes longer. The wait is longer for text that is known to be missing than for text that may come.
LOOK_SECONDS = 0.02
LOOKS = 15
LOOKS_WHERE_TEXT_IS_OWED = 100


class TranscriptReader:
    """The read positions in a CLI's transcripts. These must be below `folder`, where the CLI stores its sessions."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._named: Path | None = None  # the path that a hook has named
        self._pattern = ""
        self._found: list[Path] = []  # the files that match the pattern
        self._is_sure = False  # one of them has grown, so no other file is expected
        self._offsets: dict[Path, int] = {}  # by file: the end of what was read, or of old content

    @property
    def known(self) -> bool:
        """Return whether there is a file to read: one that a hook has named, or that matches the pattern."""
        return bool(self._paths())

    def look_for(self, pattern: str) -> None:
        """Find the transcript by its name, now or once it exists. Its current content belongs to earlier runs."""
        self._pattern = pattern
        self._found = self._fitting()
        self._offsets |= {path: _size(path) or 0 for path in self._found}

    @property
    def follows_screen(self) -> bool:
        """Return whether the screen triggers the reading, because no hook reports new content."""
        return bool(self._pattern)

    def _fitting(self) -> list[Path]:
        return sorted(self._folder.glob(self._pattern)) if self._folder and self._pattern else []

    def _paths(self) -> list[Path]:
        """Return the files to read. The pattern is applied again until one of the files has grown.

        A continued session may get another file, and return to the previous one while it works (Gemini CLI 0.61.0: a
        minute is part of the name, and it writes before it has loaded the session).
        """
        if self._named is not None:
            return [self._named]
        if not self._is_sure:
            self._found = self._fitting()
        return self._found

    def learn(self, hook: bytes) -> None:
        """Take the transcript's path from the JSON of a hook.

        Earlier content of the first file belongs to earlier runs. Without effect for anything but a regular or missing
        `.jsonl` file below the CLI's folder.
        """
        named = (object_of(hook) or {}).get("transcript_path")
        if not named or not isinstance(named, str) or self._folder is None:
            return
        path = Path(named)
        size = _size(path) if path.suffix == ".jsonl" and self._place_of(path) is not None else None
        if path == self._named or size is None:
            return
        # If it is not the first file, its content was already written by this process.
        self._offsets.setdefault(path, size if self._named is None else 0)
        self._named = path

    def read(self) -> Iterator[bytes]:
        """Yield the new content of the files in pieces, up to `LOOK_BYTES` for each. The next call continues there.

        If more than `BEHIND_BYTES` are new, only the end is read. A file that cannot be read yields nothing.
        """
        for path in self._paths():
            yield from self._read(path)

    async def wait_for_end(self, read: Callable[[], bool], owes_text: Callable[[], bool], clock: Clock) -> None:
        """Wait for the last answer and its tokens, which reach the file a little after the hook is called.

        At most two seconds. `read` takes the file's new content, and returns whether there was any. `owes_text`:
        returns whether the hook has reported text that the file does not contain yet.
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
        """Return the real path; None if it is outside the folder.

        The folder may be a link, and links inside it are followed.
        """
        assert self._folder is not None
        try:
            place = path.resolve()
            return place if place.is_relative_to(self._folder.resolve()) else None
        except (OSError, RuntimeError, ValueError):  # a loop of links, or an invalid path
            return None


def _size(path: Path) -> int | None:
    """Return the size of a regular file; 0 if it does not exist; None for everything else."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
