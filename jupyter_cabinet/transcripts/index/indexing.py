"""Finds the sessions that have changed, and reads them into the index, many in one transaction. Blocks; one at a time.

Called by `indexer.py` in a worker thread; `session_reading.py` reads each of them. A session whose file has vanished
stays in the index, marked as gone.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

import msgspec

from ...runtimes.session_entries import SessionDatabase, SessionStore
from .. import health
from ..reading.cli_databases import DatabaseCopies
from ..reading.sources import Source, file_source, find_sources
from .session_reading import SessionReading

log = logging.getLogger(__name__)
BATCH_SECONDS = 0.5  # after which a transaction ends as soon as a turn of a file does; other processes wait as long


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep has found: sessions to read, newest first, and how many have vanished."""

    changed: tuple[Source, ...]
    gone: int


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """What one transaction has read. `unfinished`: sessions of which a part is still to be read."""

    ids: tuple[str, ...]
    unfinished: tuple[Source, ...]


def sweep(connection: sqlite3.Connection, stores: dict[str, tuple[SessionStore, ...]], copies: DatabaseCopies) -> Sweep:
    """Compare the stores with the index, and return what is to be read. Sessions that have vanished are marked as gone.

    Databases that cannot be read now count neither as changed nor as gone.
    """
    known = {
        (row[0], row[1], row[2]): (row[3], row[4], row[5])
        for row in connection.execute(
            "SELECT runtime, source, CASE WHEN store_is_database THEN native_id ELSE '' END, revision, is_gone,"
            " health_version FROM sessions"
        )
    }
    changed, present, unreadable = [], set(), set[str]()
    for runtime, of_runtime in stores.items():
        for number, store in enumerate(of_runtime):
            is_database = isinstance(store, SessionDatabase)
            for source in find_sources(runtime, number, store, unreadable, copies):
                key = (runtime, str(source.path), source.facts.native_id if is_database else "")
                present.add(key)
                if known.get(key) != (source.revision, 0, health.VERSION):
                    changed.append(source)
    gone = [
        key for key, (_, is_gone, _) in known.items() if key not in present and not is_gone and key[1] not in unreadable
    ]
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(
        "UPDATE sessions SET is_gone = 1 WHERE runtime = ? AND source = ? AND (? = '' OR native_id = ?)",
        [(runtime, path, native, native) for runtime, path, native in gone],
    )
    connection.execute("COMMIT")
    return Sweep(changed=tuple(sorted(changed, key=_age)), gone=len(gone))


def compare_files(
    connection: sqlite3.Connection, stores: dict[str, tuple[SessionStore, ...]], paths: Iterable[str]
) -> Sweep | None:
    """Compare only the files that were reported to have changed. None: that is not enough, and everything is compared.

    A sweep lists all files, which takes a second for ten thousand sessions.
    """
    changed = list[Source]()
    for path in paths:
        try:
            source = file_source(stores, Path(path))
        except LookupError:
            continue
        if source is None:
            return None
        known = connection.execute(
            "SELECT revision, is_gone, health_version FROM sessions WHERE source = ? AND runtime = ?",
            (path, source.runtime),
        ).fetchone()
        if known != (source.revision, 0, health.VERSION):
            changed.append(source)
    return Sweep(changed=tuple(sorted(changed, key=_age)), gone=0)


def _age(source: Source) -> float:
    """Sort by the time of the last change, newest first; sessions in databases come first."""
    return float("-inf") if source.modified_ns is None else -source.modified_ns


def read_sources(
    connection: sqlite3.Connection,
    sources: Iterable[tuple[SessionStore, Source]],
    copies: DatabaseCopies,
    *,
    seconds: float = BATCH_SECONDS,
) -> Iterator[Batch]:
    """Read one turn of each session into the index, many in one transaction. Raises `sqlite3.Error`.

    One that cannot be read now is left out. `seconds`: after which a transaction ends.
    """
    waiting = iter(sources)
    while True:
        until, ids, unfinished, at_end = monotonic() + seconds, list[str](), list[Source](), True
        connection.execute("BEGIN IMMEDIATE")
        try:
            for store, source in waiting:
                for id, is_finished in _read_source(connection, store, source, copies):
                    ids.append(id)
                    unfinished += [] if is_finished else [source]
                if monotonic() > until:
                    at_end = False
                    break
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        if ids:
            yield Batch(ids=tuple(ids), unfinished=tuple(unfinished))
        if at_end:
            return


def _read_source(
    connection: sqlite3.Connection, store: SessionStore, source: Source, copies: DatabaseCopies
) -> Iterator[tuple[str, bool]]:
    reading = SessionReading(connection, store, source, copies)
    try:
        yield reading.read()
    except OSError as error:  # what was read until now counts, and the next sweep tries again
        log.warning("The session in %s cannot be read: %s", source.path, error)
    except sqlite3.Error:  # of the index itself
        raise
    except Exception:  # of a reader, perhaps of another package: it must not keep the others from being read
        log.exception("The session in %s cannot be understood. It is tried again when it changes.", source.path)
        reading.give_up()
