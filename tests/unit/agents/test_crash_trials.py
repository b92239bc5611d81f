"""A server is killed in the middle of heartbeats, or its disk is full, and the next ten minutes are as if nothing had
happened: no message is lost or acknowledged early, no effect happens twice or not at all, every run is final."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
BOUND_SECONDS = 1800
LONG = os.environ.get("CABINET_CRASH_TRIALS") == "all"


def trials(folder: Path, count: int, *options: str) -> list[str]:
    """What they say, a line each."""
    tried = subprocess.run(
        [sys.executable, "-m", "harness.heartbeat_trial", str(folder), str(count), *options],
        check=False,
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
    )
    assert tried.returncode == 0, tried.stderr
    return tried.stdout.splitlines()


@pytest.mark.timeout(BOUND_SECONDS + 60)
@pytest.mark.long(reason="some twenty servers, each with an agent that works, and as many that come after")
@pytest.mark.parametrize("options", [(), ("--full",)], ids=["killed", "disk full"])
def test_wherever_a_heartbeat_is_cut_short_each_effect_happens_once(tmp_path: Path, options: tuple[str, ...]) -> None:
    first, *problems = trials(tmp_path / "trials", 0 if LONG else 8, *options)
    assert first.endswith("writes, exit 0") and int(first.split()[0]) >= 20, first
    assert not problems, "\n".join(problems)


@pytest.mark.timeout(BOUND_SECONDS + 60)
@pytest.mark.long(reason="some ten servers that are killed while an agent works, and as many that come after")
def test_a_server_that_is_killed_at_any_moment_loses_and_doubles_nothing(tmp_path: Path) -> None:
    problems = trials(tmp_path / "trials", 300 if LONG else 10, "--random", str(os.getpid()))
    assert not problems, "\n".join(problems)
