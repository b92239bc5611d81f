"""Safe files: whole replacements, and journals that only grow. One writer per file; `foreign.py` reads journals."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from ..core.errors import Unavailable


def replace(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a file so that a crash leaves the old or the new content, never a mixture."""
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


def append_line(path: Path, line: bytes, *, mode: int = 0o600) -> None:
    """Append one line with one write, and wait for the disk. A torn last line is closed first, and so kept."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    descriptor = os.open(path, flags | os.O_NONBLOCK, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unavailable(f"{path} is not a regular file.")
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        os.write(descriptor, (b"\n" if torn else b"") + line.rstrip(b"\n") + b"\n")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
