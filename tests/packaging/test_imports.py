"""What our programs load before they work: nothing heavy. A server imports the rooms when it is up."""

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

AGENT = """
import sys
import jupyter_cabinet.runtimes.demo.program.agent
print(*{"importlib.metadata", "msgspec"} & set(sys.modules))
"""


def loaded(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_extension_is_loaded_without_the_database_and_the_terminals() -> None:
    assert loaded(PROGRAM) == []


def test_the_demo_agent_starts_without_searching_for_the_version_of_the_package() -> None:
    assert loaded(AGENT) == []
