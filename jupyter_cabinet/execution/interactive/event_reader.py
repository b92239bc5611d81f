"""Reads an open CLI's hooks, screen and transcript into events, in the order in which they happened.

Called by `open_cli.py`, which takes the events and decides what they mean for an order.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.clock import Clock
from ...runtimes.model import AnswerFinished, AnyAgentEvent
from ...runtimes.port import Conversation, InputState, LateTranscript, ScreenReader
from ...sandboxes.port import Size
from .transcript import TranscriptReader


class EventReader:
    """Reads the inputs of one CLI. `take`: called with the events of each piece that was read, which may be none."""

    def __init__(
        self,
        conversation: Conversation,
        transcript: TranscriptReader,
        clock: Clock,
        take: Callable[[list[AnyAgentEvent]], None],
    ) -> None:
        self._conversation = conversation
        self._transcript = transcript
        self._clock = clock
        self._take = take
        self.screen_reader = conversation if isinstance(conversation, ScreenReader) else None

    @property
    def input_state(self) -> InputState:
        """Return the state of the input box, as far as the runtime can read it from the screen."""
        return self.screen_reader.input() if self.screen_reader is not None else "other"

    def look_for_transcript(self, pattern: str) -> None:
        """Find the transcript by its name, now or once it exists.

        `pattern`: for `glob`, relative to the CLI's folder; may be empty.
        """
        self._transcript.look_for(pattern)

    async def of_hook(self, payload: bytes) -> list[AnyAgentEvent]:
        """Return the events in a hook's JSON, without taking them. May wait up to two seconds for the end of an answer.

        Records of the transcript happened before, so they are read and taken first.
        """
        self._transcript.learn(payload)
        events = self._conversation.feed("hook", payload)
        if any(isinstance(event, AnswerFinished) for event in events):
            await self._transcript.wait_for_end(self.read_transcript, self._owes_text, self._clock)
        else:
            self.read_transcript()
        return events

    def screen_drawn(self, data: bytes, size: Size) -> None:
        """Pass these bytes to the runtime's reader of the screen, and take the events."""
        if self._transcript.follows_screen:
            self.read_transcript()
        if self.screen_reader is not None:
            self.screen_reader.resized(size.cols, size.rows)
        self._take(self._conversation.feed("screen", data))

    def screen_rested(self, seconds: float) -> None:
        """Take the events of a screen that has been still for `seconds`.

        Without effect if the runtime cannot read the screen. The transcript is more precise than the screen, so it is
        read first.
        """
        if self.screen_reader is not None:
            self.read_transcript()
            self._take(self.screen_reader.rested(seconds))

    def read_transcript(self) -> bool:
        """Take the new part of the transcript. Return whether there was any."""
        gained = False
        for chunk in self._transcript.read():
            gained = True
            self._take(self._conversation.feed("transcript", chunk))
        return gained

    def _owes_text(self) -> bool:
        return isinstance(self._conversation, LateTranscript) and self._conversation.owes_text()
