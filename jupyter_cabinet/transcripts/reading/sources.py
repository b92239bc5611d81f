"""Finds the files and databases in which the CLIs keep sessions, and reads their items.

A transcript is written by somebody else, at any time: files grow, shrink, are replaced and vanish, and a link in
between leads anywhere. Files are opened through `storage/filesystem/untrusted_files.py`, databases by
`cli_databases.py`.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Generator, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import msgspec

from ...runtimes.port import StoresSessions
from ...runtimes.registry import Runtimes
from ...runtimes.session_entries import Entry, Item, SessionDatabase, SessionFacts, SessionFiles, SessionStore
from ...storage.filesystem import untrusted_files
from ..recorded.lines import store_of
from .cli_databases import DatabaseCopies, opened_database
from .positioned_lines import Place, line_at, lines_from

log = logging.getLogger(__name__)
TAIL_BYTES = 4096
MOST_FILES = 200_000  # of one store
LONGEST_NAME = 300
ENTRY_NAMES = dict.fromkeys(("id", "call_id", "tool", "model", "answer", "parent", "side"), LONGEST_NAME)
FACT_NAMES = {"native_id": LONGEST_NAME, "parent_id": LONGEST_NAME, "cwd": 4096, "title": 2000}


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A session as it was found. `revision`: differs after each change. `file`: the same while a file only grows."""

    runtime: str
    store: int  # which of the runtime's stores
    path: Path
    revision: str
    file: str = ""  # device and inode; empty: in a database
    modified_ns: int | None = None  # of the file; None: in a database
    facts: SessionFacts


class Unreadable(Exception):
    """A database cannot be read now. Its arguments: its path, and the reason."""


class Stores:
    """The stores of all runtimes, asked for once per sweep because their settings may change.

    `recorded`: the folder with the sessions that Cabinet writes for runtimes that keep none.
    """

    def __init__(self, runtimes: Runtimes, environment: Mapping[str, str], *, recorded: Path) -> None:
        self._runtimes = runtimes
        self._environment = environment
        self._recorded = recorded

    def all(self) -> dict[str, tuple[SessionStore, ...]]:
        """Return them by runtime. A runtime that fails counts as one without stores. Blocks."""
        found: dict[str, tuple[SessionStore, ...]] = {}
        for name in self._runtimes.names():
            runtime = self._runtimes.get(name)
            if isinstance(runtime, StoresSessions):
                try:
                    found[name] = runtime.session_stores(self._environment)
                except Exception:  # code of another package: its failure must not affect the other runtimes
                    log.exception("The sessions of %s cannot be located", name)
        kept = {name: stores for name, stores in found.items() if stores}
        others = (name for name in self._runtimes.names() if name not in kept)
        own = (name for name in others if self._runtimes.sessions_of(name) == name)
        return kept | {name: (store_of(self._recorded, name),) for name in own}

    def recorded(self) -> set[str]:
        """Return the runtimes whose sessions Cabinet writes. Blocks."""
        folders = {name: {store.folder for store in stores} for name, stores in self.all().items()}
        return {name for name, of_runtime in folders.items() if of_runtime == {self._recorded}}


def find_sources(
    runtime: str, number: int, store: SessionStore, unreadable: set[str], copies: DatabaseCopies
) -> Iterator[Source]:
    """Yield the sessions of one store, as they are now, from at most 200,000 files. Blocks.

    Links, and files that cannot be read, are left out. `unreadable` receives the paths of databases that cannot be read
    now.
    """
    seen: set[Path] = set()
    for pattern in store.patterns:
        for path in _matching(store.folder, pattern):
            if path in seen:
                continue
            seen.add(path)
            if len(seen) > MOST_FILES:
                log.warning("%s has more than %d files of sessions. The others are not read.", runtime, MOST_FILES)
                return
            if isinstance(store, SessionFiles):
                yield from _file(runtime, number, store, path)
            else:
                try:
                    yield from _database(runtime, number, store, path, copies)
                except Unreadable as error:
                    log.warning("The sessions in %s cannot be read now: %s", *error.args)
                    unreadable.add(str(path))


def file_source(stores: Mapping[str, tuple[SessionStore, ...]], path: Path) -> Source | None:
    """Return the session of a file that was reported to have changed. Blocks.

    None: more than this file has to be compared, because it has vanished, is a folder, belongs to a database, or was
    reported by another name. Raises `LookupError` for a file that is no session.
    """
    is_inside = False
    for runtime, of_runtime in stores.items():
        for number, store in enumerate(of_runtime):
            if not path.is_relative_to(store.folder):
                continue
            if not isinstance(store, SessionFiles):
                return None
            is_inside, inside = True, path.relative_to(store.folder)
            if any(len(Path(each).parts) == len(inside.parts) and inside.match(each) for each in store.patterns):
                return next(_file(runtime, number, store, path), None)
    if is_inside and path.is_file():
        raise LookupError(path)
    return None


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from folder.glob(pattern)
    except OSError as error:
        log.warning("%s cannot be read: %s", folder, error.strerror)


def _file(runtime: str, number: int, store: SessionFiles, path: Path) -> Iterator[Source]:
    try:
        about = path.lstat()
    except OSError:  # it has vanished
        return
    try:
        str(path).encode()
        facts = store.facts_of_path(path.relative_to(store.folder))
    except Exception as error:  # a name that is not UTF-8, or a reader of another package
        log.warning("%r is not read: %s", path, error)
        return
    if facts.native_id and not path.is_symlink():
        file = f"{about.st_dev}:{about.st_ino}"
        yield Source(
            runtime=runtime,
            store=number,
            path=path,
            revision=f"{file}:{about.st_size}:{about.st_mtime_ns}",
            file=file,
            modified_ns=about.st_mtime_ns,
            facts=facts,
        )


def _database(
    runtime: str, number: int, store: SessionDatabase, path: Path, copies: DatabaseCopies
) -> Iterator[Source]:
    try:
        with opened_database(path, store.folder, copies) as connection:
            found = list(islice(store.sessions(connection), MOST_FILES))
    except (OSError, sqlite3.Error) as error:
        raise Unreadable(path, str(error)) from error
    for each in found:
        if each.facts.native_id:
            yield Source(runtime=runtime, store=number, path=path, revision=each.revision, facts=each.facts)


def items_of_file(store: SessionFiles, path: Path, place: Place) -> Generator[tuple[int, Item], None, Place]:
    """Yield the items of the next 16 MiB, each with the position of its line in bytes. Blocks.

    Returns the place for the next call. Raises `OSError`. A line that is no JSON object, or longer than 8 MiB, becomes
    an entry that says so.
    """
    with untrusted_files.open_file(path, beneath=store.folder) as file:
        lines = lines_from(file, place)
        while True:
            try:
                line = next(lines)
            except StopIteration as end:
                reached: Place = end.value
                return reached
            if line.value is not None:
                for item in store.read_line(line.position, line.value):
                    yield line.position, bounded(item)
            elif line.size > 1:
                yield line.position, _unreadable(line.position, line.size)


def bounded(item: Item) -> Item:
    """Cut ids and names to what any CLI needs: a line may have megabytes in each."""
    names = FACT_NAMES if isinstance(item, SessionFacts) else ENTRY_NAMES if isinstance(item, Entry) else {}
    long = {name: value for name, most in names.items() if (value := getattr(item, name)) and len(value) > most}
    cut = {name: f"{value[: names[name]]}#{_digest(value)}" for name, value in long.items()}
    return msgspec.structs.replace(item, **cut) if cut else item


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def _unreadable(position: int, size: int) -> Entry:
    return Entry(id=f"line {position}", kind="other", text=f"This line ({size:,} bytes) cannot be read.")


def items_of_database(
    store: SessionDatabase,
    path: Path,
    native_id: str,
    copies: DatabaseCopies,
    positions: Collection[int] | None = None,
) -> Iterator[tuple[int, Item]]:
    """Yield the items of a session in a database, each with its position. Raises `OSError`, also for errors of SQLite.

    `positions`: only of these; None: all.
    """
    try:
        with opened_database(path, store.folder, copies) as connection:
            for position, item in store.entries(connection, native_id, positions):
                yield position, bounded(item)
    except sqlite3.Error as error:
        raise OSError(f"the database cannot be read: {error}") from error


def items_at(
    store: SessionStore, path: Path, native_id: str, positions: Collection[int], copies: DatabaseCopies
) -> Iterator[tuple[int, Item]]:
    """Yield the items of the lines or rows at these positions. Raises `OSError`. Blocks.

    A line that cannot be read becomes an entry that says so.
    """
    if isinstance(store, SessionDatabase):
        yield from items_of_database(store, path, native_id, copies, positions)
        return
    with untrusted_files.open_file(path, beneath=store.folder) as file:
        for position in sorted(positions):
            line = line_at(file, position)
            if line.value is None:
                yield position, _unreadable(position, line.size)
                continue
            for item in store.read_line(position, line.value):
                yield position, bounded(item)


def digest_before(store: SessionFiles, path: Path, position: int) -> str:
    """Return a digest of the bytes before a position, to notice that a file was replaced. Raises `OSError`."""
    with untrusted_files.open_file(path, beneath=store.folder) as file:
        file.seek(max(0, position - TAIL_BYTES))
        return blake2b(file.read(min(position, TAIL_BYTES)), digest_size=8).hexdigest()
