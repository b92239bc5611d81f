"""A CLI that takes one instruction without a terminal has nothing to write but its launch's stdin."""

from __future__ import annotations

from jupyter_cabinet.runtimes.codex.stream import CodexStream
from jupyter_cabinet.runtimes.model import Request


def test_nothing_is_written_to_it_whatever_a_person_does():
    conversation = CodexStream(Request(prompt="Do it.", mode="headless", cwd="/w", session_id="s1"))
    assert conversation.start() == b""
    assert conversation.send("And now this.") == b""
    assert conversation.answer("q1", "allow", "Go on.") == b""
