"""Every recorded output of pi gives the events and the outcome in its golden file."""

from __future__ import annotations

import pytest
from harness.golden import FIXTURES, case_of, golden, recordings, replay

from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.runtimes.port import Exit

RECORDED = recordings("pi")
# As the real CLI ended: refusals of the service end a stream of events with 0.
EXITS = {"err500-text.stderr": 1, "leading-dash.stderr": 1, "resume-badid.stderr": 1, "sigterm": 143}
# What each recording is about, in the words of the port. Only stdout tells what was well.
FAILURES = {
    "err401": "not_logged_in",
    "err500": "model_unavailable",
    "err500-text.stderr": "model_unavailable",
    "leading-dash.stderr": "crashed",
    "resume-badid.stderr": "session_gone",
    "session-id-new.stderr": "crashed",
    "sigterm": "cancelled",
}


def found_in(path):
    code = EXITS.get(case_of(path), 0)
    mode = "ask" if case_of(path).startswith("rpc") else "edit"
    return replay(Pi(), path, Exit(code=code), transcript=case_of(path) == "session", permission_mode=mode)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_gives_its_golden_events(path):
    found = found_in(path)
    assert found == golden("pi", path, found)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = found_in(path)["outcome"]["failure"]
    assert (failure or {}).get("kind") == FAILURES.get(case_of(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in (FIXTURES / "golden" / "pi").iterdir()} == {case_of(path) for path in RECORDED}
