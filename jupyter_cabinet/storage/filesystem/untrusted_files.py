"""Reads files that somebody else writes: transcripts, journals, recordings, records, settings of CLIs.

The only way to read them. Instead of a file there may be a named pipe, a device, a link or petabytes. No function here
waits for a writer, follows a link out of the given folder, or reads more than its caller allows. Each raises `OSError`;
the caller decides what that means. Pages that people name by a path below the root come through
`core.paths.open_below`, which opens them in the same way. Disks are slow: call it off the loop, or with a small limit.
"""

from __future__ import annotations

import errno
import io
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ...core.paths import open_folder_walking, open_regular, open_walking

LONGEST_LINE_BYTES = 1 << 20


def open_file(path: Path, *, beneath: Path | None = None) -> BinaryIO:
    """Open a regular file for reading. The caller closes it.

    `beneath`: a folder that must contain it, with no link on the way from there, for folders where a stranger can place
    one. Without it links are followed: people link their settings from elsewhere. Raises `OSError` if this does not
    hold, or if it does not exist or is not a regular file.
    """
    if beneath is None:
        return os.fdopen(open_regular(path, follow=True), "rb")
    try:
        parts = path.relative_to(beneath).parts
    except ValueError:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path)) from None
    return os.fdopen(open_walking(beneath, parts), "rb")


def read(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """Return all of it. Raises `OSError` like `open_file`, also for a file of more than `limit` bytes."""
    content = read_start(path, limit=limit + 1, beneath=beneath)
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def read_start(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """Return its first `limit` bytes, fewer if it is shorter. Raises `OSError` like `open_file`."""
    with open_file(path, beneath=beneath) as file:
        return file.read(limit)


def read_end(path: Path, *, limit: int, beneath: Path | None = None) -> bytes:
    """Return its last `limit` bytes, fewer if it is shorter. Raises `OSError` like `open_file`."""
    with open_file(path, beneath=beneath) as file:
        file.seek(max(0, size_of(file) - limit))
        return file.read(limit)


def last_values(path: Path, *, limit: int, beneath: Path | None = None) -> Iterator[object]:
    """Yield the JSON values of a journal's last `limit` bytes, the oldest first.

    Lines that are not JSON, are `null`, are cut at the beginning, or are longer than 1 MiB are skipped. Raises
    `OSError` like `open_file`, at the first value and not at the call.
    """
    for line in io.BytesIO(read_end(path, limit=limit, beneath=beneath)):
        value = decoded(line) if len(line) <= LONGEST_LINE_BYTES else None
        if value is not None:
            yield value


def read_object(path: Path, *, limit: int, beneath: Path | None = None) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if it cannot be read, is larger than `limit` bytes, or is no
    object.

    It raises nothing.
    """
    try:
        value = decoded(read(path, limit=limit, beneath=beneath))
    except OSError:
        return {}
    return value if isinstance(value, dict) else {}


def decoded(text: bytes) -> Any:
    """Return a JSON value; None if it is `null`, is not JSON, or is too deeply nested."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def entries(path: Path, *, limit: int, beneath: Path) -> list[tuple[str, os.stat_result]]:
    """Return the names in a folder with what the file system says about each, sorted; also links, which are not
    followed.

    Of more than `limit` entries it returns any `limit`, not the first by name. `beneath`: as in `open_file`. Raises
    `OSError` if the folder does not exist, is a link, or is not below `beneath`.
    """
    try:
        folder = open_folder_walking(beneath, path.relative_to(beneath).parts)
    except ValueError:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path)) from None
    try:
        with os.scandir(folder) as found:
            names = [(each.name, each.stat(follow_symlinks=False)) for each in itertools.islice(found, limit)]
    finally:
        os.close(folder)
    return sorted(names)


def size_of(file: BinaryIO) -> int:
    """Return its current size in bytes."""
    return os.fstat(file.fileno()).st_size
