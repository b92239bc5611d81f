"""Reads files that somebody else writes: transcripts, journals, recordings, records, settings of CLIs. The one way to.

Where a file should be, there may be a named pipe, a device, a link or a size of petabytes. No function here waits
for a writer, follows a link out of the folder it was told, or takes in more than its caller allows. Each raises
`OSError`; what that means is the caller's to say. Pages that people name by a path below the root come through
`core.paths.open_below`, which opens them alike. It takes a disk's time: call it off the loop, or with a small limit.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ..core.paths import open_regular, open_walking

LONGEST_LINE_BYTES = 1 << 20


def open_file(path: Path, *, beneath: Path | None = None) -> BinaryIO:
    """Open a regular file for reading.

    `beneath`: a folder in which it must lie, with no link on the way from there, as where a stranger can plant one.
    Without it links count as what they lead to: people link their settings from elsewhere.
    """
    if beneath is None:
        return os.fdopen(open_regular(path, follow=True), "rb")
    try:
        parts = path.relative_to(beneath).parts
    except ValueError:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path)) from None
    return os.fdopen(open_walking(beneath, parts), "rb")


def read(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """The whole of it. A file of more than `limit` bytes is an `OSError` too."""
    content = read_start(path, limit=limit + 1, beneath=beneath)
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def read_start(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """Its first `limit` bytes."""
    with open_file(path, beneath=beneath) as file:
        return file.read(limit)


def read_end(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """Its last `limit` bytes."""
    with open_file(path, beneath=beneath) as file:
        file.seek(max(0, size_of(file) - limit))
        return file.read(limit)


def last_values(path: Path, *, limit: int, beneath: Path | None = None) -> Iterator[object]:
    """The JSON values of a journal's last `limit` bytes. Lines that hold none, or are too long, are passed over."""
    for line in io.BytesIO(read_end(path, limit=limit, beneath=beneath)):
        value = decoded(line) if len(line) <= LONGEST_LINE_BYTES else None
        if value is not None:
            yield value


def read_object(path: Path, *, limit: int, beneath: Path | None = None) -> dict[str, Any]:
    """The JSON object in a file; an empty one for whatever holds none."""
    try:
        value = decoded(read(path, limit=limit, beneath=beneath))
    except OSError:
        return {}
    return value if isinstance(value, dict) else {}


def decoded(text: bytes) -> Any:
    """A JSON value; None for what is none, or is nested more deeply than can be read."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def size_of(file: BinaryIO) -> int:
    """In bytes, as it is now."""
    return os.fstat(file.fileno()).st_size
