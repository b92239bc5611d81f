"""What a user installs: the wheel and the sdist hold what they should, and work where there is no Node."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from harness.server import Server

from .conftest import REPOSITORY, Built

pytestmark = pytest.mark.slow(reason="builds the sdist and from it the wheel, makes an environment, starts a server")

FRONTEND = "share/jupyter/labextensions/jupyter-cabinet"
PACKED = (".py", ".js", ".css", ".html", ".json", ".typed", ".md", ".yaml", ".txt")
CONFIG = "etc/jupyter/jupyter_server_config.d/jupyter_cabinet.json"


def ending(files: dict[str, bytes], end: str) -> list[str]:
    return [name for name in files if name.endswith(end)]


def test_the_wheel_has_the_frontend_once_where_jupyterlab_looks(built: Built) -> None:
    files = built.in_wheel()
    data = f"{built.wheel.name.split('-py3')[0]}.data/data"
    assert ending(files, "static/style.js") == [f"{data}/{FRONTEND}/static/style.js"]
    assert len([name for name in files if "remoteEntry." in name]) == 1
    for name in ("package.json", "install.json", "schemas/jupyter-cabinet/plugin.json"):
        assert f"{data}/{FRONTEND}/{name}" in files
    assert ending(files, ".map") == []
    schemas = {name.rpartition("/")[2] for name in files if "/schemas/" in name}
    assert schemas == {"plugin.json", "package.json.orig"}  # JupyterLab sends every other one with every page


def test_the_wheel_enables_itself_and_names_its_entry_points(built: Built) -> None:
    files = built.in_wheel()
    (config,) = ending(files, CONFIG)
    assert json.loads(files[config]) == {"ServerApp": {"jpserver_extensions": {"jupyter_cabinet": True}}}
    (entries,) = ending(files, "entry_points.txt")
    text = files[entries].decode()
    _, _, runtimes = text.partition("[jupyter_cabinet.runtimes.v1]\n")
    assert {"claude", "codex", "gemini", "opencode", "pi", "openclaw", "acp-claude", "demo"} <= {
        line.partition(" = ")[0] for line in runtimes.splitlines()
    }
    assert "\njupyter-cabinet = " in text and "\njupyter-cabinet-demo-agent = " in text


def test_the_wheel_says_where_it_comes_from(built: Built) -> None:
    files = built.in_wheel()
    (metadata,) = ending(files, "METADATA")
    named = {line.split(", ")[0] for line in files[metadata].decode().splitlines() if line.startswith("Project-URL: ")}
    assert named == {f"Project-URL: {name}" for name in ("Homepage", "Documentation", "Source", "Issues", "Changelog")}


def test_the_wheel_has_all_of_the_package_and_nothing_of_the_workshop(built: Built) -> None:
    files = built.in_wheel()
    ours = {name for name in files if ".data/" not in name and ".dist-info/" not in name}
    sources = {
        str(path.relative_to(REPOSITORY))
        for path in (REPOSITORY / "jupyter_cabinet").rglob("*")
        if path.suffix in PACKED and "labextension" not in path.parts
    }
    assert ours == sources
    assert "jupyter_cabinet/storage/migrations/versions/0001_start.py" in ours
    assert ending(files, "licenses/LICENSE")


def test_neither_archive_has_dependencies_caches_or_paths_of_the_machine(built: Built) -> None:
    machine = [f"{path}/".encode() for path in (REPOSITORY, built.place, Path(sys.prefix))]
    for files in (built.in_wheel(), built.in_sdist()):
        assert not [name for name in files if "node_modules" in name or "__pycache__" in name]
        assert not [name for name, content in files.items() if any(path in content for path in machine)]


def test_the_sdist_has_the_built_frontend_and_its_sources(built: Built) -> None:
    files = built.in_sdist()
    assert "jupyter_cabinet/labextension/static/style.js" in files
    for name in ("labextension/src/index.ts", "labextension/package-lock.json", "labextension/install.json", "LICENSE"):
        assert name in files
    assert not [name for name in files if name.startswith(("benchmarks/", "labextension/lib/"))]


def asked(fresh: Path, *arguments: str, path: str, place: Path) -> str:
    """What a program of the new environment says, started away from this checkout."""
    environment = {"PATH": path, "HOME": str(place), "JUPYTERLAB_DIR": f"{sys.prefix}/share/jupyter/lab"}
    done = subprocess.run([fresh, *arguments], cwd=place, env=environment, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


@pytest.mark.long(reason="makes an environment; what is in the wheel is compared in the quick tier")
def test_the_new_environment_imports_the_installed_wheel(
    built: Built, fresh: Path, without_node: str, tmp_path: Path
) -> None:
    program = "import jupyter_cabinet; print(jupyter_cabinet.__file__, jupyter_cabinet.__version__)"
    where, version = asked(fresh, "-c", program, path=without_node, place=tmp_path).split()
    assert Path(where).is_relative_to(fresh.parents[1]) and f"-{version}-" in built.wheel.name


@pytest.mark.long(reason="makes an environment; what is in the wheel is compared in the quick tier")
def test_an_installed_wheel_shows_its_frontend(fresh: Path, without_node: str, tmp_path: Path) -> None:
    listed = asked(fresh, "-m", "jupyterlab.labextensions", "list", path=without_node, place=tmp_path)
    (line,) = [line for line in listed.splitlines() if "jupyter-cabinet" in line]
    assert "enabled" in line and "OK" in line and "(python, jupyter_cabinet)" in line


@pytest.mark.long(reason="installs the wheel and starts a server; what is in the wheel is compared in the quick tier")
def test_an_installed_wheel_opens_its_rooms_and_runs_an_agent(fresh: Path, without_node: str, tmp_path: Path) -> None:
    server = Server(tmp_path, command=(str(fresh), "-m", "jupyter_server"), environment={"PATH": without_node}).start()
    try:
        with server.client("ada") as client:
            assert client.get("health").json()["demo"]
            run = server.run(client, "remember the milk")
        assert run["state"] == "succeeded", run
    finally:
        assert server.stop() == 0
