"""Control sequences: where they are and what they say, however the output is cut."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.vt.sequences import LONGEST_BYTES, Scanner

LONG = b"x" * (LONGEST_BYTES + 1)


def scanned(*chunks: bytes, modes: bool = True) -> list[tuple[str, bytes]]:
    """Kind and text of all that was found."""
    scanner = Scanner(modes=modes)
    return [(each.kind, each.text) for chunk in chunks for each in scanner.feed(chunk).sequences]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"a\x1b[?2004hb\x1b7\x1b(0", [("csi", b"?2004h"), ("esc", b"7"), ("esc", b"(0")]),
        (b"\x1b#8\x1b%G", [("esc", b"#8"), ("esc", b"%G")]),
        (b"\x1b[1\x08;2r", [("csi", b"1;2r")]),  # a control between is no part of it
        (b"\x1b]0;gr\xc3\xbcn\x1b\\", [("osc", b"0;gr\xc3\xbcn"), ("esc", b"\\")]),
        (b"\x1b]0;a\xff\xc3b\x07", [("osc", b"0;ab")]),  # what is no character is dropped
        (b"\x1bPq1\x1b\\", [("dcs", b"q1"), ("esc", b"\\")]),
        (b"\x1bXsecret\xc2\x9cz", [("string", b"secret")]),
        (b"\xc2\x9b?1h\xc2\x9d0;a\xc2\x9c", [("csi", b"?1h"), ("osc", b"0;a")]),
    ],
)
def test_a_sequence_says_the_same_in_one_piece_and_in_single_bytes(data, found):
    assert scanned(data) == found
    assert scanned(*(data[place : place + 1] for place in range(len(data)))) == found


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"\x1b[1?2hx", []),  # a prefix at the wrong place
        (b"\x1b[1 2\xc3\xa9mx\x1b7", [("esc", b"7")]),  # broken already: it continues to its end
        (b"\x1b[1\xc3\xa9?1hx", []),  # the character breaks it off, and is lost
        (b"\x1b\xc3\xa9[?1hx", []),
        (b"\x1b]0;a\x18b", [("string", b"0;a")]),  # cancelled: it says nothing, and draws nothing
        (b"\x1b]0;a\xc2\x85b", [("string", b"0;a")]),
        (b"\x1b[?1\x1ah", []),
        (b"\x1bP1\xc3\xa9abc\x1b\\", [("string", b"1"), ("esc", b"\\")]),
        (b"\x1bP1 2\xc3\xa9q\x1b\\", [("string", b"1 2q"), ("esc", b"\\")]),
    ],
)
def test_a_sequence_that_is_broken_off_has_no_effect(data, found):
    assert scanned(data) == found


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"\x1b]0;a\x1b[?1h", "osc"), (b"\x1b]0;a\xc2\x9b?1h", "string")],  # only an escape leaves it its effect
)
def test_what_ends_a_string_is_known_to_adjoin_it(data, kind):
    title, mode = Scanner().feed(data).sequences
    assert (title.kind, title.text, title.adjoins, title.bell) == (kind, b"0;a", False, False)
    assert (mode.kind, mode.text, mode.adjoins) == ("csi", b"?1h", True)
    assert title.end == mode.start


def test_a_string_that_the_bell_ends_is_known_by_it():
    (title,) = Scanner().feed(b"\x1b]0;a\x07").sequences
    assert title.bell


def test_nothing_is_told_of_what_only_draws_or_only_sets_where_that_is_not_wanted():
    drawing, setting = b"\x1b[31mred\x1b[2J\x1b[?25l", b"\x1b[?2004h\x1b[4h\x1b7\x1b(0\x1b[2;5r"
    assert scanned(drawing) == []
    assert len(scanned(setting)) == 5
    assert scanned(setting, modes=False) == []
    assert scanned(b"\x1b[?1004h\x1b[6n", modes=False) == [("csi", b"?1004h"), ("csi", b"6n")]


def test_what_is_open_at_the_end_is_kept_for_the_next_piece():
    scanner = Scanner()
    for chunk, settled, left in (
        (b"a\x1b", 1, b"\x1b"),
        (b"[?", 0, b"\x1b[?"),
        (b"1hb\xe2\x80", 6, b"\xe2\x80"),
        (b"\x94", 3, b""),
        (b"\xc2", 0, b"\xc2"),
        (b"\xa0", 2, b""),
    ):
        assert scanner.feed(chunk).settled == settled
        assert scanner.open_bytes == left


def test_a_copy_goes_on_by_itself():
    scanner = Scanner()
    scanner.feed(b"\x1b[?1")
    other = scanner.copy()
    assert [each.text for each in other.feed(b"h").sequences] == [b"?1h"]
    assert scanner.open_bytes == b"\x1b[?1"
    assert [each.text for each in scanner.feed(b"l").sequences] == [b"?1l"]


def test_a_string_that_is_too_long_is_followed_to_its_end_and_not_kept():
    assert scanned(b"\x1b]0;" + LONG + b"\x07\x1b7") == [("long", b""), ("esc", b"7")]
    scanner = Scanner()
    assert [each.kind for each in scanner.feed(b"\x1b]0;" + LONG).sequences] == ["long"]
    assert scanner.open_bytes == b""
    inside = scanner.feed(b"still inside \xe2\x80")
    assert [each.kind for each in inside.sequences] == ["long"]
    assert scanner.open_bytes == b"\xe2\x80"
    ended = scanner.feed(b"\x94\x07\x1b7")
    assert [(each.kind, each.adjoins) for each in ended.sequences] == [("long", True), ("esc", True)]


def test_what_an_unfinished_sequence_ends_waits_with_it_unless_that_is_too_long():
    scanner = Scanner()
    assert scanner.feed(b"\x1b]0;a\x1b[").sequences == []
    assert scanner.open_bytes == b"\x1b]0;a\x1b["
    assert [each.text for each in scanner.feed(b"?1h").sequences] == [b"0;a", b"?1h"]
    title = b"\x1b]0;" + b"x" * (LONGEST_BYTES - 8)
    assert [each.kind for each in scanner.feed(title + b"\x1b]2;second").sequences] == ["osc"]
    assert scanner.open_bytes == b"\x1b]2;second"
    (second,) = scanner.feed(b"\x07").sequences
    assert (second.text, second.adjoins) == (b"2;second", True)
