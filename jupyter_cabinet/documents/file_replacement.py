"""Replaces the content of a file that other programs write too. Called by `documents/` and `notebook_tools/`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from jupyter_server.services.contents.fileio import copy2_safe, path_to_intermediate


def replace_unless_changed(path: str, content: bytes, is_expected: Callable[[bytes], bool]) -> bool:
    """Replace the content. Return whether the file had the expected content, and has `content` now. Raises `OSError`.

    Like Jupyter's own writing, it keeps a copy meanwhile and the file keeps its inode. Jupyter copies and empties the
    file after checking it; here only two system calls lie between the reading and the writing.
    """
    place = Path(path).resolve()
    copy = Path(path_to_intermediate(str(place)))  # type: ignore[no-untyped-call]
    if os.access(place.parent, os.W_OK):
        copy2_safe(str(place), str(copy))  # type: ignore[no-untyped-call]
    with os.fdopen(os.open(place, os.O_RDWR | os.O_NOFOLLOW), "r+b", buffering=0) as file:  # no link since `resolve`
        same = is_expected(file.readall())
        if same:
            file.seek(0)
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
            file.truncate(len(content))
    copy.unlink(missing_ok=True)
    return same
