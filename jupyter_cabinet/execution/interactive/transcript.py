"""Reads on in a CLI's transcript, which its hook names or its launch describes.

Hooks are the clock, and where there are none the screen: nothing is polled or watched. A hook may name anything, and
anything may stand in a transcript's place: only a regular file below the CLI's own folder is read, a piece at a time.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ...core.clock import Clock
from ...runtimes.shared.json_lines import object_of
from ...storage import untrusted_files

READ_BYTES = 256 << 10
# A look is taken on the loop: from a local regular file this much is read and parsed in some ten milliseconds. One
# line of a transcript, with a picture in it, may have megabytes; what a look leaves is read at the next one.
LOOK_BYTES = 4 << 20
# No CLI writes more between two looks. What is further behind, as in a file of nothing but size, is passed over.
BEHIND_BYTES = 64 << 20
# Claude Code 2.1.329 writes the last answer 150 ms after it calls its Stop hook, and waits for the hook meanwhile. On a
# busy machine it takes longer; what it owes is waited for longer than what may come.
LOOK_SECONDS = 0.02
LOOKS = 15
LOOKS_WHERE_TEXT_IS_OWED = 100


class TranscriptReader:
    """Places in growing files, which must lie below the folder where this CLI keeps its sessions."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._named: Path | None = None  # by a hook
        self._pattern = ""
        self._found: list[Path] = []  # by their names
        self._is_sure = False  # one of them has gained something: no further one will come
        self._offsets: dict[Path, int] = {}  # how far a file was read, or was not news

    @property
    def known(self) -> bool:
        """Whether there is a file to read: one that a hook has named, or that the pattern has found."""
        return bool(self._paths())

    def look_for(self, pattern: str) -> None:
        """Find the transcript by its name, now or when it is there. What is in it now belongs to earlier runs."""
        self._pattern = pattern
        self._found = self._fitting()
        self._offsets |= {path: _size(path) or 0 for path in self._found}

    @property
    def follows_screen(self) -> bool:
        """Whether no hook will tell when there is news."""
        return bool(self._pattern)

    def _fitting(self) -> list[Path]:
        return sorted(self._folder.glob(self._pattern)) if self._folder and self._pattern else []

    def _paths(self) -> list[Path]:
        """A session that goes on may get a file of its own for it, and go back to the one before while it works
        (Gemini CLI 0.61.0: a minute is part of the name, and it writes before it has loaded the session)."""
        if self._named is not None:
            return [self._named]
        if not self._is_sure:
            self._found = self._fitting()
        return self._found

    def learn(self, hook: bytes) -> None:
        """Take the transcript's path from a hook. What was in the file before belongs to earlier runs."""
        named = (object_of(hook) or {}).get("transcript_path")
        if not named or not isinstance(named, str) or self._folder is None:
            return
        path = Path(named)
        size = _size(path) if path.suffix == ".jsonl" and self._place_of(path) is not None else None
        if path == self._named or size is None:
            return
        # what another than the first one holds already is news of this process
        self._offsets.setdefault(path, size if self._named is None else 0)
        self._named = path

    def read(self) -> Iterator[bytes]:
        """What the files have gained, up to what one look takes."""
        for path in self._paths():
            yield from self._read(path)

    async def wait_for_end(self, read: Callable[[], bool], owes_text: Callable[[], bool], clock: Clock) -> None:
        """The last answer, with its tokens, reaches the file a little after its hook is called: wait for it.

        `read` takes what the file has gained, and tells whether it was anything. `owes_text`: the hook has told of text
        that the file does not hold yet.
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
                    offset = 0  # it was written anew (Gemini CLI 0.61.0, after a session goes on)
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
        """Where it really lies; None outside of the folder. People link these folders, so links inside it count."""
        assert self._folder is not None
        try:
            place = path.resolve()
            return place if place.is_relative_to(self._folder.resolve()) else None
        except (OSError, RuntimeError, ValueError):  # a circle of links, a name that is none
            return None


def _size(path: Path) -> int | None:
    """Of a regular file, or one that is not there yet; None for everything else."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
