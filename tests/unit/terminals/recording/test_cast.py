"""asciicast v2 as others read it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as some

from jupyter_cabinet.terminals.model import Size
from jupyter_cabinet.terminals.recording import cast

SIZE = Size(cols=100, rows=30)


def test_the_header_names_version_size_time_and_title():
    line = cast.header(SIZE, datetime(2026, 11, 21, tzinfo=UTC), "training")
    assert json.loads(line) == {
        "version": 2,
        "width": 100,
        "height": 30,
        "timestamp": 1795219200,
        "title": "training",
        "env": {"TERM": "xterm-256color"},
    }


@given(some.text(), some.floats(min_value=0, max_value=1e6))
def test_an_event_is_one_line_of_json_whatever_was_written(text: str, seconds: float):
    line = cast.event(seconds, "o", text)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    at, code, data = json.loads(line)
    assert (code, data) == ("o", text) and abs(at - seconds) < 0.001


@given(some.lists(some.floats(min_value=0, max_value=1e6), min_size=1), some.integers(min_value=0, max_value=40))
def test_the_last_whole_event_tells_the_length_also_when_a_crash_has_torn_the_last_line(times: list[float], cut: int):
    times = sorted(round(each, 4) for each in times)
    lines = b"".join(cast.event(each, "o", "x\n") for each in times)
    torn = lines + cast.event(2e6, "o", "never whole")[: min(cut, 20)]
    assert cast.last_seconds(torn) == times[-1]


def test_a_file_without_an_event_has_no_length():
    assert cast.last_seconds(cast.header(SIZE, datetime(2026, 11, 21, tzinfo=UTC), "x")) == 0.0
    assert cast.last_seconds(b"") == 0.0
    assert cast.last_seconds(b'[1.5,"o","wh') == 0.0
