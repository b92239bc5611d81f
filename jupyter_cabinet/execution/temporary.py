"""Files that a CLI needs while it lives: 0600, always removed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..runtimes.model import TemporaryFile


@contextmanager
def written(files: Sequence[TemporaryFile]) -> Iterator[None]:
    """Write the files with mode 0600; remove them at the end, whatever happens.

    Raises `FileExistsError` if one exists, and other `OSError`s. Folders are not made.
    """
    made: list[Path] = []
    try:
        for file in files:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            with os.fdopen(os.open(file.path, flags, 0o600), "wb") as opened:
                made.append(Path(file.path))
                opened.write(file.content)
        yield
    finally:
        for path in made:
            path.unlink(missing_ok=True)
