"""Where each CLI's input box is and what it contains, read from recordings of the real ones."""

from __future__ import annotations

import importlib

import pytest
from harness.examples import cases, examples
from harness.screens import STATES, TABLES, recording, repaints, screen_of, stage
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.claude.screen import SCREEN
from jupyter_cabinet.runtimes.shared.screens.cli_screen import CliScreen


@pytest.mark.parametrize("name", STATES)
def test_each_state_that_was_looked_at_is_told_right(name):
    screen, data, place, found = screen_of(name), recording(name), 0, []
    for last, size, _ in STATES[name]:
        screen.feed(data[place:size])
        place = size
        found.append([last, size, screen.input()])
    assert found == [list(each) for each in STATES[name]]


@pytest.mark.parametrize("cli", TABLES)
def test_what_is_known_of_a_screen_is_data_that_a_recording_bears_out(cli):
    module = importlib.import_module(f"jupyter_cabinet.runtimes.{cli}.screen")
    assert not [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
    seen = {state for name, states in STATES.items() if name.startswith(f"{cli}-") for _, _, state in states}
    assert seen >= {"empty", "typed"} and seen & {"busy", "other"}


@pytest.mark.parametrize("cli", TABLES)
def test_a_dialog_of_the_first_start_asks_in_a_sentence(cli):
    for name, phrase, question in TABLES[cli].dialogs:
        screen = CliScreen(TABLES[cli])
        screen.feed(f"{phrase}\r\n 1. Yes\r\n\r\n".encode())
        assert screen.dialog() == (name, question)
        assert question.endswith(".")


@settings(max_examples=examples(15))
@given(st.sampled_from(sorted(STATES)), st.lists(st.integers(1, 3000), max_size=30))
def test_pieces_do_not_matter(name, cuts):
    whole, pieces, data = screen_of(name), screen_of(name), recording(name)
    whole.feed(data)
    for cut in [*cuts, len(data)]:
        pieces.feed(data[:cut])
        data = data[cut:]
    assert (pieces.grid.text(), pieces.input()) == (whole.grid.text(), whole.input())


@pytest.mark.parametrize("name", cases(*repaints(), quick=2))
def test_a_repaint_with_a_box_is_never_an_empty_input_box(name):
    """Once its input box takes an instruction, at whatever byte, it works no more."""
    screen, free = CliScreen(SCREEN), False
    data = repaints()[name]
    for place in range(len(data)):
        screen.feed(data[place : place + 1])
        assert not screen.holds("You are editing")
        state = screen.input()
        free = free or (screen.worked and state in ("empty", "typed"))
        assert not free or state != "busy"


def test_a_paste_is_known_again_and_a_hint_is_nothing_that_somebody_has_typed():
    screen = screen_of("claude-esc-2.1.329.bin")
    screen.feed(recording("claude-esc-2.1.329.bin"))
    assert screen.holds("You are editing x.md.\n\nMake a file.")
    assert not screen.holds("Another prompt")
    screen.feed(b"\x1b[?2026h")
    assert screen.input() == "other"  # half a picture


@pytest.mark.parametrize(
    ("shown", "typed"),
    [
        ("\x1b[7mO\x1b[27m\x1b[2mnce fixed, resend\x1b[22m", ""),
        ("O\x1b[2C", "O"),
        ("draft", "draft"),
    ],
)
def test_claudes_hints_are_faint_but_for_its_own_cursor(shown, typed):
    screen = CliScreen(SCREEN)
    screen.grid.resize(40, 5)
    rule = "─" * 40
    screen.feed(f"\x1b]0;✳ Claude Code\x07{rule}\r\n❯\u00a0{shown}\r\n{rule}\r\n  ? for shortcuts\x1b[2;3H".encode())
    assert screen.typed() == typed


@pytest.mark.parametrize(
    ("cli", "shown", "state"),
    [
        # a session with a name
        ("claude", "──── my long session name ─────────────────\r\n❯\u00a0\r\n{rule}\r\n\x1b[2;3H", "empty"),
        # a paste of which only a part is shown
        ("pi", "──── ↑ 2 more ─────────────────────────────\r\nthe end of it\r\n{rule}\r\n\x1b[2;14H", "typed"),
        # the hint continues in the next row
        ("gemini", "\x1b]0;◇  Ready (w)\x07 >   Type your message or\r\n   @path/to/file\r\n\x1b[1;4H", "empty"),
        ("gemini", "\x1b]0;◇  Ready (w)\x07 *   Type your message or @path/to/file\r\n\x1b[1;4H", "empty"),
        ("gemini", "\x1b]0;◇  Ready (w)\x07 * the next one\r\n\x1b[1;16H", "typed"),
        # the box is higher than the screen
        ("gemini", "\x1b]0;◇  Ready (w)\x07   and then\r\n   the last line\r\n\x1b[2;17H", "typed"),
    ],
)
def test_input_boxes_that_look_otherwise_are_known_too(cli, shown, state):
    screen = screen_of(cli)
    screen.grid.resize(43, 6)
    screen.feed(shown.format(rule="─" * 43).encode())
    assert screen.input() == state


def test_what_a_model_draws_in_a_question_is_no_input_box():
    screen = CliScreen(SCREEN)
    screen.grid.resize(40, 8)
    rule = "─" * 40
    question = f"{rule}\r\n ☐ Figures\r\n{rule}x\r\n❯ 1. Public\r\n     {rule[:35]}\r\n  2. Other\x1b[4;1H"
    screen.feed(question.encode())
    assert screen.input() == "other"


def test_dialogs_are_told_only_while_they_stand_there():
    screen: CliScreen = screen_of("codex-session-0.169.0.bin")
    screen.feed(b"Trust this folder?")
    assert screen.dialog() is not None
    screen.feed(b"\x1b[2J\x1b[H")
    assert screen.dialog() is None


def test_the_last_words_are_also_those_of_a_screen_that_was_left():
    screen = screen_of("claude-session-2.1.329.bin")
    screen.feed(b"\x1b[?1049h\x1b[31mNo conversation found\x1b[0m\x1b[?1049l$ done")
    assert screen.words().split() == ["No", "conversation", "found", "$", "done"]


def test_a_box_of_codex_or_a_menu_has_no_input_box_before_it():
    screen = screen_of("codex-session-0.169.0.bin")
    screen.feed(stage("codex-session-0.169.0.bin", "box"))
    assert screen.typed() is None
