"""Safe files: complete replacements, and journals that only grow. Each file has one writer.

`untrusted_files.py` reads journals.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from ...core.errors import OutsideRoot, Unavailable

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}", re.DOTALL)  # the name of a `Replacement` until it is complete
HARD_LINK = "it is a hard link, so new lines would appear in another file too. Replace it with a copy"


class Replacement:
    """A file that is written in parts, and takes the place of `path` when it is complete.

    Every method raises `OSError` and blocks. Either `finish` or `discard` must be called at the end.
    """

    def __init__(self, path: Path, *, mode: int = 0o600) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(self._temporary, flags, mode), "wb")

    def write(self, part: bytes) -> None:
        """Append a part."""
        self._file.write(part)

    def finish(self) -> None:
        """Replace the file at `path`, and wait for the disk."""
        with self._file as file:
            file.flush()
            os.fsync(file.fileno())
        self._temporary.replace(self._path)
        sync_folder(self._path.parent)

    def discard(self) -> None:
        """Remove the parts. The file at `path` stays as it is. Without effect after `finish`."""
        with suppress(OSError):  # such as a full disk again
            self._file.close()
        self._temporary.unlink(missing_ok=True)


def replace(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a file so that a crash leaves the old or the new content, never a mixture. Wait for the disk.

    A link in its place is replaced, not followed. The file gets `mode`, whatever the old one had. Its folder must
    exist. Raises `OSError`. Blocks.
    """
    replacement = Replacement(path, mode=mode)
    try:
        replacement.write(content)
        replacement.finish()
    except BaseException:
        replacement.discard()
        raise


def open_to_append(path: Path, *, mode: int = 0o600) -> int:
    """Open a file that only grows, or create it, and return its descriptor, which can be read too.

    Raises `OSError` for a symbolic link, `Unavailable` for anything but a regular file, and `OutsideRoot` for a file
    with another name: appended lines would appear elsewhere. The caller closes it. `mode` counts only for a new file.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags | os.O_NONBLOCK, mode)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unavailable(f"{path} is not a regular file.")
        if found.st_nlink > 1:
            raise OutsideRoot(f"{path}: {HARD_LINK}.")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def append_line(path: Path, line: bytes, *, mode: int = 0o600) -> None:
    """Append one line, and wait for the disk. A torn last line is closed first, and so kept.

    Raises like `open_to_append`.
    """
    descriptor = open_to_append(path, mode=mode)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        rest = (b"\n" if torn else b"") + line.rstrip(b"\n") + b"\n"
        while rest:  # a disk that is almost full takes a part, and refuses the next one with an error
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make a rename in this folder survive a power failure. Raises `OSError`. Blocks."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
