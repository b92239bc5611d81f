"""What is written in an input box that has the cursor, in each form that input boxes have."""

from __future__ import annotations

import pytest
from harness.pictures import claude, claude_box, codex, gemini, pi, picture
from harness.screens import TABLES

from jupyter_cabinet.runtimes.shared.screens.input_boxes import line_above, line_below, typed
from jupyter_cabinet.runtimes.shared.screens.screen_table import FramedBox
from jupyter_cabinet.terminals.vt.grid import Grid

COLUMNS, ROWS = 120, 30


def grid(drawn: bytes) -> Grid:
    made = Grid(COLUMNS, ROWS)
    made.feed(drawn)
    return made


def found(cli: str, drawn: bytes) -> str | None:
    return typed(grid(drawn), TABLES[cli].box)


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        (claude(), ""),
        (claude("● Done.", typed="draft"), "draft"),
        (claude(typed="one\ntwo"), "one\n  two"),
        (claude(typed="\x1b[2mTry this\x1b[22m"), ""),  # a hint is faint
        (claude_box(), None),  # nothing below the cursor closes the box
    ],
)
def test_a_box_between_two_lines_holds_what_stands_behind_its_sign(drawn, text):
    assert found("claude", drawn) == text


def test_a_hint_may_be_strong_on_the_cursor_alone():
    rule = "─" * COLUMNS
    hint = picture(rule, "❯\u00a0\x1b[7mT\x1b[27m\x1b[2mry this\x1b[22m", rule, cursor=(2, 1))
    assert found("claude", hint) == ""
    assert found("claude", claude(typed="T")) == "T"


def test_a_line_may_bear_words_where_its_pattern_says_so_and_must_reach_the_edge():
    rule, named = "─" * COLUMNS, f"── my session {'─' * (COLUMNS - 14)}"
    assert len(named) - 1 == COLUMNS - 1
    assert found("claude", picture(named, "❯\u00a0hi", rule, cursor=(4, 1))) == "hi"
    assert found("claude", picture(named[:-1], "❯\u00a0hi", rule, cursor=(4, 1))) is None
    assert found("claude", picture(rule, "❯\u00a0hi", named, cursor=(4, 1))) is None  # below it has none
    assert found("claude", picture(rule, "? hi", rule, cursor=(4, 1))) is None  # another sign
    assert found("pi", pi(typed="draft")) == "draft"


def test_the_lines_of_a_frame_are_those_next_to_the_cursor():
    box = TABLES["claude"].box
    assert isinstance(box, FramedBox)
    drawn = grid(claude("─" * COLUMNS, "● Done."))
    assert (line_above(drawn, box), line_below(drawn, box)) == (2, 4)
    empty = Grid(COLUMNS, ROWS)
    assert (line_above(empty, box), line_below(empty, box)) == (None, None)


@pytest.mark.parametrize(
    ("cli", "drawn", "text"),
    [
        ("codex", codex(), ""),
        ("codex", codex("• Done.", typed="draft"), "draft"),
        ("codex", picture("› one", "  two", cursor=(5, 1)), "one\n  two"),
        ("codex", picture("› one", "x two", cursor=(5, 1)), None),  # a row that is not indented
        ("codex", picture("", "  two", cursor=(5, 1)), None),  # no sign above it
        ("codex", picture("› one", cursor=(1, 0)), None),  # the cursor is on the sign
        ("codex", picture("› one", cursor=(5, 0), shown=False), None),
        ("gemini", gemini(), ""),
        ("gemini", gemini(typed="draft"), "draft"),
        ("gemini", gemini(typed="Type"), "Type"),  # too little of the hint to know it
        ("gemini", picture(" > Type your message or", "   @path/to/file", cursor=(4, 0)), ""),
        ("gemini", picture("   and then", "   the end", cursor=(10, 1)), "and then\n   the end"),
        ("gemini", picture("", cursor=(4, 0)), None),
    ],
)
def test_a_box_without_a_frame_goes_from_its_sign_to_the_cursor(cli, drawn, text):
    assert found(cli, drawn) == text


def opencode(*rows: str, cursor: tuple[int, int], shown: bool = True, foot: str = "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀") -> bytes:
    drawn = (f"  ┃  {row}".rstrip() for row in (*rows, "", "Build  model"))
    return picture("Earlier", *drawn, f"  {foot}  to the right", cursor=cursor, shown=shown)


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        (opencode("", cursor=(5, 1)), ""),
        (opencode('Ask anything... "Fix it"', cursor=(5, 1)), ""),
        (opencode("draft", cursor=(10, 1)), "draft"),
        (opencode("one", "two", cursor=(8, 2)), "one\ntwo"),
        (opencode("draft             beside it", cursor=(10, 1)), "draft"),  # it is no part of the box
        (opencode("draft", cursor=(10, 1), shown=False), None),
        (opencode("draft", cursor=(10, 0)), None),  # no bar beside the cursor
        (opencode("draft", cursor=(3, 1)), None),  # the cursor is before the text
        (opencode("draft", cursor=(10, 3)), None),  # in the rows at the foot
        (opencode("draft", cursor=(10, 1), foot="quoted"), None),  # a bar without a foot is a quotation
    ],
)
def test_a_box_with_a_bar_holds_what_stands_beside_it_above_its_foot(drawn, text):
    assert found("opencode", drawn) == text
