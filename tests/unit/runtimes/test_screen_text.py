"""Words and titles of a screen, whatever the chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.screen_text import WINDOW_CHARACTERS, ScreenText, compact


def test_words_lose_colours_moves_and_white_space():
    text = ScreenText()
    assert text.feed(b"\x1b[2J\x1b[H\x1b[38;5;174mDo\x1b[12Gyou \x1b(Btrust\x1b[1B\r\nit?\x1b[0m\x1b7") == []
    assert text.words == "Doyoutrustit?" == compact("Do you\ttrust\nit?")


def test_titles_are_told_in_order_and_other_commands_are_not():
    data = "\x1b]0;✳ Claude Code\x07a\x1b]2;◐ busy\x1b\\b\x1b]8;;http://x\x07c\x1b]11;?\x07".encode()
    text = ScreenText()
    assert text.feed(data) == ["✳ Claude Code", "◐ busy"]
    assert text.words == "abc"
    assert text.words[text.at_title :] == "bc"


@given(st.binary(), st.integers(0, 100))
def test_chunks_do_not_matter_and_nothing_raises(data, size):
    whole, pieces = ScreenText(), ScreenText()
    titles = whole.feed(data)
    found = [t for byte in range(len(data)) for t in pieces.feed(data[byte : byte + 1])]
    assert (found, pieces.words) == (titles, whole.words)


def test_only_the_latest_words_are_kept():
    text = ScreenText()
    text.feed(b"x" * (3 * WINDOW_CHARACTERS) + b"end")
    assert len(text.words) == WINDOW_CHARACTERS
    assert text.words.endswith("end")
    text.forget()
    assert text.words == ""
