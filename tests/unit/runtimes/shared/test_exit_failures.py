"""What is said of a CLI that ended without its answer."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.model import Failure
from jupyter_cabinet.runtimes.port import Exit
from jupyter_cabinet.runtimes.shared.exit_failures import after_answer, crashed, last_words, of_process

NODE = """node:fs:1410
  const result = binding.mkdir(
Error: EACCES: permission denied, mkdir '/home/ada/.pi'
    at mkdirSync (node:fs:1410:26) {
  errno: -13,
}

Node.js v24.21.0
"""
BUN = """EACCES: permission denied, mkdir '/home/ada/.local'
   path: "/home/ada/.local",
   code: "EACCES"

Bun v1.3.14 (Linux x64 baseline)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("first\nsecond\n\n", "second"),
        (NODE, "Error: EACCES: permission denied, mkdir '/home/ada/.pi'"),
        (BUN, "EACCES: permission denied, mkdir '/home/ada/.local'"),
        ("Error: " + "x " * 400, ("Error: " + "x " * 400)[:300]),
        ("Error:" + "nospaces" * 20, ""),  # of a screen
    ],
)
def test_its_own_last_words_are_those_that_name_an_error(text, words):
    assert last_words(text) == words


KNOWN = Failure(kind="not_logged_in", message="Log in.")


@pytest.mark.parametrize("exit", [Exit(signal=2), Exit(signal=15), Exit(code=143)])
def test_who_was_stopped_is_cancelled_whatever_it_said(exit):
    assert of_process(exit, "Error: aborted", "pi", KNOWN) == Failure(kind="cancelled", message="pi was stopped.")


def test_what_its_words_tell_is_more_than_how_it_ended():
    assert of_process(Exit(code=1), "Error: 401", "pi", KNOWN) == KNOWN
    assert of_process(Exit(code=1), "odd", "pi", None) == crashed(Exit(code=1), "odd", "pi")


@pytest.mark.parametrize(
    ("exit", "stderr", "message"),
    [
        (Exit(code=7), "", "pi ended with exit code 7 before it answered."),
        (Exit(code=0), NODE, f"pi ended with exit code 0 before it answered. It said: {last_words(NODE)}"),
        (Exit(signal=9), "", "pi ended with signal 9 before it answered."),
        (Exit(), "", "pi was ended from outside before it answered."),
    ],
)
def test_of_whom_nothing_is_known_it_is_told_how_it_ended(exit, stderr, message):
    assert crashed(exit, stderr, "pi") == Failure(kind="crashed", message=message, retry_helps=True)


@pytest.mark.parametrize(
    ("exit", "said"),
    [
        (Exit(code=0), ""),
        (Exit(code=1), "pi had answered, then ended with exit code 1."),
        (Exit(signal=11), "pi had answered, then ended with signal 11."),
        (
            None,
            "pi answered, but did not exit within 2.5 s and was ended. "
            "Something it has started may have kept it running.",
        ),
    ],
)
def test_an_end_after_the_answer_is_worth_a_warning_where_it_was_no_good_one(exit, said):
    assert after_answer(exit, "pi", seconds=2.5) == said
