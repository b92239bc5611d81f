"""What is read from a CLI's screen, by the table of that CLI."""

from __future__ import annotations

import msgspec
import pytest
from harness.pictures import RULE, claude, claude_box, codex, gemini, pi, picture
from harness.screens import TABLES

from jupyter_cabinet.runtimes.shared.screens.cli_screen import CliScreen
from jupyter_cabinet.runtimes.shared.screens.screen_table import BusyRow

COLUMNS, ROWS = 120, 30
FOOT = "╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀"


def screen(cli: str, *drawn: bytes) -> CliScreen:
    made = CliScreen(TABLES[cli])
    made.grid.resize(COLUMNS, ROWS)
    for each in drawn:
        made.feed(each)
    return made


def title(text: str) -> bytes:
    return f"\x1b]0;{text}\x07".encode()


def opencode(*below: str) -> bytes:
    rows = ["  ┃  draft", "  ┃", "  ┃  Build", f"  {FOOT}", *below]
    return picture(*[""] * (ROWS - len(rows)), *rows, cursor=(10, ROWS - len(rows)))


@pytest.mark.parametrize(
    ("cli", "drawn", "state"),
    [
        ("claude", claude(), "empty"),
        ("claude", claude(typed="draft"), "typed"),
        ("claude", claude(title="◐ Claude Code"), "busy"),
        ("claude", claude(footer="esc to interrupt"), "busy"),
        ("claude", claude_box(), "other"),
        ("claude", claude() + b"\x1b[?2026h", "other"),  # half a picture
        ("codex", codex(), "empty"),
        ("codex", codex(title="⠋ work"), "busy"),
        ("codex", codex(title="[ ! ] Action Required | work"), "other"),
        ("gemini", gemini(typed="draft"), "typed"),
        ("opencode", opencode("", "ctrl+p commands"), "typed"),
        ("opencode", opencode("", "esc interrupt"), "busy"),
        ("opencode", opencode("esc interrupt", "", "", ""), "typed"),  # not among the last rows
        ("pi", pi(), "empty"),
        ("pi", picture("── Working ──", "", RULE, cursor=(0, 1)), "busy"),
        ("pi", picture("Working", "", RULE, cursor=(0, 1)), "other"),
    ],
)
def test_what_may_be_typed_is_read_from_where_each_cli_says_it(cli, drawn, state):
    assert screen(cli, drawn).input() == state


def test_a_box_without_a_frame_has_no_row_below_it_that_could_say_that_it_works():
    busy = BusyRow("esc to interrupt", "below_box")
    seen = CliScreen(msgspec.structs.replace(TABLES["codex"], busy=busy))
    seen.grid.resize(COLUMNS, ROWS)
    seen.feed(picture("› ", "esc to interrupt", cursor=(2, 0)))
    assert seen.input() == "empty"


def test_a_title_tells_that_it_works_and_that_it_went_on_after_a_question():
    seen = screen("codex", title("w"), title("⠋ w"))
    assert (seen.activity, seen.worked, seen.resumed) == ("busy", True, True)
    seen.begin()
    seen.feed(title("[ ! ] Action Required | w"))
    assert (seen.activity, seen.worked, seen.resumed) == ("asking", False, False)
    seen.feed(title("⠙ w"))
    assert (seen.worked, seen.resumed) == (True, True)
    seen.feed(b"text")
    assert not seen.resumed


def test_a_title_that_no_table_speaks_of_tells_nothing():
    assert screen("opencode", title("OpenCode")).activity == "unknown"


def test_it_has_worked_also_where_only_a_row_has_told_so():
    seen = screen("pi", picture("── Working ──", "", RULE, cursor=(0, 1)), pi())
    assert (seen.input(), seen.worked) == ("empty", True)


def test_a_prompt_that_was_not_sent_is_known_again():
    seen = screen("codex", codex(typed="Make a file and"))
    assert seen.holds("Make a file and\nread it.")
    assert not seen.holds("Another prompt")
    assert not seen.holds("")
    assert not screen("codex", b"").holds("Make a file")


def test_only_a_cli_that_says_when_it_takes_input_is_ready():
    assert screen("opencode", opencode("", "ctrl+p commands")).is_ready()
    assert not screen("opencode", opencode()).is_ready()
    assert not screen("claude", claude("ctrl+p commands")).is_ready()


def test_a_refusal_is_told_in_the_words_of_the_table():
    assert screen("pi", pi("Error: No API key found for anthropic.")).refusal() == "Error: No API key found for"
    assert screen("pi", pi("Error: disk full")).refusal() == ""


def test_of_two_dialogs_the_lower_counts_and_none_beside_an_input_box():
    seen = screen("gemini", b"Do you trust the files in this folder?\r\n")
    assert seen.dialog() == ("trust", "Gemini CLI asks whether it may trust this folder.")
    seen.feed(b"How would you like to authenticate\r\n")
    assert seen.dialog() == ("login", "Gemini CLI is not logged in and asks how to log in.")
    seen.feed(gemini("Do you trust the files in this folder?"))
    assert seen.dialog() is None


def test_an_interruption_counts_below_the_prompt_only():
    above = gemini(" > Do it.", "Request cancelled.", " > And this.", "Done.")
    assert screen("gemini", above).is_cancelled("Do it.")
    assert not screen("gemini", above).is_cancelled("And this.")
    assert screen("gemini", above).is_cancelled("Scrolled away.")  # it may be above the screen
    assert not screen("codex", codex("Request cancelled.")).is_cancelled("Do it.")  # its table has no such phrase


@pytest.mark.parametrize(
    ("cli", "drawn", "told"),
    [
        ("codex", codex("› Do it.", "■ stream", "disconnected", "", "more"), "stream disconnected"),
        ("codex", codex("■ earlier", "› Do it.", "• Done."), ""),
        ("codex", codex("› Do it.", "■ first", "", "■ second"), "second"),
        ("gemini", gemini(" > Do it.", " ✕ [API Error: 500]", "   more"), "[API Error: 500]"),
        ("opencode", picture("Do it.", "■ stream", cursor=(0, 5)), ""),  # its table has no such row
    ],
)
def test_trouble_is_what_is_said_last_below_the_prompt(cli, drawn, told):
    assert screen(cli, drawn).trouble("Do it.") == told


def test_the_last_words_are_the_lowest_rows_that_are_not_empty():
    drawn = picture("one", "", "two", "three", "", "four", cursor=(0, 9))
    assert screen("codex", drawn).last_words() == "two\nthree\nfour"
    assert screen("codex", drawn).last_words(rows=1) == "four"


def test_all_words_are_those_of_a_screen_that_was_left_too():
    seen = screen("codex", b"\x1b[?1049hNo such session\x1b[?1049l$ bye")
    assert [line for line in seen.words().splitlines() if line] == ["No such session", "$ bye"]
