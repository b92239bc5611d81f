"""Modes, replays and what never reaches a viewer, by example; `test_filter_fuzz.py` has all the rest."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.screens.backlog import Backlog
from jupyter_cabinet.terminals.vt.blanks import blanked
from jupyter_cabinet.terminals.vt.modes import Modes
from jupyter_cabinet.terminals.vt.preludes import prelude
from jupyter_cabinet.terminals.vt.sieve import Sieve

VIM = b"\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[?25l\x1b[2 q"
VIM += b"\x1b[?1002;1006h"
LEFT = b"\x1b[?1002;1006l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[?1049l\x1b[?25h"


def set_by(data: bytes, rows: int = 24) -> bytes:
    modes = Modes(rows)
    modes.feed(data)
    return prelude(modes)


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"plain text\r\n", b"\x1b[?25h"),
        (VIM + LEFT, b"\x1b[2 q\x1b[?25h"),
        (b"\x1b[?1;2004;1000h", b"\x1b[?1h\x1b[?2004h\x1b[?1000h\x1b[?25h"),
        (b"\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?1015h", b"\x1b[?1015h\x1b[?1003h\x1b[?1006h\x1b[?25h"),
        (b"\x1b[?7l\x1b[4h\x1b[?6h\x1b[5;10r", b"\x1b[5;10r\x1b[4h\x1b[?6h\x1b[?7l\x1b[?25h"),
        (b"\x1b(0\x1b)B\x0e", b"\x1b(0\x0e\x1b[?25h"),
        (b"\x1b[1;31mx\x1b[0m", b"\x1b[?25h"),
        (b"\x1b[?1049h\x1b[2;5r\x1b[?25lx\x1bc", b"\x1b[?25l"),  # as xterm.js does: a reset does not show the cursor
        (b"\x1b[?2004h\x1b[?1h\x1b[?25l\x1b[4h\x1b[!p", b"\x1b[?25h"),
        (b"\xc2\x9b?2004h", b"\x1b[?2004h\x1b[?25h"),
        (b"\x1b]2;T\xc3\xb6n\x07", b"\x1b[?25h\x1b]2;T\xc3\xb6n\x1b\\"),
    ],
)
def test_the_modes_of_common_output(data, expected):
    assert set_by(data) == expected
    for place in range(len(data)):
        modes = Modes(24)
        modes.feed(data[:place])
        modes.feed(data[place:])
        assert prelude(modes) == expected


def test_a_full_screen_program_is_in_the_other_screen_and_leaving_it_shows_the_first():
    modes = Modes(24)
    modes.feed(VIM)
    assert modes.alternate and prelude(modes).startswith(b"\x1b[?1047h")
    modes.feed(LEFT)
    assert not modes.alternate


def test_the_prelude_holds_where_the_part_begins_not_at_the_end():
    backlog = Backlog(4000, first=0, rows=24)
    backlog.append(b"a\r\n" * 1000 + VIM + b"line\r\n" * 1000)
    inside = backlog.beginning(1000)
    assert inside.alternate and "\x1b[?1047h" in inside.prelude
    backlog.append(LEFT)
    assert backlog.beginning(1000).prelude == inside.prelude
    backlog.append(b"b\r\n" * 1000)
    after = backlog.beginning(1000)
    assert not after.alternate and "1047" not in after.prelude


def test_the_first_byte_needs_no_prelude_and_no_other_beginning_is_inside_a_sequence():
    backlog = Backlog(1000, first=7, rows=24)
    backlog.append(b"\x1b[31mx")
    assert (backlog.beginning(1000).offset, backlog.beginning(1000).prelude) == (7, "")
    backlog.append(b"\x1b]0;a very long title\x07" * 200)
    for size in range(1, 400):
        offset = backlog.beginning(size).offset
        assert backlog.ring.slice(offset, offset + 2) in (b"\x1b]", b"")


def test_a_size_forgets_the_scroll_region_that_was_set_before_it():
    backlog = Backlog(100, first=0, rows=24)
    backlog.append(b"\x1b[3;9r" + b"x\n" * 20)
    assert backlog.beginning(10).prelude.startswith("\x1b[3;9r")
    backlog.resize(40)
    backlog.append(b"y\n" * 20)
    assert "r" not in backlog.beginning(10).prelude
    backlog.append(b"\x1b[3;35r" + b"z\n" * 200)
    assert backlog.beginning(10).prelude.startswith("\x1b[3;35r")


def test_a_client_that_left_within_a_query_gets_its_rest_cancelled():
    backlog = Backlog(1000, first=0, rows=24)
    backlog.append(b"one\x1b[6ntwo\x1b[1mthree")
    assert backlog.replay(0, 1000) == b"one\0\0\0\0two\x1b[1mthree"
    assert backlog.replay(5, 1000) == b"\x18\0two\x1b[1mthree"
    assert backlog.replay(11, 1000) == b"[1mthree"


def test_a_replay_is_cut_between_sequences_and_loses_none():
    backlog = Backlog(100_000, first=0, rows=24)
    backlog.append(b"\x1b[31mred\x1b[6n\x1b[0m" * 500)
    for limit in (7, 16, 100, 1000):
        parts, offset = [], 0
        while part := backlog.replay(offset, limit):
            assert blanked(part) == (part, len(part))
            parts.append(part)
            offset += len(part)
        assert b"".join(parts) == b"\x1b[31mred\0\0\0\0\x1b[0m" * 500


@pytest.mark.parametrize(
    "data, kept",
    [
        (b"a\x1b]52;c;SGVsbG8=\x07b", b"a\x1b\\b"),
        (b"a\x1b]052;;?\x1b\\b", b"a\x1b\\\x1b\\b"),
        (b"a\xc2\x9d52;c;AAAA\xc2\x9cb", b"a\x1b\\\xc2\x9cb"),
        (b"\x1b]0;" + b"t" * 300 + b"\x07", None),
        (b"\x1b]8;;http://a.b/" + b"x" * 2000 + b"\x07link\x1b]8;;\x07", None),
        (b"\x1b]1337;File=:" + b"A" * 9000 + b"\x07after", b"\x1b\\after"),
        (b"\x1bPq" + b"~" * 9000 + b"\x1b\\after", b"\x1b\\\x1b\\after"),
        (b"\x1b]52;c;" + b"A" * 9000 + b"\x18after", b"\x1b\\after"),
        (b"\xff\xfe binary \x00\x80 stays", None),
    ],
)
def test_the_clipboard_and_long_strings_reach_nobody_and_the_rest_does(data, kept):
    whole = Sieve()
    assert whole.feed(data)[0] + whole.rest() == (data if kept is None else kept)
    for step in (1, 7, 1000):
        sieve = Sieve()
        parts = [sieve.feed(data[place : place + step])[0] for place in range(0, len(data), step)]
        found = b"".join([*parts, sieve.rest()])
        assert found == data if kept is None else found.replace(b"\x1b\\", b"") == kept.replace(b"\x1b\\", b"")


def test_what_the_sieve_gives_out_ends_with_a_whole_character_and_sequence():
    sieve = Sieve()
    assert sieve.feed(b"gr\xc3")[0] == b"gr"
    assert sieve.feed(b"\xbc\x1b[3")[0] == b"\xc3\xbc"
    assert sieve.feed(b"1mx")[0] == b"\x1b[31mx"
    assert sieve.feed("—".encode()[:2])[0] == b""
    assert sieve.rest() == "—".encode()[:2]


@pytest.mark.parametrize(
    "data, expected",
    [
        # how characters are drawn
        (b"\x1b[1\x08m", b"\x1b[?25h\x1b[1m"),  # with a control in it
        (b'\x1b[1"q', b'\x1b[?25h\x1b[1"q'),
        (b'\x1b[1"q\x1b[0"q', b"\x1b[?25h"),
        (b'\x1b[9"q', b"\x1b[?25h"),
        # what is kept, and comes back
        (b"\x1b[1m\x1b[s\x1b[m\x1b[u", b"\x1b[1m\x1b(B\x1b7\x1b(B\x1b[0m\x1b[?25h\x1b[1m"),
        (b"\x1b[1m\x1b7\x1b[m\x1b8", b"\x1b[1m\x1b(B\x1b7\x1b(B\x1b[0m\x1b[?25h\x1b[1m"),
        (b"\x1b[1m\x1b[?1048h\x1b[m\x1b[?1048l", b"\x1b[1m\x1b(B\x1b7\x1b(B\x1b[0m\x1b[?25h\x1b[1m"),
        (b"\x1b[1m\x1b[?1049h\x1b[m\x1b[?1049l", b"\x1b[1m\x1b(B\x1b7\x1b(B\x1b[0m\x1b[?25h\x1b[1m"),
        # character sets
        (b"\x1b(0\x1b%G", b"\x1b[?25h"),
        (b"\x1b)0\x1b~", b"\x1b)0\x0e\x1b[?25h"),
        (b"\x1b)0\x0e\x0f", b"\x1b)0\x1b[?25h"),
        (b"\x1b.0\x1b}", b"\x1b*0\x1bn\x1b[?25h"),
        (b"\x1b(9", b"\x1b[?25h"),
        (b"\x1b(0\x1b[?2h", b"\x1b[?25h"),
        (b"\x1b(0\x1b[?2l", b"\x1b(0\x1b[?25h"),
        # switches
        (b"\x1b=", b"\x1b[?66h\x1b[?25h"),
        (b"\x1b=\x1b>", b"\x1b[?25h"),
        (b"\x1b[?1005h", b"\x1b[?1005h\x1b[?25h"),
        (b"\x1b[?1005h\x1b[?1005l", b"\x1b[?25h"),
        (b"\x1b[?1000h\x1b[?1000l\x1b[?1006h\x1b[?1016l", b"\x1b[?25h"),
        (b"\x1b[5 q\x1b[?12h\x1b[3 q", b"\x1b[3 q\x1b[?25h"),
        (b"\x1b[20h\x1b[?12h", b"\x1b[?25h\x1b[20h\x1b[?12h"),
        # the other screen
        (b"\x1b[?47h", b"\x1b[?1047h\x1b[?25h"),
        (b"\x1b[?47h\x1b[2;5r\x1b[?47l\x1b[?47h", b"\x1b[?1047h\x1b[?25h"),
        (b"\x1b[3;9r\x1b[?47l", b"\x1b[3;9r\x1b[?25h"),
        # scroll regions
        (b"\x1b[9;3r", b"\x1b[?25h"),
        (b"\x1b[3;99r", b"\x1b[3;24r\x1b[?25h"),
        (b"\x1b[3;9r\x1b[r", b"\x1b[?25h"),
        # titles and links
        (b"\x1b]2;T\x07\x1b]0;\x07", b"\x1b[?25h\x1b]2;T\x1b\\"),
        (b"\x1b]8;;http://a\x07", b"\x1b[?25h\x1b]8;;http://a\x1b\\"),
        (b"\x1b]8;;http://a\x07\x1b]8;;\x07", b"\x1b[?25h"),
        (b"\x1b]8;;http://a\x07\x1b]8;id=1;\x07\x1b]8\x07", b"\x1b[?25h\x1b]8;;http://a\x1b\\"),
        # what is no mode
        (b"\x1bPq1\x1b\\\x1b[?9999h\x1b[>4;2m\x1b#8\x1b]99;x\x07", b"\x1b[?25h"),
    ],
)
def test_each_mode_is_set_and_taken_back_as_an_emulator_does(data, expected):
    assert set_by(data) == expected


def test_a_copy_goes_on_by_itself():
    modes = Modes(24)
    modes.feed(b"\x1b[2;5r\x1b[?25l\x1b[?1")
    other = modes.copy()
    other.feed(b"h\x1b[r\x1b[?25h\x1b[1m")
    assert prelude(other) == b"\x1b[?1h\x1b[?25h\x1b[1m"
    assert modes.open_bytes == b"\x1b[?1"
    assert prelude(modes) == b"\x1b[2;5r\x1b[?25l"
