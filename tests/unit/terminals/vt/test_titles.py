"""The title that a program sets."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt.sieve import Sieve
from jupyter_cabinet.terminals.vt.titles import Titles


@given(st.lists(st.integers(0, 30), max_size=5))
def test_a_title_is_found_wherever_the_output_is_cut(cuts):
    data = "a\x1b]0;◐ Work\x07b\x1b]2;Done\x1b\\c".encode()
    titles, sieve = Titles(), Sieve()
    places = [0, *sorted(cuts), len(data)]
    for start, end in pairwise(places):
        for sequence in sieve.feed(data[start:end])[1]:
            titles.see(sequence)
    assert titles.current == "Done"


def test_an_unchanged_title_is_not_told_again_and_a_long_one_is_cut():
    titles = Titles()
    (sequence,) = Sieve().feed(b"\x1b]0;" + b"x" * 300 + b"\x07")[1]
    assert titles.see(sequence) == "x" * 256
    assert titles.see(sequence) is None
