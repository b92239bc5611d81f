"""`jupyter cabinet`, as a person calls it: in a separate process, with a separate home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.cli import main
from jupyter_cabinet.core.version import VERSION

pytestmark = pytest.mark.slow(reason="starts an interpreter, which asks a login shell for its PATH")


def doctor(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return cabinet(home, "doctor", *arguments, **environment)


def cabinet(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "SHELL": "/bin/sh", "JUPYTER_NO_CONFIG": ""}
    return subprocess.run(
        [sys.executable, "-m", "jupyter_cabinet.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=home,
        env={**kept, "JUPYTER_CONFIG_DIR": str(home / "config"), **environment},
        check=False,
    )


def test_it_says_what_was_found_and_how_to_get_what_is_missing(tmp_path: Path) -> None:
    done = doctor(tmp_path, JUPYTER_CABINET_CLAUDE_PATH="/nowhere/claude")
    assert "Jupyter Cabinet 0.1.0" in done.stdout and "jupyterlab 4." in done.stdout
    assert "- Claude Code: " in done.stdout and "/nowhere/claude" in done.stdout
    assert "install: npm install -g @anthropic-ai/claude-code" in done.stdout
    assert "+ Demo agent" in done.stdout
    assert done.stderr == ""


def test_its_settings_are_the_servers_and_programs_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    settings = (
        f"c.CabinetApp.runtime_paths = {{'claude': {sys.executable!r}}}\nc.CabinetApp.default_runtime = 'claude'\n"
    )
    (tmp_path / "config" / "jupyter_server_config.py").write_text(settings)
    done = doctor(tmp_path, "--json")
    report = json.loads(done.stdout)
    claude = next(row for row in report["runtimes"] if row["name"] == "claude")
    assert claude["located"]["path"] == sys.executable
    assert report["default_runtime"] == "claude"
    assert done.returncode == 0


def test_it_says_whether_the_cluster_answers(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    scheduler = tmp_path / "scheduler.json"
    (tmp_path / "config" / "jupyter_server_config.py").write_text(f"c.CabinetApp.cluster = {str(scheduler)!r}\n")
    done = doctor(tmp_path)
    assert f"Cluster: runs cannot start there. The file {scheduler}, which names the scheduler" in done.stdout
    assert "correct CabinetApp.cluster" in done.stdout


@pytest.mark.long(reason="an interpreter for each command")
def test_it_lists_the_settings_and_writes_them_into_a_file_that_the_server_reads(tmp_path: Path) -> None:
    listed = cabinet(tmp_path, "--help-all").stdout
    assert (
        "--CabinetApp.max_concurrent_runs=<Int>\n    Maximum number of simultaneous runs. Others wait in the queue."
        in listed
    )
    assert cabinet(tmp_path, "--generate-config").returncode == 0
    written = tmp_path / "config" / "jupyter_cabinet_config.py"
    text = written.read_text()
    assert "# c.CabinetApp.default_runtime = ''" in text
    written.write_text(text.replace("# c.CabinetApp.default_runtime = ''", "c.CabinetApp.default_runtime = 'codex'"))
    assert json.loads(doctor(tmp_path, "--json").stdout)["default_runtime"] == "codex"


def test_an_unknown_command_is_told_what_there_is(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_cabinet.cli", "dance"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "doctor" in done.stderr


def test_it_shows_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"{VERSION}\n")
