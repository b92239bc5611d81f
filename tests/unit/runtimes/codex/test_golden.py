"""Every recorded output of Codex gives the events and the outcome in its golden file."""

from __future__ import annotations

import pytest
from harness.golden import FIXTURES, case_of, golden, recordings, replay

from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.port import Exit

RECORDED = recordings("codex")
EXITS = {"sigterm": Exit(signal=15), "exec-json": Exit(code=0)}
# What each recording is about, in the words of the port.
FAILURES = {
    "cut": "model_unavailable",
    "err401": "not_logged_in",
    "err429": "rate_limited",
    "err500": "model_unavailable",
    "nokey": "not_logged_in",
    "resume-badid.stderr": "session_gone",
    "leading-dash.stderr": "crashed",
    "not-git.stderr": "crashed",
    "sigterm": "cancelled",
}


def found_in(path):
    exit = EXITS.get(case_of(path), Exit(code=1))
    return replay(Codex(), path, exit, transcript=path.name.startswith("rollout"))


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_gives_its_golden_events(path):
    found = found_in(path)
    assert found == golden("codex", path, found)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = found_in(path)["outcome"]["failure"]
    assert (failure or {}).get("kind") == FAILURES.get(case_of(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in (FIXTURES / "golden" / "codex").iterdir()} == {case_of(path) for path in RECORDED}
