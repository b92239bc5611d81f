"""What our programs load before they work: nothing heavy. A server imports the rooms when it is up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.execution.run_directory import HOOK_PROGRAM
from jupyter_cabinet.sandboxes.control import LAUNCHER

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


def loaded(program: str, *options: str) -> list[str]:
    done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_extension_is_loaded_without_the_database_and_the_terminals() -> None:
    assert loaded(PROGRAM) == []


def test_the_demo_agent_starts_without_searching_for_the_version_of_the_package() -> None:
    assert loaded(AGENT) == []


@pytest.mark.parametrize(
    ("program", "heavy"),
    [(LAUNCHER, {"typing", "subprocess", "pathlib"}), (HOOK_PROGRAM, {"socket", "enum", "typing"})],
    ids=["launcher", "hook"],
)
def test_what_starts_with_every_run_loads_only_what_it_needs(program: Path, heavy: set[str]) -> None:
    code = f"import sys\nexec(open({str(program)!r}).read(), {{'__name__': ''}})\n"
    assert loaded(f"{code}print(*{heavy!r} & set(sys.modules))", "-I", "-S") == []
