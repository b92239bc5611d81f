"""`jupyter cabinet database copy`: moves the records of a cabinet whose server is stopped to another database."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import msgspec

from ... import backend  # with it come the tables of every room
from ...core.errors import CabinetError
from ...core.plain_text import one_line
from ...schedules.leases import servers_on
from ...storage.database import sqlite_url
from ...storage.database_copy import CopiedTable, copy_database
from ..printing import Printed
from ..problems import CommandFailed
from .doctor import configured

assert backend


class DatabaseCopied(msgspec.Struct, frozen=True, kw_only=True):
    """What was copied; `--json` prints it."""

    rows: int
    tables: tuple[CopiedTable, ...]


def copied(given: argparse.Namespace) -> Printed:
    """`database copy`"""
    source: Any = given.source or _configured(Path(given.root))
    try:
        tables = copy_database(source, given.to, users=servers_on, tell=_tell_progress)
    except CabinetError as error:
        raise CommandFailed(error.message, "The source was not changed.") from None
    result = DatabaseCopied(rows=sum(each.rows for each in tables), tables=tuple(tables))
    return Printed(value=result, lines=tuple(_lines(result)))


def _configured(root: Path) -> Any:
    """Return the database of a server that would be started in this folder."""
    if not root.is_dir():
        raise CommandFailed(f"{root} is not a folder.", "Give the folder of the server with --root.")
    return configured().db_url or sqlite_url(root.resolve() / ".cabinet" / "cabinet.db")


def _lines(result: DatabaseCopied) -> list[str]:
    counts = [f"{each.table}: {each.rows}" for each in result.tables if each.rows]
    return [
        *counts,
        f"Copied and compared {result.rows} rows. Now set CabinetApp.db_url to the new database, and start the server.",
    ]


def _tell_progress(table: str, rows: int) -> None:
    """Print on stderr, for a person who waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(one_line(f"{table}: {rows}") + "\n")
        sys.stderr.flush()
