"""The full-text index of one agent's memory: a SQLite file that is derived from the agent's files. Blocks.

It lies outside the root and can be removed at any time. It is brought up to date before each search: only files whose
state has changed are read, and what has been read is kept if there is no time for the rest. Called by
`memory_search.py`, which knows the files.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from ...core.errors import Unavailable
from .passages import passages
from .word_matching import folded

LAYOUT = 1  # an index of another layout is removed and built again
BUSY_SECONDS = 10
SUFFIXES = ("", "-wal", "-shm", "-journal")
INDEXING_SECONDS = 5  # of a search; what is left is for the next ones
COMMIT_SECONDS = 0.5  # of work at most is lost if the server ends
TRIGRAM = 3  # characters; the index does not know shorter words, so these are looked for in every passage
TABLES = f"""
CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,   -- relative to the agent's folder
    state TEXT NOT NULL,         -- before it was read. Empty: read it again next time
    digest BLOB NOT NULL,
    modified REAL NOT NULL
);
CREATE TABLE passages (
    number INTEGER PRIMARY KEY,  -- also the rowid in `compared`
    file INTEGER NOT NULL,
    start INTEGER NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
    tainted INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX passages_of_file ON passages (file);
CREATE VIRTUAL TABLE compared USING fts5(text, tokenize='trigram case_sensitive 1');
PRAGMA user_version={LAYOUT};
"""
EMPTY = "DROP TABLE IF EXISTS compared; DROP TABLE IF EXISTS passages; DROP TABLE IF EXISTS files;"

FIELDS = ("path", "modified", "start", "first_line", "last_line", "tainted")
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError, msgspec.ValidationError)
Read = Callable[[str], bytes | None]


class IndexedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it is on disk now. `state`: differs after each change; empty: it may change again unnoticed."""

    path: str
    state: str
    modified: float


class StoredPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that has all words. `start`: its first character in the file."""

    path: str
    modified: float
    start: int
    first_line: int
    last_line: int
    tainted: bool
    text: str


class IndexFindings(msgspec.Struct, frozen=True, kw_only=True):
    """The passages that were found, best first. `unfinished`: the number of files that are still to be indexed."""

    passages: tuple[StoredPassage, ...]
    unfinished: int = 0


class MemoryIndex:
    """The index in one SQLite file. `path`: its folder exists, and is private to the server's user."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_checked = False

    def search(
        self,
        files: Sequence[IndexedFile],
        read: Read,
        words: Sequence[str],
        *,
        limit: int,
        with_tainted: bool,
    ) -> IndexFindings:
        """Return the passages of these files that contain all words, best first.

        It indexes changed files in the given order, for `INDEXING_SECONDS`; nothing is found in the others. `read`:
        returns the content of a file, None if it cannot be read. A damaged index is built again. Raises `Unavailable`
        if the index cannot be written.
        """
        for is_last in (False, True):
            try:
                with closing(self._open()) as connection:
                    self._check(connection)
                    unfinished = _update(connection, files, read)
                    found = _found(connection, words, limit, with_tainted=with_tainted, without=unfinished)
                    return IndexFindings(passages=tuple(found), unfinished=len(unfinished))
            except (*DAMAGE, OSError) as error:
                if is_last or (isinstance(error, sqlite3.OperationalError) and "locked" in str(error)):
                    raise Unavailable(f"The index of the agent's memory cannot be used: {error}. Try again.") from error
                self.remove()
                self._is_checked = False
        raise AssertionError("the loop returns or raises")

    def remove(self) -> None:
        """Remove it, if possible: the next search builds it again."""
        for suffix in SUFFIXES:
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink()

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raise `sqlite3.DatabaseError` if the parts of the index do not fit together.

        The whole of it is compared once, because damage would otherwise hide passages from each search unnoticed.
        """
        counts = connection.execute(
            "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM compared_docsize),"
            " (SELECT count(*) FROM passages WHERE file NOT IN (SELECT number FROM files))"
        ).fetchone()
        if counts[0] != counts[1] or counts[2]:
            raise sqlite3.DatabaseError("passages are missing")
        if not self._is_checked:
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("the database is damaged")
            connection.execute("INSERT INTO compared (compared) VALUES ('integrity-check')")
            self._is_checked = True

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            for setting in ("journal_mode=WAL", "synchronous=NORMAL", "mmap_size=0", "trusted_schema=OFF"):
                connection.execute(f"PRAGMA {setting}")
            self._path.chmod(0o600)
            if _layout(connection) != LAYOUT:
                with _transaction(connection):
                    if _layout(connection) != LAYOUT:  # another server may have built it meanwhile
                        for statement in f"{EMPTY}{TABLES}".split(";"):
                            connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection


def _layout(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite ends it itself if the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _known(connection: sqlite3.Connection) -> Mapping[str, str]:
    return dict(connection.execute("SELECT path, state FROM files"))


def _update(connection: sqlite3.Connection, files: Sequence[IndexedFile], read: Read) -> list[str]:
    """Index the files that have changed. Return the paths of those for which there was no time."""
    end = time.monotonic() + INDEXING_SECONDS
    known = _known(connection)
    if gone := known.keys() - {each.path for each in files}:
        with _transaction(connection):
            for path in gone:
                _forget(connection, path)
    changed = [each for each in files if not each.state or known.get(each.path) != each.state]
    done = 0
    while done < len(changed) and (not done or time.monotonic() < end):  # at least one, so that each can be finished
        commit = min(end, time.monotonic() + COMMIT_SECONDS)
        with _transaction(connection):
            while done < len(changed):
                _index(connection, changed[done], read(changed[done].path))
                done += 1
                if time.monotonic() >= commit:
                    break
    return [each.path for each in changed[done:]]


def _index(connection: sqlite3.Connection, file: IndexedFile, content: bytes | None) -> None:
    """Store the passages of a file, unless they are the same as before. A file that cannot be read has none."""
    state, content = (file.state, content) if content is not None else ("", b"")
    digest = hashlib.blake2b(content, digest_size=16).digest()
    row = connection.execute("SELECT number, digest FROM files WHERE path = ?", (file.path,)).fetchone()
    if row is not None and row[1] == digest:
        values = (state, file.modified, row[0])
        connection.execute("UPDATE files SET state = ?, modified = ? WHERE number = ?", values)
        return
    if row is not None:
        _forget(connection, file.path)
    cursor = connection.execute(
        "INSERT INTO files (path, state, digest, modified) VALUES (?, ?, ?, ?)",
        (file.path, state, digest, file.modified),
    )
    number = cursor.lastrowid
    for each in passages(content.decode(errors="replace")):
        if not each.text.strip():
            continue
        cursor = connection.execute(
            "INSERT INTO passages (file, start, first_line, last_line, tainted, text) VALUES (?, ?, ?, ?, ?, ?)",
            (number, each.start, each.first_line, each.last_line, each.tainted, each.text),
        )
        compared = (cursor.lastrowid, folded(each.text))
        connection.execute("INSERT INTO compared (rowid, text) VALUES (?, ?)", compared)


def _forget(connection: sqlite3.Connection, path: str) -> None:
    row = connection.execute("SELECT number FROM files WHERE path = ?", (path,)).fetchone()
    if row is not None:  # another server has removed it otherwise
        connection.execute("DELETE FROM compared WHERE rowid IN (SELECT number FROM passages WHERE file = ?)", row)
        connection.execute("DELETE FROM passages WHERE file = ?", row)
        connection.execute("DELETE FROM files WHERE number = ?", row)


def _found(
    connection: sqlite3.Connection, words: Sequence[str], limit: int, *, with_tainted: bool, without: Sequence[str]
) -> list[StoredPassage]:
    """Return the passages with all words, best first; equally good ones newest first, which are last in a file.

    `without`: paths of files that have changed since they were indexed.
    """
    long = [word for word in words if len(word) >= TRIGRAM]
    short = [word for word in words if len(word) < TRIGRAM]
    conditions = ["(? OR NOT tainted)", *("instr(compared.text, ?)" for _ in short)]
    values: list[object] = [with_tainted, *short]
    if without:
        conditions.append("path NOT IN (SELECT value FROM json_each(?))")
        values.append(msgspec.json.encode(without).decode())
    if long:
        conditions.append("compared MATCH ?")
        values.append(" AND ".join('"' + word.replace('"', '""') + '"' for word in long))
    rows = connection.execute(
        f"SELECT {', '.join(FIELDS)}, passages.text"  # noqa: S608 - constants
        " FROM compared JOIN passages ON passages.number = compared.rowid JOIN files ON files.number = file"
        f" WHERE {' AND '.join(conditions)}"
        f" ORDER BY {'bm25(compared), ' if long else ''}modified DESC, path, start DESC LIMIT ?",
        [*values, limit],
    )
    found = [dict(zip((*FIELDS, "text"), row, strict=True)) for row in rows]
    return msgspec.convert(found, list[StoredPassage], strict=False)  # SQLite has no boolean values
