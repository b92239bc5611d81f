"""Invisible characters: all of them are counted and shown, in texts of any size."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from harness.cost import cost
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.plain_text import INVISIBLE, UNSEEN, hidden_characters, plain

EVERY = "".join(map(chr, range(sys.maxunicode + 1)))


def is_hidden(character: str) -> bool:
    return unicodedata.category(character) in UNSEEN or character in INVISIBLE


@pytest.mark.long(reason="tries every character")
def test_every_character_is_counted_and_shown_by_what_it_is() -> None:
    hidden = {each for each in EVERY if is_hidden(each)} - set("\n\r\t")
    assert hidden_characters(EVERY) == len(hidden)
    assert not (hidden | {"\r"}) & set(plain(EVERY))
    assert plain("a\r\nb\rc\t\x1b[1m\u200b\U000e0041é字") == "a\nb\\x0dc\t\\x1b[1m\\u{200b}\\u{e0041}é字"


@given(st.text())
def test_any_text_keeps_what_can_be_seen(text: str) -> None:
    assert hidden_characters(text) == sum(is_hidden(each) for each in text if each not in "\n\r\t")
    kept = [each for each in text.replace("\r\n", "\n") if each in "\n\t" or not is_hidden(each)]
    shown = iter(plain(text))
    assert all(each in shown for each in kept)  # in this order


def test_a_large_ordinary_text_takes_little_time() -> None:
    text = "abc\n" * (4 * 2**20)
    assert hidden_characters(text) == 0
    assert cost(lambda: hidden_characters(text)) < 700  # each character on its own: two thousand and more
