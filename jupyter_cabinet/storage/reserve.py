"""Some megabytes that are released when the disk is full, so that final records can still be written.

Final states, answers, the off switch. New work stops being started long before that (`places.check_room`).
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

from .filesystem.private_folders import LEAST_FREE_BYTES

log = logging.getLogger(__name__)

RESERVE_BYTES = 8 * 2**20
NAME = "reserve"


class Reserve:
    """A file of the state folder. None: there is no such folder, and no reserve. Its methods block."""

    def __init__(self, state_folder: Path | None) -> None:
        self._path = None if state_folder is None else state_folder / NAME

    def keep(self) -> None:
        """Create it if it does not exist and there is space for it beside 512 MiB.

        A failure to create it is only logged.
        """
        if self._path is None or self._path.exists():
            return
        try:
            if shutil.disk_usage(self._path.parent).free < LEAST_FREE_BYTES + RESERVE_BYTES:
                return
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            file = os.open(self._path, flags, 0o600)
            try:
                os.posix_fallocate(file, 0, RESERVE_BYTES)
            finally:
                os.close(file)
        except OSError as error:
            log.warning("No disk space could be reserved: %s", error)

    def release(self) -> bool:
        """Remove it. Return False if there was none, or if it could not be removed."""
        try:
            if self._path is None or self._path.stat(follow_symlinks=False).st_size == 0:
                return False
            self._path.unlink()
        except OSError:
            return False
        log.error("The disk is full. The reserved space is used up now. Free some space.")
        return True
