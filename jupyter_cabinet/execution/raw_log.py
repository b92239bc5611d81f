"""A CLI's raw output, byte by byte, for people to read: without secrets, at most 100 MB."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Literal

from ..core.redaction import Redactor
from ..storage.filesystem import files, untrusted_files

log = logging.getLogger(__name__)

MAX_KEPT_BYTES = 100 * 2**20
MAX_SHOWN_BYTES = 10_000_000


class RawLog:
    """The growing file of one run or one open CLI."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self._file = os.fdopen(files.open_to_append(path), "ab", buffering=0)  # people read it while it grows
        self._redactors = {"stdout": redactor.fresh(), "stderr": redactor.fresh()}
        self._size = os.fstat(self._file.fileno()).st_size  # an earlier attempt or CLI may have written to it

    def write(self, data: bytes, source: Literal["stdout", "stderr"] = "stdout") -> None:
        """Keep the CLI's output. No effect after `close`, past 100 MB, or when the disk is full."""
        if not self._file.closed and self._size < MAX_KEPT_BYTES:
            self._put(self._redactors[source].feed(data))

    def close(self) -> None:
        """Write bytes held back as the possible beginning of a secret, and close the file.

        A second call has no effect.
        """
        if not self._file.closed:
            self._put(self._redactors["stdout"].flush() + self._redactors["stderr"].flush())
            self._file.close()

    def _put(self, data: bytes) -> None:
        try:
            self._size += self._file.write(data)
        except OSError as error:  # a full disk costs this log, never the run
            log.error("The raw output of an agent is no longer recorded: %s", error)
            self._size = MAX_KEPT_BYTES


def read_start(path: Path, *, beneath: Path) -> bytes:
    """Return the first 10 MB of the file, which is what people see; empty if it is missing or cannot be read.

    Blocks.
    """
    try:
        return untrusted_files.read_start(path, limit=MAX_SHOWN_BYTES, beneath=beneath)
    except OSError:
        return b""
