"""A server is killed at every write to its database, before the transaction and right after it, and the next one
continues: no event, record or effect is missing or doubled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
BOUND_SECONDS = 900
# Every other one in the suite: CABINET_CRASH_TRIALS=all tries both sides of every write.
ALL = ["--all"] if os.environ.get("CABINET_CRASH_TRIALS") == "all" else []


@pytest.mark.timeout(BOUND_SECONDS + 60)
@pytest.mark.long(reason="some thirty servers, each with agents that work, and as many that come after")
def test_no_event_record_or_effect_is_missing_or_doubled_wherever_the_server_dies(tmp_path: Path) -> None:
    trials = subprocess.run(
        [sys.executable, "-m", "harness.crash_trial", str(tmp_path / "trials"), *ALL],
        check=False,
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=BOUND_SECONDS,
    )
    first, *problems = trials.stdout.splitlines()
    assert first.endswith("writes, exit 0") and int(first.split()[0]) >= 15, first
    assert not problems, "\n".join(problems)
    assert trials.returncode == 0, trials.stderr
