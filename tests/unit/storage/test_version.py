"""A database that has the newest tables is opened without Alembic; and what else a server need not hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from alembic.script import ScriptDirectory

from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.migrate import SCRIPTS
from jupyter_cabinet.storage.version import NEWEST

SERVE = """
import asyncio, sys
import jupyter_cabinet.app, jupyter_cabinet.house
from jupyter_cabinet.storage.database import Database
asyncio.run(Database(f"sqlite:///{sys.argv[1]}").open())
unwanted = ("alembic", "mako", "pytest", "jupyter_cabinet.testing", "jupyter_cabinet.web.openapi")
print([name for name in unwanted if name in sys.modules])
"""


def test_the_newest_version_is_that_of_the_newest_migration() -> None:
    assert ScriptDirectory(str(SCRIPTS)).get_current_head() == NEWEST


async def test_what_only_migrates_describes_or_tests_is_not_imported_when_serving(tmp_path: Path) -> None:
    path = tmp_path / "cabinet.db"
    database = Database(f"sqlite:///{path}")
    await database.open()
    await database.close()
    assert subprocess.run([sys.executable, "-c", SERVE, path], check=True, capture_output=True).stdout == b"[]\n"
