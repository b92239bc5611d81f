"""Replays without what a terminal would answer."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.vt.blanks import blanked


@pytest.mark.parametrize(
    ("data", "clean"),
    [
        (b"plain", b"plain"),
        (b"\x1b[?2004hx", b"\x1b[?2004hx"),
        (b"a\x1b[6nb", b"a\0\0\0\0b"),
        (b"a\x1b[7nb", b"a\0\0\0\0b"),  # a report that other emulators may know
        (b"a\x1b[6\x08nb", b"a\0\0\0\x08\0b"),  # the control in it is still executed
        (b"a\x1bP$q\x08m\x1b\\b", b"a" + bytes(6) + b"\x1b\\b"),  # in a string it is not
        (b"\x1b]4;1;red;2;?\x07", b"\x1b]4;1;red;2;\0\x07"),
        (b"\x1b]10;?;?\x1b\\", b"\x1b]10;\0;\0\x1b\\"),
    ],
)
def test_a_query_is_blank_and_the_rest_stays(data, clean):
    assert blanked(data) == (clean, len(data))


@pytest.mark.parametrize(
    ("data", "clean"),
    [
        (b"\x1b]0;title\x1b[6nx", b"\x1b]0;title\x1b\\\0\0x"),  # the escape has ended the title
        (b"\x1b]0;title\x1b\x08[6nx", b"\x1b]0;title\x1b\x08\\\0\0x"),
        (b"\x1b]0;title\xc2\x9b6nx", b"\x1b]0;title\x18\0\0\0x"),
    ],
)
def test_what_a_query_has_ended_stays_ended(data, clean):
    assert blanked(data) == (clean, len(data))


def test_the_beginning_of_a_sequence_is_not_settled():
    assert blanked(b"a\x1b[6nb\x1b[6") == (b"a\0\0\0\0b\x1b[6", 6)
    assert blanked(b"abc\x1b[6") == (b"abc\x1b[6", 3)
