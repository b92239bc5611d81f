"""Prepares a root as if a server had started there before, with a copy of a migrated database.

Copying is a hundred times faster than migrating. The migrations have their own tests.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine

from jupyter_cabinet.storage.database import sqlite_url
from jupyter_cabinet.storage.database_checks import mark_from
from jupyter_cabinet.storage.migrate import upgrade
from jupyter_cabinet.trust.store import TrustStore

_folders: list[tempfile.TemporaryDirectory[str]] = []  # removed when the test session ends


def begin_with_tables(root: Path, data: Path) -> None:
    """Create the state folder with its database, unless there is one.

    `data` is the folder of the server's trust store.
    """
    if (root / ".cabinet").exists():
        return
    claimed = TrustStore(data).claim_state_folder(root, now=datetime.now(UTC), accept_unknown=False)
    copy = claimed.path / "cabinet.db"
    shutil.copyfile(_migrated(), copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(f"PRAGMA application_id = {mark_from(claimed.identity)}")


@cache
def _migrated() -> Path:
    """A database with the newest tables and no rows."""
    _folders.append(tempfile.TemporaryDirectory(prefix="cabinet-tables-"))
    path = Path(_folders[-1].name) / "cabinet.db"
    engine = create_engine(sqlite_url(path))
    upgrade(engine)
    engine.dispose()
    return path
