"""What commands print."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.commands.printing import as_json, local_time
from jupyter_cabinet.core.durations import short
from jupyter_cabinet.core.plain_text import one_line, plain, table


def test_what_steers_a_terminal_is_shown_and_not_obeyed() -> None:
    assert plain("a\x1b[2Jb\u202ec\x9b1m\r\nd\te") == "a\\x1b[2Jb\\u{202e}c\\x9b1m\nd\te"


@given(st.text())
def test_no_text_leaves_with_a_control_character(text: str) -> None:
    line = one_line(text)
    assert line.isprintable() or not any(ord(each) < 0xA0 for each in line if not each.isprintable())
    assert "\n" not in line and "\x1b" not in line
    assert as_json({"text": text}).isascii() and json.loads(as_json({"text": text})) == {"text": text}


def test_a_long_line_is_cut_to_its_length() -> None:
    assert one_line("one\n two", most=7) == "one two"
    assert one_line("one two", most=5) == "one …"


def test_columns_are_aligned_also_behind_wide_and_joined_characters_and_empty_ones_left_out() -> None:
    rows = [("🔎", "", "x"), ("ab", "", "y"), ("e\u0301", "", "z")]
    assert list(table(("A", "B", "C"), rows)) == ["A   C", "🔎  x", "ab  y", "e\u0301   z"]


def test_times_are_local_and_durations_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    at = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
    assert local_time(at) == at.astimezone().strftime("%a %Y-%m-%d %H:%M") and local_time(None) == ""
    assert [short(each) for each in (None, 12.4, 185)] == ["", "12 s", "3 min 5 s"]
