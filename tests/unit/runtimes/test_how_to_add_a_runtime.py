"""The how-to is followed word by word in a fresh folder: its files are written, its commands are run."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.how_to import files_of, shells_of
from harness.server import SHARED_TOKEN, Server

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "add-a-runtime.md"
CODE = """
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.registry import Runtimes
from harness.driving import run_headless
import os
request = Request(prompt="--help", mode="headless", cwd=os.getcwd(), session_id="s1")
events, outcome = run_headless(Runtimes({"plain"}, {}, os.environ).get("plain"), request, os.environ)
print("".join(event.text for event in events), outcome.text, sep="|")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a stranger has: the page's files, a program named `plain`, and a server's configuration."""
    place = tmp_path_factory.mktemp("how-to")
    for name, text in files_of(PAGE).items():
        (place / name).write_text(text)
    (place / "bin").mkdir()
    shims = {
        "plain": "printf 'You said: '; cat",
        # what is installed for the test alone, and from here alone
        "pip": f'{sys.executable} -m pip "$@" -q --no-build-isolation --no-deps --no-index --target {place}/site',
        "pytest": f'{sys.executable} -m pytest -q -p no:cacheprovider "$@"',
        "jupyter": f'{sys.executable} -m jupyter "$@"',
    }
    for name, line in shims.items():
        (place / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (place / "bin" / name).chmod(0o755)
    return place


@pytest.fixture(scope="module")
def environment(folder):
    """Of that person's programs, and of their server."""
    return {
        "PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "JUPYTER_CONFIG_DIR": str(folder),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": f"{folder / 'site'}:{Path(__file__).parents[2]}",  # and the suite's own harness
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.fixture(scope="module")
def run(folder, environment):
    """Runs a program as a person in that folder would."""

    def run(*argv):
        done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_two_files_of_under_60_lines_together_are_enough():
    files = files_of(PAGE)
    assert list(files) == [
        "plain_runtime.py",
        "pyproject.toml",
        "jupyter_server_config.py",
        "try_plain.py",
        "test_plain_runtime.py",
    ]
    assert sum(len(files[name].splitlines()) for name in ("plain_runtime.py", "pyproject.toml")) < 60


@contextmanager
def restarted_server(folder, environment):
    """Works in that folder, which is confirmed; that person's programs know its address. Nothing else is set but what
    the page's configuration says."""
    server = Server(folder / "server", environment=environment)
    server.root = folder
    server.start()
    environment |= {"JUPYTER_CABINET_URL": server.url, "JUPYTER_CABINET_TOKEN": SHARED_TOKEN}
    yield
    server.stop()


@pytest.fixture(scope="module")
def said(run, folder, environment):
    """What the page's commands say, in its order; with a server from the one on that asks it."""
    commands, asks = shells_of(PAGE), "python try_plain.py"
    before = commands.index(asks)
    said = {command: run("/bin/sh", "-ec", command) for command in commands[:before]}
    with restarted_server(folder, environment):
        said[asks] = run("/bin/sh", "-ec", asks)
    return said | {command: run("/bin/sh", "-ec", command) for command in commands[before + 1 :]}


@pytest.mark.long(reason="installs the package of the how-to and starts its programs")
def test_its_commands_install_find_and_test_the_runtime(folder, said):
    assert list(said) == [
        "pip install .",
        "jupyter cabinet doctor",
        "python try_plain.py",
        "pytest test_plain_runtime.py",
    ]
    assert f"+ Plain\n    {folder / 'bin' / 'plain'}\n" in said["jupyter cabinet doctor"]
    assert re.search(r"^\d+ passed in [\d.]+s$", said["pytest test_plain_runtime.py"], re.MULTILINE)


@pytest.mark.long(reason="installs the package of the how-to and starts its programs")
def test_its_example_asks_the_server_and_prints_the_answer(said):
    assert said["python try_plain.py"].strip() == "You said: Say hello"


@pytest.mark.long(reason="installs the package of the how-to and starts its programs")
def test_it_runs_a_real_program(said, run):
    assert run(sys.executable, "-c", CODE).strip() == "You said: --help|You said: --help"


@pytest.mark.long(reason="installs the package of the how-to and starts its programs")
def test_it_is_off_until_enabled(said, run):
    code = (
        "from jupyter_cabinet.runtimes.registry import Runtimes;"
        "print([(each.name, each.enabled) for each in Runtimes(set(), {}, {}).describe() if each.name == 'plain'])"
    )
    assert run(sys.executable, "-c", code).strip() == "[('plain', False)]"


def test_what_an_adapter_imports_is_public():
    imported = re.findall(r"^(?:from|import) (jupyter_cabinet[\w.]*)", "\n".join(files_of(PAGE).values()), re.MULTILINE)
    assert set(imported) == {
        "jupyter_cabinet",
        "jupyter_cabinet.runtimes",
        "jupyter_cabinet.runtimes.adapter",
        "jupyter_cabinet.testing.runtimes",
    }


def test_files_that_the_page_names_are_there():
    root = PAGE.parents[2] / "jupyter_cabinet"
    named = set(re.findall(r"`(?:jupyter_cabinet/)?(runtimes/[\w/]+\.py)`", PAGE.read_text()))
    assert named and all((root / name).exists() for name in named)
