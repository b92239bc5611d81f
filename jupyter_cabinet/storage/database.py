"""The database: one thread, one connection, all SQL. Nothing else opens it.

`await read(fn)` and `await write(fn)` run `fn(connection)` on that thread; a write is one transaction. After a full
disk or a failed write to it, the next write first closes, reopens and checks the file.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, select
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, OperationalError

from ..core.errors import NoRoom, Unavailable
from . import dialects
from .database_checks import must_hold_records
from .driver_errors import explain_errors, first_line
from .filesystem import private_folders
from .reserve import Reserve
from .version import is_newest

log = logging.getLogger(__name__)
T = TypeVar("T")

LOOK_AGAIN_SECONDS = (0.02, 0.2)
# A database that is another process and silent for so long is away. No call of ours takes as long.
SILENT_SECONDS = 15.0
SILENT = "The database has not answered for some time. Try again in a moment."
ATTEMPTS = 3  # to do something whose connection broke
# After a connection broke during a commit: until when the database is asked whether it has happened.
IN_DOUBT_SECONDS, ASK_AGAIN_SECONDS = 15.0, 0.2
IN_DOUBT = (
    "The connection to the database broke while this was stored. Look whether it has happened before you try again."
)
NO_URL = "CabinetApp.db_url is not a SQLAlchemy URL. Correct it, for example: postgresql+psycopg://user@host/database."


def sqlite_url(path: Path) -> URL:
    """Return the URL of the SQLite database in this file. It is not parsed: a path may contain `%`, `?` and `#`."""
    return URL.create("sqlite", database=str(path))


def sqlite_file(url: str | URL) -> Path | None:
    """Return the file of a SQLite database; None for one in memory, any other, and an invalid URL."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return None
    is_file = dialects.is_sqlite(parsed) and parsed.database not in (None, "", ":memory:")
    return Path(str(parsed.database)) if is_file else None


def parsed(url: str | URL) -> URL:
    """Return the URL. Raises `Unavailable` if it is not valid."""
    try:
        return make_url(url)
    except (ArgumentError, ValueError):  # such as a port that is not a number
        raise Unavailable(NO_URL) from None  # it may contain a password


def engine_of(url: str | URL) -> Engine:
    """Return the engine of a database, without connecting.

    Raises `Unavailable` if the URL is not valid, or if the Python package of its driver is missing.
    """
    target = parsed(url)
    try:
        engine = create_engine(target, **dialects.engine_options(target))
    except ModuleNotFoundError as error:
        raise Unavailable(f"CabinetApp.db_url needs the Python package {error.name}. Install it.") from error
    except ArgumentError:
        raise Unavailable(NO_URL) from None
    explain_errors(engine)
    dialects.prepare(engine)
    return engine


class Database:
    """`.cabinet/cabinet.db`, or the database a URL names."""

    def __init__(self, url: str | URL, *, state_folder: Path | None = None) -> None:
        """`state_folder`: `.cabinet/`.

        Copies go there; a database in it is only opened if it fits the other files there.
        """
        self.url = url
        self._state_folder = state_folder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cabinet-database")
        self._engine: Engine | None = None
        self._connection: Connection | None = None
        self.busy = 0  # calls that are on the thread, or wait for it
        self._is_remote = False
        self._began: float | None = None  # when the call began that is on the thread; None: there is none
        self._is_cut = False  # that call has waited too long, so its connection was ended
        self._driver_connection: Any = None
        self._away_since, self._away = 0.0, ""  # when the last attempt to connect failed, and why
        self._doubtful = False  # a write has failed because of a full disk: check before the next
        self._reserve = Reserve(state_folder)

    async def open(self) -> None:
        """Connect and bring the tables up to date.

        Raises `Unavailable` for a database that is corrupt, newer than this code, on a network file system, or that
        cannot be opened, and for an invalid URL. Before it migrates a SQLite database, it makes a copy in
        `.cabinet/copies`.
        """
        await self._on_thread(self._open)
        await self.keep_reserve()

    async def keep_reserve(self) -> None:
        """Reserve 8 MiB of disk space again, if they were used up and there is enough by now.

        A failure is only logged.
        """
        await self._on_thread(self._reserve.keep)

    async def close(self) -> None:
        """Finish the waiting calls, disconnect, and end the thread. No call may follow."""
        await self._on_thread(self._close)
        self._thread.shutdown()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction, after the calls before it, and return its result. `work` must not write.

        It continues if the caller is cancelled, and runs again if the connection breaks. Raises what `work` raises, and
        `Unavailable` if the database is closed or does not answer.
        """
        return await self._on_thread(lambda: self._transaction(work, "DEFERRED"))

    async def answer(self) -> None:
        """Check that the database can be reached.

        Raises `Unavailable` if it is remote and does not answer. A SQLite database is not checked.
        """
        if self._is_remote:
            await self.read(lambda connection: connection.execute(select(1)).scalar())

    async def write(self, work: Callable[[Connection], T], *, then: Callable[[T], None] | None = None) -> T:
        """Run `work` in one transaction, and return its result. It runs again if the connection breaks before the
        commit.

        Raises what `work` raises, `NoRoom` when the disk is full or cannot be written, `Invalid` for a value that the
        database refuses, and `Unavailable` if the database is closed, damaged or does not answer. `then` is called on
        the loop with the committed result, in the order of the transactions, whether or not the caller still waits.
        """
        return await self._on_thread(lambda: self._checked_write(work), then)

    async def _on_thread(self, work: Callable[[], T], then: Callable[[T], None] | None = None) -> T:
        asked, is_open = time.monotonic(), self._connection is not None  # opening may take long: it migrates
        future = asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._unless_away(asked, work))
        self.busy += 1
        future.add_done_callback(self._done)
        if self._is_remote and is_open:
            self._watch(future, SILENT_SECONDS)
        if then is not None:
            future.add_done_callback(lambda done: None if done.cancelled() or done.exception() else then(done.result()))
        # shielded: a cancelled caller must not leave a half-read connection behind
        return await asyncio.shield(future)

    def _done(self, _: asyncio.Future[Any]) -> None:
        self.busy -= 1

    def _watch(self, call: asyncio.Future[Any], seconds: float) -> None:
        """End the connection if a call is on the thread for too long: nothing else ends waiting for a silent peer."""
        timer = asyncio.get_running_loop().call_later(seconds, self._look, call)
        call.add_done_callback(lambda _: timer.cancel())

    def _look(self, call: asyncio.Future[Any]) -> None:
        began = self._began
        left = SILENT_SECONDS if began is None else began + SILENT_SECONDS - time.monotonic()
        if left <= 0 and not self._is_cut:
            self._is_cut = True
            dialects.cut(self._driver_connection)
        self._watch(call, max(left, 1.0))

    # --- on the thread ---------------------------------------------------------------------

    def _unless_away(self, asked: float, work: Callable[[], T]) -> T:
        """Do not let each waiting call try to connect: what was asked before the last failure has failed with it."""
        if asked < self._away_since:
            raise Unavailable(self._away)
        self._began, self._is_cut = time.monotonic(), False
        try:
            return work()
        finally:
            self._began = None

    def _connected(self, driver_connection: Any, _record: Any) -> None:
        self._driver_connection = driver_connection

    def _open(self) -> None:
        must_hold = False
        url = parsed(self.url)
        path = dialects.file_of(url)
        if path is not None:
            private_folders.refuse_network_file_system(path.parent)
            must_hold = self._state_folder == path.parent and must_hold_records(path)
        self._engine = engine_of(url)
        self._is_remote = not dialects.is_sqlite(url)
        event.listen(self._engine, "connect", self._connected)
        copies = self._state_folder / "copies" if self._state_folder else None
        try:
            _patiently(partial(_bring_up_to_date, self._engine, copies=copies, must_hold=must_hold))
            self._connection = self._engine.connect()
        except OperationalError as error:
            reason = first_line(error.orig or error)
            raise Unavailable(f"The database {named(url)} could not be opened: {reason}") from error
        except DatabaseError as error:
            raise Unavailable(f"The database is damaged: {error.orig}. It was not changed.") from error

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._engine is not None:
            self._engine.dispose()
        self._connection = self._engine = None

    def _checked_write(self, work: Callable[[Connection], T]) -> T:
        if self._doubtful:
            self._reopen()
        try:
            return self._transaction(work, "IMMEDIATE")
        except OperationalError as error:
            if _is_disk_trouble(error):
                self._doubtful = True
                if self._reserve.release():
                    return self._checked_write(work)
                raise NoRoom("The disk is full or cannot be written. Free some space, then try again.") from error
            raise

    def _reopen(self) -> None:
        self._close()
        self._open()
        assert self._connection is not None
        if damage := dialects.damage(self._connection):
            raise Unavailable(f"The database is damaged: {damage}. It was not changed.")
        self._doubtful = False

    def _transaction(self, work: Callable[[Connection], T], mode: str) -> T:
        """Run it again on a new connection if the old one broke before the commit: then nothing has happened."""
        for attempt in range(ATTEMPTS):
            try:
                return self._attempt(work, mode)
            except _ConnectionBroke as broke:
                if attempt + 1 == ATTEMPTS or self._is_cut:
                    raise self._refusal(broke.__cause__) from broke.__cause__
                log.warning("The connection to the database broke. Connecting again: %s", broke.__cause__)
        raise AssertionError("unreachable")

    def _attempt(self, work: Callable[[Connection], T], mode: str) -> T:
        if self._connection is None:
            raise Unavailable("The database is closed.")
        committing, transaction = False, None
        try:
            self._connection.info["begin"] = mode
            with self._connection.begin():
                if mode == "IMMEDIATE":
                    dialects.begin_write(self._connection)
                result = work(self._connection)
                if mode == "IMMEDIATE":
                    transaction = dialects.transaction_id(self._connection)
                committing = True
            return result
        except DBAPIError as error:
            if error.connection_invalidated and not self._is_committed(transaction if committing else None, error):
                raise _ConnectionBroke from error
            if committing and error.connection_invalidated:
                return result
            if self._is_remote and isinstance(error, OperationalError):
                raise self._refusal(error) from error
            raise

    def _refusal(self, error: BaseException | None) -> Unavailable:
        """Return what is raised for an error. If nobody can be reached, calls that wait fail as well."""
        refusal = Unavailable(SILENT) if self._is_cut else _no_answer(error)
        if self._is_cut or (self._connection is not None and self._connection.invalidated):
            self._away_since, self._away = time.monotonic(), refusal.message
        return refusal

    def _is_committed(self, transaction: str | None, error: DBAPIError) -> bool:
        """Return whether a transaction has happened whose connection broke during its commit.

        `transaction`: None if it cannot have happened. Raises `Unavailable` if the database does not come back soon.
        """
        until = time.monotonic() + IN_DOUBT_SECONDS
        while transaction is not None and self._connection is not None:
            try:
                with self._connection.begin():
                    found = dialects.outcome(self._connection, transaction)
                if found in ("committed", "aborted"):
                    return found == "committed"
            except DBAPIError as away:
                log.debug("The database cannot say yet whether it has committed: %s", type(away).__name__)
            if time.monotonic() > until:
                refusal = Unavailable(IN_DOUBT)
                self._away_since, self._away = time.monotonic(), _no_answer(error).message
                raise refusal from error
            time.sleep(ASK_AGAIN_SECONDS)
        return False


class _ConnectionBroke(Exception):
    """Its cause is the driver's error. Nothing of the transaction has happened."""


def _no_answer(error: BaseException | None) -> Unavailable:
    reason = first_line(error.orig) if isinstance(error, DBAPIError) and error.orig else ""
    return Unavailable(f"The database refused this: {reason}. Try again in a moment.")


def named(url: URL) -> str:
    """Return its name for people: the file, or the URL without its password, which its query may contain as well."""
    return str(dialects.file_of(url) or url.difference_update_query([each for each in url.query if "pass" in each]))


def _bring_up_to_date(engine: Engine, *, copies: Path | None, must_hold: bool) -> None:
    if is_newest(engine):
        return
    from .migrate import upgrade

    upgrade(engine, copies=copies, must_hold=must_hold)


def _patiently(work: Callable[[], None]) -> None:
    """SQLite does not wait while another server changes the journal mode of a new file."""
    until = time.monotonic() + dialects.BUSY_TIMEOUT_SECONDS
    while True:
        try:
            return work()
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > until:
                raise
        time.sleep(random.uniform(*LOOK_AGAIN_SECONDS))  # noqa: S311 - two that wait alike would meet again


def _is_disk_trouble(error: OperationalError) -> bool:
    text = str(error.orig)
    return "disk is full" in text or "disk I/O error" in text or "readonly database" in text
