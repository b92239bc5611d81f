"""What a screen shows after the key that interrupts a turn, and when that is the turn's end."""

from __future__ import annotations

from harness.screens import COLUMNS, screen_of

from jupyter_cabinet.runtimes.claude.terminal import ClaudeTerminal
from jupyter_cabinet.runtimes.model import AnswerFinished, Request

RULE = "─" * COLUMNS
LONG = "\n".join(f"Line {number} of the instruction." for number in range(40))


def request(prompt: str) -> Request:
    return Request(prompt=prompt, mode="terminal", cwd="/", session_id="s", run_directory="/d")


def test_a_long_instruction_that_came_back_is_typed_text_of_which_a_part_shows() -> None:
    screen = screen_of("claude")
    more = "─── ↑ 17 more ".ljust(COLUMNS, "─")
    screen.feed("\r\n".join([more, "  Line 38 of the instruction.", "  Line 39 of the instruction.", RULE]).encode())
    screen.feed(b"\x1b[3;29H\x1b]0;\xe2\x9c\xb3 Claude\x07")
    assert screen.input() == "typed"
    assert screen.holds(LONG) and not screen.holds("Something else, as long as that.")


def test_opencode_works_until_its_key_has_come_twice() -> None:
    screen = screen_of("opencode")
    screen.feed(b"\x1b[40;1H  esc again to interrupt")
    assert screen.input() == "busy"
    screen.feed(b"\x1b[40;1H\x1b[2K  tab agents")
    assert screen.input() == "other"


def test_an_input_box_at_rest_ends_the_turn_that_is_being_interrupted_and_no_other() -> None:
    box = "\r\n".join([RULE, "❯ ", RULE]).encode() + b"\x1b[2;3H\x1b]0;\xe2\x9c\xb3 Claude\x07"
    conversation = ClaudeTerminal(request("Talk."))
    assert conversation.interrupt() == b""  # its session has not begun
    conversation.feed("hook", b'{"hook_event_name": "SessionStart", "session_id": "s"}')
    conversation.resized(COLUMNS, 40)
    conversation.feed("screen", box)
    fresh = ClaudeTerminal(request("Talk."))
    fresh.feed("hook", b'{"hook_event_name": "SessionStart", "session_id": "s"}')
    fresh.resized(COLUMNS, 40)
    fresh.feed("screen", box)
    assert (conversation.interrupt(), conversation.clear()) == (b"\x1b", b"\x03")
    assert conversation.rested(0.3) == []
    assert AnswerFinished(text="") in conversation.rested(1.0)
    assert AnswerFinished(text="") not in fresh.rested(1.0)
    assert conversation.finish(None).failure is not None
    conversation.interrupt()  # no turn is open
    assert conversation.rested(1.0) == []
