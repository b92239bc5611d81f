"""How characters are drawn, as one sequence after the other says it."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.vt import colours
from jupyter_cabinet.terminals.vt.colours import PLAIN, after, changed, protected, sequences


@pytest.mark.parametrize(
    ("parameters", "look"),
    [
        (b"1;3;53", {"bold": b"1", "italic": b"3", "overline": b"53"}),
        (b"4:3", {"underline": b"4:3"}),
        (b"4;4:0", {}),
        (b"21", {"underline": b"21"}),
        (b"1;2;22", {}),
        (b"9;29;7", {"inverse": b"7"}),
        (b"31;42", {"text": b"31", "ground": b"42"}),
        (b"97;100", {"text": b"97", "ground": b"100"}),
        (b"31;39", {}),
        (b"1;;3", {"italic": b"3"}),
        (b"99", {}),
        (b"38;5;200;1", {"text": b"38;5;200", "bold": b"1"}),
        (b"48;2;1;2;3;1", {"ground": b"48;2;1;2;3", "bold": b"1"}),
        (b"58:2::1:2:3;1", {"line": b"58:2::1:2:3", "bold": b"1"}),
        (b"38;2;1:2:3;1", {"text": b"38;2;1:2:3", "bold": b"1"}),
        (b"38;5:200;1", {"text": b"38;5:200", "bold": b"1"}),
        (b"38", {}),
        (b"38;9;1;1;1;1;1", {"bold": b"1"}),  # of a kind that is not known: six are its own
    ],
)
def test_each_parameter_sets_one_attribute_or_takes_it_away(parameters, look):
    assert changed(PLAIN, parameters) == look


def test_what_is_set_last_is_said_last():
    assert sequences(changed(PLAIN, b"4;31;4:3")) == b"\x1b[31m\x1b[4:3m"


def test_text_alone_changes_nothing_and_a_reset_forgets_what_was_before():
    red = changed(PLAIN, b"31")
    assert after(red, b"plain text") is red
    assert after(red, b"\x1b[1mbold") == {"text": b"31", "bold": b"1"}
    assert after(red, b"\x1b[1mbold\x1b[0m\x1b[3mitalic") == {"italic": b"3"}
    assert after(red, b"\x1b[1mbold\x1b[m") == {}


def test_a_picture_of_colours_is_looked_at_from_its_end(monkeypatch):
    monkeypatch.setattr(colours, "_MOST_CHANGES", 2)
    assert after(PLAIN, b"\x1b[1m\x1b[3m\x1b[31m") == {"italic": b"3", "text": b"31"}


def test_protection_is_said_in_a_way_of_its_own():
    look = protected(changed(PLAIN, b"1"), True)
    assert sequences(look) == b'\x1b[1m\x1b[1"q'
    assert protected(look, False) == {"bold": b"1"}
    assert protected(look, True) == look
