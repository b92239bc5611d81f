"""Texts are cut to a number of bytes at the end of a line, or at least of a character, and say so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.prompts.text_trimming import END_LEFT_OUT, START_LEFT_OUT, cut_end, cut_start, fitting, size


def test_what_fits_stays_as_it_is() -> None:
    assert cut_end("one\ntwo", 7) == ("one\ntwo", False)
    assert cut_start("one\ntwo", 7) == ("one\ntwo", False)


def test_lines_are_left_whole() -> None:
    text = "\n".join(f"line {number:02}" for number in range(20))
    assert cut_end(text, 100) == ("\n".join(f"line {number:02}" for number in range(9)) + END_LEFT_OUT, True)
    assert cut_start(text, 100) == (START_LEFT_OUT + "\n".join(f"line {number:02}" for number in range(12, 20)), True)


def test_one_long_line_is_cut_between_characters() -> None:
    text = "é" * 100
    assert cut_end(text, 75) == ("é" * ((75 - size(END_LEFT_OUT)) // 2) + END_LEFT_OUT, True)
    assert cut_start(text, 75) == (START_LEFT_OUT + "é" * ((75 - size(START_LEFT_OUT)) // 2), True)
    late = "a\n" + "b" * 100
    assert cut_end(late, 75)[0].startswith("a\nb")
    early = "b" * 100 + "\na"
    assert cut_start(early, 75)[0].endswith("b\na")


@given(st.text(), st.integers(40, 200))
def test_a_cut_text_takes_no_more_than_its_cap_and_is_a_piece_of_the_whole(text: str, cap: int) -> None:
    text = text * 20
    for cut, note in ((cut_end, END_LEFT_OUT), (cut_start, START_LEFT_OUT)):
        kept, was_cut = cut(text, cap)
        assert size(kept) <= cap
        assert kept.replace(note, "") in text
        assert was_cut == (size(text) > cap) == (kept != text)


def test_items_fit_as_long_as_they_fit_together() -> None:
    assert fitting([], 0) == 0
    assert fitting(["aa", "bb", "cc"], 6) == 2
    assert fitting(["aa", "bb", "cc"], 10) == 3
    assert fitting(["aa"], 1) == 0
    assert fitting(["é", "é"], 5, separator="\n") == 2
