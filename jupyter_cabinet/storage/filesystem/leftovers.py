"""Removes the temporary files that a killed server has left of a replacement (`files.replace`).

Called once at the start, by `backend.py`. It is no garbage collection: only files with exactly such a name are removed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from . import files

log = logging.getLogger(__name__)

# People and agents keep their own files in `workspace`; version control keeps its own temporary files.
NOT_ENTERED = frozenset({"workspace", ".git"})


async def clean_up(state_folder: Path, folders: Iterable[Path]) -> None:
    """Remove leftovers in or below these folders. Not being able to is only logged.

    `state_folder`: on the same file system. It may take a while, so nothing should wait for it.
    """
    try:
        before = await asyncio.to_thread(time_of_file_system, state_folder)
        await asyncio.to_thread(remove_leftovers, folders, before=before)
    except OSError as error:
        log.warning("Temporary files of killed servers could not be removed: %s", error)


def time_of_file_system(folder: Path) -> int:
    """Return now, in nanoseconds since 1970, by the clock that stamps new files in this folder.

    Raises `OSError`. Blocks.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        return os.fstat(file.fileno()).st_mtime_ns


def remove_leftovers(folders: Iterable[Path], *, before: int) -> int:
    """Remove leftovers in or below these folders that were last changed before that time. Return how many. Blocks.

    `before`: in nanoseconds since 1970, see `time_of_file_system`: a live server may be writing a younger one. No link
    is followed, and only regular files of this user that have one name are removed. Folders named `workspace` or `.git`
    are not entered. Files that cannot be removed stay, without an error.
    """
    return sum(_remove_below(folder, before) for folder in folders)


def _remove_below(top: Path, before: int) -> int:
    removed = 0
    with suppress(FileNotFoundError):  # the folder does not exist
        for place, below, names, descriptor in os.fwalk(top, follow_symlinks=False):
            below[:] = [name for name in below if name not in NOT_ENTERED]
            for name in filter(files.TEMPORARY.fullmatch, names):
                with suppress(OSError):  # somebody else has removed it, or it may not be removed
                    if _is_left(name, descriptor, before):
                        os.unlink(name, dir_fd=descriptor)
                        log.info("Removed %s/%s, which a killed server has left.", place, name)
                        removed += 1
    return removed


def _is_left(name: str, folder: int, before: int) -> bool:
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    is_ours = stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_uid == os.geteuid()
    return is_ours and found.st_mtime_ns < before
