"""What a kernel's environment needs to have for the client: msgspec and httpx, and nothing of a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "jupyter_cabinet"
SERVERS_OWN = (
    *("alembic", "cronsim", "jupyter_server", "jupyterlab", "nbformat", "packaging", "ptyprocess", "ruamel"),
    *("sqlalchemy", "terminado", "tornado", "traitlets", "watchfiles", "yaml"),
)
BLOCKED = f"""
import importlib, json, sys

class Nothing:
    own = frozenset()

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {SERVERS_OWN} and name.partition(".")[0] not in self.own:
            raise ImportError(f"{{name}} is not installed here")

sys.meta_path.insert(0, Nothing())
"""


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(*patterns: str) -> list[str]:
    paths = sorted(path for pattern in patterns for path in PACKAGE.glob(pattern))
    parts = (path.relative_to(PACKAGE.parent).with_suffix("").parts for path in paths)
    return [".".join(each[:-1] if each[-1] == "__init__" else each) for each in parts]


def test_the_client_the_core_and_all_values_need_nothing_of_a_server() -> None:
    wanted = names("client/**/*.py", "core/*.py", "**/model.py")
    assert "jupyter_cabinet.client.cabinet" in wanted and "jupyter_cabinet.runs.model" in wanted
    assert run(f"for name in {wanted}: importlib.import_module(name)\nprint('done')") == "done\n"


def test_the_magics_need_ipython_besides() -> None:
    wanted = [name for name in names("notebook/*.py") if not name.endswith(".widgets")]  # those need ipywidgets
    allowed = "sys.meta_path[0].own = {'traitlets', 'packaging'}\n"  # of IPython
    assert run(f"{allowed}for name in {wanted}: importlib.import_module(name)\nprint('done')") == "done\n"


def test_nothing_of_http_is_loaded_before_the_first_request() -> None:
    loaded = run(
        "from jupyter_cabinet import Cabinet\nfrom jupyter_cabinet.client import RunFailed\n"
        "Cabinet('http://localhost:1/')\nprint(json.dumps(sorted(sys.modules)))"
    )
    assert not {"httpx", "httpcore", "anyio", "IPython", "pandas"} & set(json.loads(loaded))


def test_a_running_server_is_found_without_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "jpserver-1.json").write_text(json.dumps({"pid": os.getpid(), "url": "http://localhost:8901/"}))
    code = (
        "from jupyter_cabinet.client.connection.server_address import find_server\nprint(find_server(None, None).url)"
    )
    assert run(code) == "http://localhost:8901/\n"


def test_a_command_loads_nothing_of_a_server() -> None:
    wanted = ["jupyter_cabinet.cli", *(f"jupyter_cabinet.commands.{name}" for name in ("agents", "plays", "runs"))]
    loaded = run(f"for name in {wanted}: importlib.import_module(name)\nprint(json.dumps(sorted(sys.modules)))")
    assert "importlib.metadata" not in json.loads(loaded)  # for the version, which takes longer than the rest


def test_the_room_itself_loads_none_of_its_files() -> None:
    loaded = run("import jupyter_cabinet.client\nprint(json.dumps(sorted(sys.modules)))")
    assert "jupyter_cabinet.client.cabinet" not in json.loads(loaded) and "msgspec" not in json.loads(loaded)
