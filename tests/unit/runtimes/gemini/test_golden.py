"""Every recorded output of Gemini CLI gives the events and the outcome in its golden file."""

from __future__ import annotations

import pytest
from harness.golden import FIXTURES, case_of, golden, recordings, replay

from jupyter_cabinet.runtimes.gemini.runtime import Gemini
from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.port import Exit

RECORDED = recordings("gemini")
# As the real CLI ended: it ends a run that was terminated with 0 and no word.
EXITS = {
    "err401.stderr": 145,
    "err429.stderr": 1,
    "err500": 1,
    "err500.stderr": 1,
    "nokey.stderr": 41,
    "resume-badid.stderr": 42,
    "default-mode-denied.stderr": 144,
    "leading-dash.stderr": 1,
}
# What each recording is about, in the words of the port. Only stdout tells what was well.
FAILURES = {
    "default-mode-denied": "unknown",
    "default-mode-denied.stderr": "crashed",
    "err401.stderr": "not_logged_in",
    "err429.stderr": "rate_limited",
    "err500": "crashed",
    "err500.stderr": "model_unavailable",
    "leading-dash.stderr": "crashed",
    "nokey.stderr": "not_logged_in",
    "resume-badid.stderr": "session_gone",
    "sigterm": "cancelled",
    "sigterm.stderr": "cancelled",
    "stream-json.stderr": "cancelled",
}


def found_in(path):
    code = EXITS.get(case_of(path), 0)
    return replay(Gemini(), path, Exit(code=code), transcript=case_of(path) == "session")


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_gives_its_golden_events(path):
    found = found_in(path)
    assert found == golden("gemini", path, found)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = found_in(path)["outcome"]["failure"]
    assert (failure or {}).get("kind") == FAILURES.get(case_of(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in (FIXTURES / "golden" / "gemini").iterdir()} == {case_of(path) for path in RECORDED}


def test_an_output_that_ends_within_a_line_is_a_crash_and_no_stop():
    whole = next(path for path in RECORDED if case_of(path) == "stream-json").read_bytes()
    stream = Gemini().conversation(Request(prompt="", mode="headless", cwd="/", session_id="s"))
    stream.feed("stdout", whole[: len(whole) // 2])
    failure = stream.finish(Exit(code=0)).failure
    assert (failure.kind, failure.retry_helps) == ("crashed", True)
    assert failure.message == "Gemini CLI ended in the middle of its answer."
