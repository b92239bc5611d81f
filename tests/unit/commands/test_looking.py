"""`doctor` looks at all runtimes at the same time, reports each, and waits for none without end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.commands.without_server.looking import ExaminedRuntimes
from jupyter_cabinet.runtimes.port import Missing
from jupyter_cabinet.runtimes.registry import RuntimeInfo

pytestmark = pytest.mark.slow(reason="starts programs in the place of agent CLIs")
NAMES = ("claude", "codex", "gemini")


def programs(place: Path, scripts: dict[str, str]) -> dict[str, str]:
    """Paths of programs, by the name of the runtime that each stands for."""
    paths = {}
    for name, script in scripts.items():
        path = place / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        paths[name] = str(path)
    return paths


def examined_runtimes(place: Path, scripts: dict[str, str]) -> ExaminedRuntimes:
    environment = {"PATH": os.environ["PATH"], "HOME": str(place)}
    return ExaminedRuntimes(set(), programs(place, scripts), environment)


def test_all_are_asked_at_the_same_time(tmp_path: Path) -> None:
    others = " && ".join(f"[ -e {tmp_path}/{name}.asked ]" for name in NAMES)
    script = f"touch $0.asked; until {others}; do sleep 0.02; done; echo 9.8.7"
    found = examined_runtimes(tmp_path, dict.fromkeys(NAMES, script)).examine()
    versions = {info.name: info.located and info.located.version for info in found}
    assert {name: versions[name] for name in NAMES} == dict.fromkeys(NAMES, "9.8.7")


def test_each_is_told_when_it_is_found_and_one_that_hangs_is_told_with_the_reason_and_not_asked_again(
    tmp_path: Path,
) -> None:
    told: list[RuntimeInfo] = []
    runtimes = examined_runtimes(tmp_path, {"claude": "echo $$ >> $0.pids; exec sleep 100"})
    found = runtimes.examine(told.append, seconds=3)
    assert [info.name for info in found] == runtimes.names()
    assert sorted(info.name for info in told) == sorted(runtimes.names())
    assert told[-1].name == "claude"
    reason = "It did not answer within 3 s. It hangs, or this machine is very busy."
    assert told[-1].problem == reason
    assert runtimes.locate("claude") == Missing(reason=reason)
    assert (runtimes.capabilities("claude"), runtimes.default_name()) == (None, "demo")
    (begun_once,) = (tmp_path / "claude.pids").read_text().split()
    subprocess.run(["kill", begun_once], check=True)


@pytest.mark.long(reason="an interpreter for each command")
def test_progress_goes_to_a_terminal_and_not_into_json(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SHELL": "/bin/sh"}
    for more in ((), ("--json",)):
        terminal, theirs = os.openpty()
        done = subprocess.run(
            [sys.executable, "-m", "jupyter_cabinet.cli", "doctor", *more],
            stdout=subprocess.PIPE,
            stderr=theirs,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        os.close(theirs)
        os.set_blocking(terminal, False)
        try:
            said = os.read(terminal, 65536).decode()
        except (BlockingIOError, OSError):
            said = ""
        os.close(terminal)
        assert b"Demo agent" in done.stdout
        assert ("Demo agent: found" in said) is (not more)
        assert b"Checking" not in done.stdout
