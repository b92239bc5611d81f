"""Replaces the content of a file that other programs write too. Called by `save_guard.py` and `notebook_tools/`.

An agent may plant links, at the name of the copy as well: none is followed, so nothing but the file is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from jupyter_server.services.contents.fileio import path_to_intermediate

_FOLDER: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


def replace_unless_changed(place: Path, content: bytes, is_expected: Callable[[bytes], bool]) -> bool:
    """Replace the content. Return whether the file had the expected content, and has `content` now. Raises `OSError`.

    If not, the file is unchanged. `place` is resolved: it contains no link. The file must exist. Like Jupyter's own
    writing, it keeps a copy meanwhile and the file keeps its inode. Jupyter copies and empties the file after checking
    it; here only two system calls lie between the reading and the writing.
    """
    with _folder_of(place) as folder:
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(place.name, flags, dir_fd=folder), "r+b", buffering=0) as file:
            copy = Path(path_to_intermediate(str(place))).name  # type: ignore[no-untyped-call]
            _copy(file.readall(), copy, folder)
            file.seek(0)
            same = is_expected(file.readall())
            if same:
                file.seek(0)
                rest = memoryview(content)
                while rest:
                    rest = rest[file.write(rest) :]
                file.truncate(len(content))
        with suppress(OSError):
            os.unlink(copy, dir_fd=folder)
    return same


@contextmanager
def _folder_of(place: Path) -> Iterator[int]:
    """Yield a descriptor of the folder, reached without following a link. Raises `OSError`."""
    folder = os.open(place.anchor, _FOLDER)
    try:
        for part in place.parts[1:-1]:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _copy(content: bytes, name: str, folder: int) -> None:
    """Write a new file, which remains if the server is killed in the middle. Its absence prevents no save."""
    with suppress(OSError):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)  # a link itself, never its target
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(content)
