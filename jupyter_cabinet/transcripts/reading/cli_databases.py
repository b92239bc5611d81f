"""Opens the databases in which CLIs keep sessions: read-only, and from a copy if the CLI has it locked. Blocks.

The database is somebody else's: reading it never waits long, has limits, and follows no links. Called by `sources.py`.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Self

from ...core.paths import open_walking
from ...storage.filesystem import untrusted_files

MOST_COPIED_BYTES = 2 << 30
LONGEST_VALUE_BYTES = 64 << 20
READING_SECONDS = 30.0  # of one database
PROGRESS_STEPS = 10_000  # of SQLite's machine, between two looks at the clock
BESIDE = ("-journal", "-wal", "-shm")
DATABASE_SECONDS = 2.0  # how long to wait for a locked database


class DatabaseCopies:
    """Copies of locked databases, each made once for all sessions that are read together. A context manager.

    A database that cannot be copied is not tried again.
    """

    def __init__(self) -> None:
        self._folders: dict[Path, Path] = {}
        self._failed: dict[Path, Exception] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the copies."""
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        self._folders.clear()
        self._failed.clear()

    def has(self, path: Path) -> bool:
        """Return whether a copy of a database was made, or tried."""
        return path in self._folders

    def copy_of(self, path: Path) -> Path:
        """Return the path of the copy, which is made by the first call. Raises `OSError`, `sqlite3.Error`.

        A database of more than 2 GiB is not copied. An error is raised again by each further call.
        """
        if path in self._failed:
            raise self._failed[path]
        if path not in self._folders:
            self._folders[path] = Path(tempfile.mkdtemp(prefix="cabinet-sessions-"))
            try:
                for suffix in ("", "-wal"):
                    _copy(Path(f"{path}{suffix}"), self._copy(path, suffix), must_exist=not suffix)
            except (OSError, sqlite3.Error) as error:
                self._failed[path] = error
                raise
        return self._copy(path)

    def _copy(self, path: Path, suffix: str = "") -> Path:
        return self._folders[path] / f"copy.db{suffix}"


@contextmanager
def opened_database(path: Path, folder: Path, copies: DatabaseCopies) -> Iterator[sqlite3.Connection]:
    """Open a CLI's database for reading. If the CLI has it locked for 2 seconds, a copy is read.

    Reading a database in WAL mode needs its `-shm` file, so one in a folder that cannot be written is copied too.
    Raises `OSError` if it is not a regular file below `folder`, and `sqlite3.Error`, also if it is read for more than
    30 seconds.
    """
    os.close(open_walking(folder, path.relative_to(folder).parts))  # a regular file, and no link on the way
    for suffix in BESIDE:  # SQLite opens them itself, and would wait for the other end of a named pipe
        beside = Path(f"{path}{suffix}")
        if (beside.exists() or beside.is_symlink()) and not stat.S_ISREG(beside.lstat().st_mode):
            raise OSError(errno.ENOTSUP, "Not a regular file", str(beside))
    connection = None if copies.has(path) else _openable(path)
    with closing(connection if connection is not None else _read_only(copies.copy_of(path))) as opened:
        yield opened


def _openable(path: Path) -> sqlite3.Connection | None:
    """Return a connection; None if the database is locked or needs to be written."""
    connection = _read_only(path)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error) or "unable to open" in str(error) or "readonly" in str(error):
            return None
        raise
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _read_only(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=DATABASE_SECONDS, check_same_thread=False
    )
    until = monotonic() + READING_SECONDS
    connection.set_progress_handler(lambda: int(monotonic() > until), PROGRESS_STEPS)  # a view may have no end
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)
    connection.text_factory = lambda text: text.decode(errors="replace")
    for setting in ("query_only=ON", "trusted_schema=OFF", "mmap_size=0", "cell_size_check=ON"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _copy(source: Path, target: Path, *, must_exist: bool) -> None:
    try:
        with untrusted_files.open_file(source) as file, target.open("xb") as made:
            if untrusted_files.size_of(file) > MOST_COPIED_BYTES:
                raise sqlite3.OperationalError("the database is locked, and too large to be copied")
            shutil.copyfileobj(file, made)
    except FileNotFoundError:
        if must_exist:
            raise
