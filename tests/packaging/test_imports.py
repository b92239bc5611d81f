"""What a server loads before it answers: nothing heavy. The rooms are imported when it is up."""

from __future__ import annotations

import subprocess
import sys

LATER = {"sqlalchemy", "alembic", "terminado", "ptyprocess"}
PROGRAM = f"""
import sys
import jupyter_server.serverapp
before = set(sys.modules)
import jupyter_cabinet.app
print(*({LATER!r} & (set(sys.modules) - before)))
"""


def test_the_extension_is_loaded_without_the_database_and_the_terminals() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
