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
from harness.outputs import outputs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt.grid import Grid

EXAMPLES = int(os.environ.get("CABINET_FUZZ_EXAMPLES", "0"))
fuzz = settings(
    max_examples=EXAMPLES or 300,
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
