"""Finds out whether a server and a worker have the same folder: each reads what the other has written into a file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..sandboxes.launcher import start_time
from ..storage.filesystem import untrusted_files

PROOF_BYTES: Final = 64


@contextmanager
def proof(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Write a random file into a folder, and remove it afterwards. Yields its path and its content. Blocks.

    Raises `OSError`. Its name is that of a temporary file of `storage/filesystem/files.py`, so the next server removes
    it if this one is killed.
    """
    path, content = folder / f".seen.{secrets.token_hex(6)}", secrets.token_hex(PROOF_BYTES // 2).encode()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(content)
    try:
        yield path, content
    finally:
        with suppress(OSError):
            path.unlink()


def answered(path: str) -> bytes:
    """Return the content of such a file, and write it backwards in its place; empty if it is not there. Blocks.

    A file that cannot be written stays as it is.
    """
    try:
        content = untrusted_files.read_start(Path(path), limit=PROOF_BYTES, beneath=Path(path).parent)
    except (OSError, ValueError):
        return b""
    with suppress(OSError), os.fdopen(os.open(path, os.O_WRONLY | os.O_NOFOLLOW), "wb") as file:
        file.write(content[::-1])
    return content


def is_answered(path: Path, content: bytes) -> bool:
    """Return whether what a worker has written into such a file has arrived. Blocks.

    Raises `OSError` if the file is gone.
    """
    return path.read_bytes() == content[::-1]


def machine() -> str:
    """Return a text that names the boot of this machine and the pid namespace of this process.

    Two processes with the same text can use the same sockets and know the same pids. Without /proc this is not known:
    the text is then the same on every machine.
    """
    boot = start_time(os.getpid()).rpartition("@")[2]
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{boot} {namespace}"
