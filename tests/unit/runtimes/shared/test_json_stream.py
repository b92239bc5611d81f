"""What headless CLIs that write one JSON object a line have in common."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_cabinet.runtimes.model import AnyAgentEvent, Failure, Outcome, Request, SessionStarted, TextBlock, Warned
from jupyter_cabinet.runtimes.port import Exit
from jupyter_cabinet.runtimes.shared.messages.json_lines import MAX_LINE_BYTES
from jupyter_cabinet.runtimes.shared.messages.json_stream import JsonStream

SYSTEM = Warned(
    message="Plain does not accept an addition to its system prompt. The text is placed before the message."
)
OTHER = Warned(message="Plain opened a different session than requested.")
ASKS = Warned(message="Plain asks nobody.")


class Plain(JsonStream):
    """A CLI that says as little as can be."""

    title = "Plain"
    stderr_characters = 10
    without_asking = "Plain asks nobody."

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self.text = str(line["text"])
        return [TextBlock(text=self.text)]

    def failed(self, exit: Exit) -> Failure | None:
        return None if exit.code == 0 else Failure(kind="crashed", message=self.stderr)


class OwnWay(Plain):
    """A CLI with a separate option for an addition to the system prompt."""

    takes_system_text = True


def request(**changes: Any) -> Request:
    values: dict[str, Any] = {"prompt": "Do it.", "mode": "headless", "cwd": "/w", "session_id": "s1"}
    return Request(**(values | changes))


def make(**changes: Any) -> Plain:
    return Plain(request(**changes))


def test_an_answer_is_its_last_text_with_what_the_cli_tells_and_nothing_else():
    conversation = make()
    assert conversation.feed("stdout", b'{"text": "a"}\n{"text"') == [TextBlock(text="a")]
    assert conversation.feed("stdout", b': "b"}') == []
    assert conversation.finish(Exit(code=0)) == Outcome(text="b")
    assert not conversation.was_cut


def test_a_failure_has_no_text_and_half_a_line_is_known_for_it():
    conversation = make()
    conversation.feed("stdout", b'{"text": "a"}\n{"te')
    assert conversation.feed("stderr", b"first words, last \xe2\x82") == []
    outcome = conversation.finish(None)
    assert (outcome.text, outcome.failure.message) == ("", "ds, last \N{REPLACEMENT CHARACTER}")
    assert conversation.was_cut


def test_a_character_in_two_pieces_on_stderr_is_one():
    conversation = make()
    for piece in (b"5 \xe2\x82", b"\xac"):
        conversation.feed("stderr", piece)
    assert conversation.stderr == "5 €"


def test_a_cli_without_a_terminal_has_no_screen_and_no_hooks():
    assert [make().feed(source, b'{"text": "a"}\n') for source in ("screen", "hook", "transcript")] == [[], [], []]


def test_noise_is_told_once_and_each_line_without_end_by_its_size():
    conversation = make()
    (noise,) = conversation.feed("stdout", b"garbage\nmore\n")
    assert noise == Warned(message="Plain wrote a line that is not JSON. It is in the run's raw output.")
    size = MAX_LINE_BYTES + 1
    (long,) = conversation.feed("stdout", b"x" * size + b"\n")
    assert long == Warned(message=f"A line of {size} bytes from Plain was too long and was skipped.")


@pytest.mark.parametrize(
    ("kind", "changes", "warned"),
    [
        (Plain, {}, []),
        (Plain, {"resume": "native"}, []),
        (Plain, {"resume": "another"}, [OTHER]),
        (Plain, {"permission_mode": "ask"}, [ASKS]),
        (Plain, {"system": "Be brief."}, [SYSTEM]),
        (OwnWay, {"system": "Be brief."}, []),
    ],
)
def test_a_session_that_begins_otherwise_than_asked_is_told(kind, changes, warned):
    conversation = kind(request(**changes))
    assert conversation.started("native", "m") == [SessionStarted(native_id="native", model="m"), *warned]
    assert conversation.native_id == "native"


def test_a_session_without_a_name_is_none():
    conversation = make()
    assert conversation.started("") == [SessionStarted(native_id="")]
    assert conversation.finish(Exit(code=0)).native_id is None
