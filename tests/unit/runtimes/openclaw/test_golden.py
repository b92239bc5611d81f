"""Every recorded output of `openclaw agent exec` gives the events and the outcome in its golden file."""

from __future__ import annotations

import pytest
from harness.golden import FIXTURES, case_of, golden, recordings, replay

from jupyter_cabinet.runtimes.model import Request
from jupyter_cabinet.runtimes.openclaw.runtime import Openclaw
from jupyter_cabinet.runtimes.openclaw.stream import OneLine
from jupyter_cabinet.runtimes.port import Exit

RECORDED = recordings("openclaw")
# As the real CLI ended: killed by its own starter when it is asked to end.
EXITS = {
    "err401": Exit(code=1),
    "err401.stderr": Exit(code=1),
    "sigterm": Exit(code=143),
    "err429.stderr": Exit(signal=9),
}
# What each recording is about, in the words of the port. Only stdout tells what was well.
FAILURES = {
    "agent-exec-json.stderr": "crashed",
    "err401": "not_logged_in",
    "err401.stderr": "not_logged_in",
    "err429.stderr": "rate_limited",
    "leading-dash.stderr": "crashed",
    "sigterm": "cancelled",
}


def found_in(path):
    return replay(Openclaw(), path, EXITS.get(case_of(path), Exit(code=0)))


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_gives_its_golden_events(path):
    found = found_in(path)
    assert found == golden("openclaw", path, found)


@pytest.mark.parametrize("path", RECORDED, ids=case_of)
def test_a_recording_fails_with_its_kind_or_succeeds(path):
    failure = found_in(path)["outcome"]["failure"]
    assert (failure or {}).get("kind") == FAILURES.get(case_of(path))


def test_every_golden_file_has_its_recording():
    assert {path.stem for path in (FIXTURES / "golden" / "openclaw").iterdir()} == {case_of(path) for path in RECORDED}


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_an_object_over_many_lines_becomes_one_line_and_other_lines_stay(size):
    data = b'noise {\n{\n "a": {\n  "b": 1\n },\n "}": "{"\n}\r\n{"c": 2}\nend'
    joined = OneLine()
    made = b"".join(joined.feed(data[place : place + size]) for place in range(0, len(data), size))
    assert made == b'noise {\n{  "a": {   "b": 1  },  "}": "{" }\r\n{"c": 2}\nend'


@pytest.mark.parametrize(
    ("envelope", "kind"),
    [
        (b'{"ok": false, "status": "timeout"}\n', "timeout"),
        (b'{"ok": false, "error": {"message": "HTTP 503"}}\n', "model_unavailable"),
        (b'{"ok": false, "error": {"message": "Context overflow"}}\n', "context_exhausted"),
        (b'{"ok": false, "error": 3}\n', "unknown"),
        (b'{"ok": 1}\n', "crashed"),
    ],
)
def test_only_ok_is_well(envelope, kind):
    conversation = Openclaw().conversation(Request(prompt="Hi.", mode="headless", cwd="/w", session_id="s1"))
    conversation.feed("stdout", envelope)
    assert conversation.finish(Exit(code=0)).failure.kind == kind
