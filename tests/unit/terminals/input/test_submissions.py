"""Which typed bytes submit a line."""

from __future__ import annotations

from jupyter_cabinet.terminals.input.submissions import Submissions


def test_an_enter_inside_a_paste_submits_nothing():
    submissions = Submissions()
    assert submissions.feed(b"hello\r")
    assert not submissions.feed(b"\x1b[200~a\rb")
    assert not submissions.feed(b"c\r\x1b[201~")
    assert submissions.feed(b"\r")


def test_a_new_line_without_enter_submits_nothing_and_ends_no_paste():
    submissions = Submissions()
    assert not submissions.feed(b"a\x1b\r")
    assert not submissions.feed(b"\x1b[200~a\x1b\rb\r")
