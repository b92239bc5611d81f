"""What is an emulator's answer, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_cabinet.terminals.vt import replies

REPLIES = [
    b"\x1b[?1;2c",
    b"\x1b[>0;276;0c",
    b"\x1b[0n",
    b"\x1b[12;40R",
    b"\x1b[?12;40R",
    b"\x1b]11;rgb:0000/1111/ffff\x1b\\",
    b"\x1b]10;rgb:00/11/ff\x07",
    b"\x1b]4;15;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b[?2026;2$y",
    b"\x1b[4;1$y",
    b"\x1bP1$r0m\x1b\\",
    b"\x1b[I",
    b"\x1b[O",
]


@pytest.mark.parametrize("reply", REPLIES)
def test_the_answers_of_an_emulator_are_replies_also_two_at_once(reply):
    assert replies.kinds(reply) is not None
    assert len(replies.kinds(reply + b"\x1b[0n")) == 2


@given(st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode)))
@example(b"")
@example(b"\x1b[0n\r")
@example(b"ls\r\x1b[0n")
@example(b"\x1b[A")
@example(b"\x1b]11;rgb:0/0/0; rm -rf x\x07")
@example(b"\x1bP1$r\r\x1b\\")
def test_nothing_that_a_shell_would_run_is_a_reply(data):
    kinds = replies.kinds(data)
    assert kinds is None or (data.startswith(b"\x1b") and b"\r" not in data and b"\n" not in data)


def test_nothing_and_what_is_longer_than_any_answer_are_no_replies():
    assert replies.kinds(b"") is None
    assert replies.kinds(b"\x1b[0n" * replies.MAX_REPLY_BYTES) is None
