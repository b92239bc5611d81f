"""The dialogue with a CLI that takes one instruction without a terminal and asks nobody: the empty defaults.

Pure. `messages/json_stream.py` extends it; a CLI that writes plain text derives from it directly.
"""

from __future__ import annotations

from ..model import AnyAgentEvent, Outcome
from ..port import Exit, Source


class OneInstruction:
    """The instruction is in `Launch.stdin` or a file. `feed` reads the answer and `finish` judges it."""

    def start(self) -> bytes:
        """Return nothing: everything is in `Launch.stdin`."""
        return b""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        """Return the events for the CLI's output: `Conversation.feed`."""
        raise NotImplementedError

    def send(self, text: str) -> bytes:
        """Return nothing: it takes no further instruction."""
        return b""

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return nothing: without a terminal it asks nobody."""
        return b""

    def finish(self, exit: Exit | None) -> Outcome:
        """Return how it ended: `Conversation.finish`."""
        raise NotImplementedError
