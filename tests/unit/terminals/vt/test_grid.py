"""What a terminal shows, compared with what xterm.js itself shows, for any output in any pieces.

Needs Node and the frontend's packages. `CABINET_FUZZ_EXAMPLES=10000` looks at more, and at others each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from harness.emulator import Emulator, write
from harness.examples import examples
from harness.outputs import outputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt.grid import Grid

EXAMPLES = int(os.environ.get("CABINET_FUZZ_EXAMPLES", "0"))
fuzz = settings(
    max_examples=EXAMPLES or examples(60),
    derandomize=not EXAMPLES,
    database=None,
    suppress_health_check=list(HealthCheck),
)
COLUMNS, ROWS = 40, 10

numbers = st.one_of(st.just(""), st.integers(0, 12).map(str), st.integers(0, 200).map(str))
moves = st.builds(
    lambda parameters, final: f"\x1b[{';'.join(parameters)}{final}".encode(),
    st.lists(numbers, max_size=3),
    st.sampled_from("ABCDEFGHJKLMPSTXZ@`abdefrsu"),
)
words = st.text(st.sampled_from("abc xyz─❯╭中é1"), max_size=50).map(str.encode)
controls = st.sampled_from([b"\r", b"\n", b"\b", b"\t", b"\r\n", b"\x1b7", b"\x1b8", b"\x1bD", b"\x1bE", b"\x1bM"])
modes = st.sampled_from(
    b"\x1b[?7l|\x1b[?7h|\x1b[?6h|\x1b[?6l|\x1b[4h|\x1b[4l|\x1b[!p|\x1bc|"
    b"\x1b[?1049h|\x1b[?1049l|\x1b[?47h|\x1b[?47l|\x1b[2m|\x1b[0m|\x1b[?2026h".split(b"|")
)
drawings = st.lists(st.one_of(words, words, moves, moves, controls, modes), max_size=40).map(b"".join)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    it = Emulator()
    yield it
    it.close()


def shown(emulator: Emulator, data: bytes) -> tuple[list[str], int, int]:
    """The screen's rows and the cursor, by xterm."""
    state: dict[str, Any] = emulator.run(write(data), cols=COLUMNS, rows=ROWS)
    page = state["screen"][state["modes"]["active"]]
    rows = [line[0].rstrip() for line in page["lines"][page["base"] :]]
    return rows, page["x"], page["y"]


def drawn(data: bytes, cuts: list[int]) -> Grid:
    grid = Grid(COLUMNS, ROWS)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        grid.feed(data[start:end])
    return grid


@fuzz
@given(data=drawings, cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_it_shows_what_xterm_shows(emulator, data, cuts):
    grid = drawn(data, cuts)
    assert ([grid.line(row) for row in range(ROWS)], grid.x, grid.y) == shown(emulator, data)


@fuzz
@given(data=st.one_of(outputs, st.binary(max_size=300)), cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_nothing_it_is_fed_breaks_it(data, cuts):
    grid = drawn(data, cuts)
    assert 0 <= grid.x <= COLUMNS
    assert 0 <= grid.y < ROWS
    assert all(len(grid.line(row)) <= COLUMNS for row in range(ROWS))


@fuzz
@given(data=drawings, sizes=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 20)), max_size=4), more=drawings)
def test_it_goes_on_after_any_change_of_size(data, sizes, more):
    grid = drawn(data, [])
    for size in sizes:
        grid.resize(*size)
        grid.feed(more)
        assert 0 <= grid.x <= grid.columns
        assert 0 <= grid.y < grid.rows


def test_what_is_drawn_faint_is_told_apart():
    grid = Grid(COLUMNS, ROWS)
    grid.feed(b"> \x1b[38;5;2;2mhint\x1b[22m typed")
    assert grid.line(0) == "> hint typed"
    assert grid.strong(0) == ">      typed"


def test_titles_come_in_order_and_a_frame_is_known_until_it_ends():
    grid = Grid(COLUMNS, ROWS)
    assert grid.feed(b"\x1b]0;one\x07\x1b]2;two\x07\x1b[?2026h") == ["one", "two"]
    assert grid.drawing
    grid.feed(b"\x1b[?2026l")
    assert not grid.drawing


def grid_of(data: bytes) -> Grid:
    """A small one: ten columns, four rows."""
    grid = Grid(10, 4)
    grid.feed(data)
    return grid


FOUR = b"1\r\n2\r\n3\r\n4"
EXAMPLES_DRAWN = [
    # moves
    (b"ab\r\ncd\x1b[A\x1b[Cx", ["ab x", "cd"]),
    (b"\x1b[3;4Hx\x1b[1;1Hy\x1b[4Hz", ["y", "", "   x", "z"]),
    (b"abc\x1b[2Dx\x1b[Gy\x1b[5`z", ["yxc z"]),
    (b"\x1b[3dx\x1b[ey", ["", "", "x", " y"]),
    (b"a\x1b[Ix\x1b[Zy", ["a       y"]),
    (b"a\x1b[Ex\x1b[Fy\x1b[Bz", ["y", "xz"]),
    (b"\x1b[1\x08Cx", [" x"]),  # a control within
    (b"a\x1b[99;99Hb\x1b[99A\x1b[99Dc", ["c", "", "", "         b"]),
    # the controls
    (b"0123456789\rx", ["x123456789"]),
    (b"0123456789\nx", ["0123456789", "         x"]),
    (b"0123456789\bx", ["01234567x9"]),
    (b"0123456789\tx", ["0123456789", "x"]),
    (b"a\tb\tc\x07", ["a       bc"]),
    (b"a\x1bDb\x1bEc", ["a", " b", "c"]),
    (b"1\r\n2\x1bMx", ["1x", "2"]),
    (b"ab\x1bMx", ["  x", "ab"]),
    (b"ab\x1b7\r\ncd\x1b8x", ["abx", "cd"]),
    (b"ab\x1b[s\r\ncd\x1b[ux", ["abx", "cd"]),
    (b"abc\x1bcx", ["x"]),
    # what is taken away
    (b"abcdef\x1b[3D\x1b[Kx", ["abcx"]),
    (b"abcdef\x1b[3D\x1b[1Kx", ["   xef"]),
    (b"abcdef\x1b[2Kx", ["      x"]),
    (b"abc\r\x1b[3K", ["abc"]),
    (b"0123456789\x1b[Kx", ["0123456789", "x"]),  # nothing is left to take away
    (FOUR + b"\x1b[2;1H\x1b[J", ["1"]),
    (FOUR + b"\x1b[2;1H\x1b[1J", ["", "", "3", "4"]),
    (b"1\r\n2\x1b[2Jx", ["", " x"]),
    (b"1\r\n2\x1b[3Jx", ["1", "2x"]),
    (b"abcdef\x1b[1;2H\x1b[2X", ["a  def"]),
    (b"abcdef\x1b[1;2H\x1b[2P", ["adef"]),
    # what is moved
    (b"abcdef\x1b[1;2H\x1b[2@", ["a  bcdef"]),
    (b"abc\x1b[1;1H\x1b[4hx\x1b[4ly", ["xybc"]),
    (b"abc\x1b[1;1H\x1b[20hx", ["xbc"]),
    (FOUR + b"\x1b[S", ["2", "3", "4"]),
    (FOUR + b"\x1b[T", ["", "1", "2", "3"]),
    (FOUR + b"\x1b[2;1H\x1b[L", ["1", "", "2", "3"]),
    (FOUR + b"\x1b[2;3H\x1b[Mx", ["1", "x", "4"]),
    (FOUR + b"\x1b[1;2r\x1b[4;1H\x1b[L", ["1", "2", "3", "4"]),
    (FOUR + b"\nx", ["2", "3", "4", " x"]),
    # a region
    (FOUR + b"\x1b[2;3r\x1b[3;1H\nx", ["1", "3", "x", "4"]),
    (FOUR + b"\x1b[2;3r\x1b[2;1H\x1bMx", ["1", "x", "2", "4"]),
    (FOUR + b"\x1b[2;3r\x1b[4;1H\nx", ["1", "2", "3", "x"]),
    (b"\x1b[3;2rx\x1b[ry", ["y"]),
    (b"\x1b[2;3r\x1b[?6h\x1b[1;1Hx\x1b[2dy\x1b[9;9Hz\x1b[?6lv", ["v", "x", " y      z"]),
    (b"\x1b[2;3r\x1b[4;1Ha\x1b[9Ab\x1b[1;1Hc\x1b[9Bd", ["c", " b", " d", "a"]),
    (b"\x1b[2;3r\x1b[4hab\x1b[!p\x1b[1;1Hx\x1b[4;1H\ny", ["", "", "", "y"]),
    # again, and the end of a row
    (b"a\x1b[3b", ["aaaa"]),
    (b"\x1b[3ba\r\x1b[2b", ["a"]),
    (b"0123456789ab", ["0123456789", "ab"]),
    (b"\x1b[?7l0123456789ab", ["012345678b"]),
    # characters of two columns, and of none
    ("aé日b".encode(), ["aé日b"]),
    ("é日é".encode(), ["é日é"]),
    ("日本\x1b[1;2Hx".encode(), [" x本"]),
    ("日本\x1b[1;3Hx".encode(), ["日x"]),
    ("日本語日本語".encode(), ["日本語日本", "語"]),
    ("012345678日".encode(), ["012345678", "日"]),
    ("日\x1b[1;2H\x1b[4hx".encode(), [" x"]),
    ("日本\x1b[1;2H\x1b[K".encode(), [""]),
    ("日本\x1b[1;3H\x1b[@".encode(), ["日 本"]),
    ("日本\x1b[1;3H\x1b[P".encode(), ["日"]),
    # the other screen
    (b"one\x1b[?1049htwo\x1b[?1049l!", ["one!"]),
    (b"one\x1b[?47htwo\x1b[?47l!", ["one   !"]),
    (b"one\x1b[?47h\x1b[?47h\x1b[?47l\x1b[?47l!", ["one!"]),
    (b"ab\x1b[?1048h\r\n\x1b[?1048lx", ["abx"]),
    # what draws nothing
    (b"\x1b[>4;2mx\x1b[3gy\x1bHz", ["xyz"]),
    (b"\x1b[31;1mx\x1b[?12hy\x1b]2;title\x07z", ["xyz"]),
]


@pytest.mark.parametrize(("data", "rows"), EXAMPLES_DRAWN)
def test_what_is_drawn_stands_where_it_was_drawn(data, rows):
    grid = grid_of(data)
    assert [grid.line(row) for row in range(4)] == rows + [""] * (4 - len(rows))
    pieces = Grid(10, 4)
    for place in range(len(data)):
        pieces.feed(data[place : place + 1])
    assert (pieces.text(), pieces.x, pieces.y) == (grid.text(), grid.x, grid.y)


def test_the_examples_are_what_xterm_shows(emulator):
    for data, rows in EXAMPLES_DRAWN:
        state = emulator.run(write(data), cols=10, rows=4)
        page = state["screen"][state["modes"]["active"]]
        drawn_rows = [line[0].rstrip() for line in page["lines"][page["base"] :]]
        grid = grid_of(data)
        assert (drawn_rows, page["x"], page["y"]) == (rows + [""] * (4 - len(rows)), grid.x, grid.y), data


def test_a_mark_that_takes_no_column_is_left_out():
    assert grid_of("e\u0301x".encode()).line(0) == "ex"


def test_a_row_that_is_not_there_is_empty():
    grid = grid_of(FOUR)
    assert (grid.line(4), grid.line(-1), grid.strong(4), grid.strong(-1)) == ("", "", "", "")
    assert grid.text() == "1\n2\n3\n4"


def test_the_character_under_the_cursor_is_the_last_of_a_full_row():
    grid = grid_of(b"abc\x1b[2D")
    assert grid.character() == "b"
    grid.feed(b"\x1b[1;1H0123456789")
    assert (grid.x, grid.character()) == (10, "9")


def test_a_full_screen_program_that_is_left_leaves_what_it_showed_last():
    grid = grid_of(b"one\x1b[?1049h\x1b[1;1Htwo")
    assert (grid.text(), grid.left) == ("two\n\n\n", "")
    grid.feed(b"\x1b[?1049l")
    assert (grid.line(0), grid.left) == ("one", "two\n\n\n")


def test_whether_the_cursor_is_shown_is_known():
    grid = grid_of(b"\x1b[?25l")
    assert not grid.cursor_shown
    grid.feed(b"\x1b[?25h")
    assert grid.cursor_shown


@pytest.mark.parametrize(
    ("data", "strong"),
    [
        (b"a\x1b[2mb\x1b[0mc\x1b[2md\x1b[me\x1b[2mf\x1b[22mg", "a c e g"),
        (b"\x1b[38;5;2ma\x1b[48;2;1;2;2mb\x1b[58;5;2mc", "abc"),  # numbers of colours
        (b"\x1b[38;7;2ma\x1b[0mb", " b"),
        (b"\x1b[4:3ma\x1b[2:1mb\x1b[1;2mc\x1b[1md", "ab"),
        (b"\x1b[2mab\x1b[0m\x1b[1;2Hc", " c"),
        (b"\x1b[2mab\x1b[0m\x1b[1;1H\x1b[@c", "c"),
        (b"\x1b[2ma\x1b[0mb\x1b[1;1H\x1b[P", "b"),
        (b"\x1b[2ma\r\n\x1b[0mb\x1b[S", "b"),
        (b"\x1b[2ma\x1b[!pb", " b"),
    ],
)
def test_what_is_drawn_faint_goes_where_its_characters_go(data, strong):
    assert grid_of(data).strong(0) == strong


def test_another_size_cuts_off_what_does_not_fit_and_keeps_the_row_of_the_cursor():
    grid = grid_of(b"one\r\ntwo\r\nthree\r\nfour")
    grid.resize(3, 2)
    assert (grid.text(), grid.x, grid.y) == ("thr\nfou", 2, 1)
    grid.resize(5, 4)
    assert (grid.text(), grid.x, grid.y) == ("thr\nfou\n\n", 2, 1)
    grid.feed(b"\r\n\r\n\r\n!")
    assert grid.text() == "fou\n\n\n!"


def test_the_same_size_changes_nothing_and_no_size_is_below_one():
    grid = grid_of(b"\x1b[2;3r" + FOUR)
    before = grid.text()
    grid.resize(10, 4)
    grid.feed(b"\x1b[3;1H\n")
    assert grid.text() != before  # the region is there still
    grid.resize(0, 0)
    assert (grid.columns, grid.rows, grid.x, grid.y) == (1, 1, 0, 0)
    grid.feed("日a".encode())
    assert grid.line(0) == "a"


def test_both_screens_get_another_size():
    grid = grid_of(b"one\x1b[?1049h\x1b[1;1Htwo")
    grid.resize(20, 2)
    grid.feed(b"\x1b[1;15Hx\x1b[?1049l\x1b[1;15Hy")
    assert grid.line(0) == "one           y"
    assert grid.left == "two           x\n"
