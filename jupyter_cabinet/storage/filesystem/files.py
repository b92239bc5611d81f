"""Safe files: complete replacements, and journals that only grow. Each file has one writer.

`untrusted_files.py` reads journals.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from ...core.errors import OutsideRoot, Unavailable

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{12}", re.DOTALL)  # the name that `replace` gives a file until it is complete
HARD_LINK = "it is a hard link, so new lines would appear in another file too. Replace it with a copy"


def replace(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a file so that a crash leaves the old or the new content, never a mixture. Wait for the disk.

    A link in its place is replaced, not followed. The file gets `mode`, whatever the old one had. Its folder must
    exist. Raises `OSError`. Blocks.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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
