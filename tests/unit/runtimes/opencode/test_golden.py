"""Every recorded output of opencode gives the events and the outcome in its golden file."""

from __future__ import annotations

import pytest
from harness.golden import FIXTURES, case_of, golden, recordings, replay

from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.runtimes.port import Exit

RECORDED = recordings("opencode")
# As the real CLI ended. One that was asked to end did: -15. So did the one that tried again for ever.
EXITS = {
    "err401": Exit(code=1),
    "err500": Exit(signal=15),
    "plugin-retry": Exit(signal=15),
    "resume-badid": Exit(code=1),
    "resume-badid.stderr": Exit(code=1),
    "sigterm": Exit(signal=15),
}
# Without `--format=json` it writes words, which are no answer of ours.
PLAIN = ("text", "stdin-plus-arg", "leading-dashdash")
# What each recording is about, in the words of the port. Only stdout tells what was well.
FAILURES = {
    "err401": "not_logged_in",
    "err500": "cancelled",
    "plugin-retry": "model_unavailable",
    "permission-ask-noauto": "permission_denied",
    "permission-ask-noauto.stderr": "crashed",
    "resume-badid": "crashed",
    "resume-badid.stderr": "session_gone",
    "sigterm": "cancelled",
    **dict.fromkeys([*PLAIN, *(f"{name}.stderr" for name in PLAIN)], "crashed"),
}


def found_in(path):
    return replay(Opencode(), path, EXITS.get(case_of(path), Exit(code=0)))


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_gives_its_golden_events(path):
    found = found_in(path)
    assert found == golden("opencode", path, found)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = found_in(path)["outcome"]["failure"]
    assert (failure or {}).get("kind") == FAILURES.get(case_of(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in (FIXTURES / "golden" / "opencode").iterdir()} == {case_of(path) for path in RECORDED}
