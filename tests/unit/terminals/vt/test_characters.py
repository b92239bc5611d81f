"""UTF-8 as an emulator reads it: characters, and what is dropped."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.vt.characters import CUT, DROPPED, unit, well_formed


@pytest.mark.parametrize("character", ["a", "ü", "—", "🌍"])
def test_a_character_has_its_code_and_its_length(character):
    data = b"x" + character.encode() + b"x"
    assert unit(data, 1) == (ord(character), len(character.encode()))


@pytest.mark.parametrize("character", ["ü", "—", "🌍"])
def test_a_character_that_is_not_there_in_whole_is_cut(character):
    data = character.encode()
    for length in range(1, len(data)):
        assert unit(data[:length], 0) == (CUT, length)


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"\x80", 1),  # a continuation without a beginning
        (b"\xffx", 1),
        (b"\xc3x", 1),  # the next character begins too soon
        (b"\xe2\x80x", 2),
        (b"\xc0\xaf", 2),  # longer than it needs to be
        (b"\xe0\x80\xaf", 3),
        (b"\xed\xa0\x80", 3),  # half of a pair
        (b"\xef\xbb\xbf", 3),  # the byte order mark
        (b"\xf4\x90\x80\x80", 4),  # beyond the last code point
    ],
)
def test_what_is_no_character_is_dropped(data, length):
    assert unit(data, 0) == (DROPPED, length)


def test_what_is_well_formed_stays_as_it_is():
    assert well_formed(b"plain") == b"plain"
    assert well_formed("gr\ufeffü".encode() + b"\xffn\xc3") == "grün".encode()
