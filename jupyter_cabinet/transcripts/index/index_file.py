"""The index of sessions: a SQLite file that is derived from the CLIs' transcripts and can be removed at any time.

It has no text of a transcript except titles and error messages: an entry has the position of its line, and the
full-text index keeps only which words and trigrams occur in which entry. One process writes, under a file lock; any
number read.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...storage.filesystem.private_folders import private_folder

# An index of another layout is removed and built again. Raise it also if transcripts are read differently.
LAYOUT = 4
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    runtime TEXT NOT NULL,
    native_id TEXT NOT NULL,
    source TEXT NOT NULL,             -- absolute path of the file
    store INTEGER NOT NULL,           -- which of its runtime's stores
    store_is_database INTEGER NOT NULL,
    revision TEXT NOT NULL,           -- as it was read; empty: a part of the file is still to be read
    file TEXT NOT NULL DEFAULT '',    -- device and inode
    read_to INTEGER NOT NULL DEFAULT 0,
    inside_line INTEGER,              -- the beginning of a long line that `read_to` is in the middle of
    tail TEXT NOT NULL DEFAULT '',    -- digest of the bytes before `read_to`
    cwd TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    native_title TEXT NOT NULL DEFAULT '',
    first_words TEXT NOT NULL DEFAULT '',
    parent_id TEXT NOT NULL DEFAULT '',  -- native id
    is_sub_agent INTEGER NOT NULL DEFAULT 0,
    context_window INTEGER NOT NULL DEFAULT 0,
    started_at REAL, ended_at REAL,
    messages INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    models TEXT NOT NULL DEFAULT '[]',
    usage TEXT NOT NULL DEFAULT '{}',
    stored_usage TEXT NOT NULL DEFAULT '',
    cost_usd REAL, stored_cost_usd REAL,
    grade TEXT, health TEXT, health_version INTEGER NOT NULL DEFAULT 0,
    is_gone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (ended_at DESC);
CREATE INDEX IF NOT EXISTS sessions_by_source ON sessions (source);
CREATE INDEX IF NOT EXISTS sessions_by_native_id ON sessions (runtime, native_id);
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY,       -- also the rowid in `words` and `trigrams`
    session INTEGER NOT NULL,
    place INTEGER NOT NULL,           -- order within the session
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    position INTEGER NOT NULL,        -- of its line or row
    at REAL, parent TEXT, side TEXT, call_id TEXT, tool TEXT, answer TEXT, model TEXT,
    input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cost_usd REAL,
    digest INTEGER NOT NULL DEFAULT 0,
    flags INTEGER NOT NULL DEFAULT 0, -- 1: error, 2: may change files, 4: changes a file
    brief TEXT                        -- of an error
);
CREATE INDEX IF NOT EXISTS entries_of_session ON entries (session, place);
CREATE TABLE IF NOT EXISTS links (    -- lines without an entry, and the entry that each continues
    session INTEGER NOT NULL, id TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (session, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage (
    session INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL, answers INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL,
    cost_usd REAL, PRIMARY KEY (session, day, model)
) WITHOUT ROWID;
"""
FULL_TEXT = """
-- Which words occur in which entry, and which trigrams in what people and agents have said. Measured over source code:
-- words take 0.07 of the text's size at 75 MiB/s, trigrams 0.43 at 9 MiB/s, so outputs of tools have no trigrams.
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', tokenize='unicode61', detail=none);
CREATE VIRTUAL TABLE IF NOT EXISTS trigrams USING fts5(text, content='', tokenize='trigram', detail=none);
"""
LEAST_REMOVED = 1000  # entries: fewer take no space worth reading all transcripts again
BUSY_SECONDS = 10
SUFFIXES = ("", "-wal", "-shm", "-journal")


class IndexFile:
    """Opens the index. Each connection belongs to one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """`folder`: made here, and private to the server's user."""
        self.folder = private_folder(folder)
        self.path = self.folder / "index.db"

    def open(self) -> sqlite3.Connection:
        """Return a connection to the index; an index of another layout, or a damaged one, is built again, empty.
        Blocks.

        The caller closes it. Raises `sqlite3.OperationalError` if it is locked for more than 10 seconds.
        """
        try:
            return self._opened()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            self.remove()
            return self._opened()

    def remove(self) -> None:
        """Remove it: the next `open` begins an empty one."""
        for suffix in SUFFIXES:
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            # A crash of the machine can damage it, which is noticed, and then it is built again.
            for setting in ("journal_mode=WAL", "synchronous=OFF", "mmap_size=0", "trusted_schema=OFF"):
                connection.execute(f"PRAGMA {setting}")
            layout = connection.execute("PRAGMA user_version").fetchone()[0]
            if layout != LAYOUT:
                empty(connection)
            self.path.chmod(0o600)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def writer(self) -> Iterator[bool]:
        """Hold the lock of the one process that writes.

        Yields False, at once, if another process has it. Raises `OSError`.
        """
        descriptor = os.open(self.folder / "index.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(descriptor)


def empty(connection: sqlite3.Connection) -> None:
    """Remove everything that the index contains, and give the space back. Blocks."""
    names = ("words", "trigrams", "usage", "links", "entries", "sessions")
    connection.executescript("BEGIN IMMEDIATE;" + "".join(f"DROP TABLE IF EXISTS {name};" for name in names) + "COMMIT")
    connection.executescript(f"{TABLES}{FULL_TEXT}PRAGMA user_version={LAYOUT}; VACUUM;")


def has_outgrown(connection: sqlite3.Connection) -> bool:
    """Return whether most of the full-text index is about entries that were replaced. Blocks.

    They cannot be removed from it one by one, because that takes their text, which the index does not keep.
    """
    live, both = connection.execute(
        "SELECT (SELECT count(*) FROM words_docsize JOIN entries ON number = words_docsize.id),"
        " (SELECT count(*) FROM words_docsize)"
    ).fetchone()
    return bool(both - live > max(live, LEAST_REMOVED))


def forget_words(connection: sqlite3.Connection) -> None:
    """Empty the full-text index, and have every transcript that still exists read again. Blocks.

    Sessions stay in their lists meanwhile, also those whose transcripts are gone. If a transcript comes back, all of it
    is read.
    """
    connection.executescript(f"BEGIN IMMEDIATE; DROP TABLE words; DROP TABLE trigrams; {FULL_TEXT}")
    connection.execute("UPDATE sessions SET revision = '', read_to = 0, inside_line = NULL")
    connection.execute("COMMIT")
    connection.executescript("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
