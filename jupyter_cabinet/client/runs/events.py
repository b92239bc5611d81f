"""Parses a run's output into typed events, each once, over any number of connections. Pure.

`LiveRun` feeds it the data from HTTP. The format is that of `execution/output.py`: kept events are counted from 0; a
piece of text that is not kept (`TextDelta`) has the number of the next kept one, and is sent again over a new
connection.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ...runtimes.model import AnyAgentEvent, TextDelta
from ..model import RunEvent, UnknownEvent

MAX_LINE_BYTES = 48 << 20  # the server's longest has 32 MiB

_EVENT: msgspec.json.Decoder[AnyAgentEvent] = msgspec.json.Decoder(AnyAgentEvent)


class Unreadable(Exception):
    """The data is not the output of a run."""


class _Line(msgspec.Struct, frozen=True):
    type: str
    index: int = 0
    at: float = 0
    event: msgspec.Raw = msgspec.Raw(b"null")


_LINE = msgspec.json.Decoder(_Line)


class OutputReader:
    """The events of one run. `since`: number of the next wanted kept event; `ended`: all of them have come."""

    def __init__(self) -> None:
        self.since = 0
        self.ended = False
        self._rest: list[bytes] = []  # of an incomplete line
        self._rest_bytes = 0
        # the last returned piece of text: its time, and how many had the same
        self._piece_at: float | None = None
        self._pieces = 0
        self._repeated = 0  # of those, how many a new connection will repeat
        self._is_repeating = False

    def connected(self) -> None:
        """Prepare for a new connection, which starts at `since`; an unfinished line is sent again."""
        self._rest.clear()
        self._rest_bytes = 0
        self._repeated = self._pieces
        self._is_repeating = self._piece_at is not None

    def feed(self, data: bytes) -> list[RunEvent]:
        """Return the events that these bytes complete, each once, over all connections; empty after the end.

        An unknown event becomes an `UnknownEvent`. Raises `Unreadable`.
        """
        self._rest.append(data)
        self._rest_bytes += len(data)
        if b"\n" not in data:
            if self._rest_bytes > MAX_LINE_BYTES:
                raise Unreadable("a line is too long")
            return []
        *lines, rest = b"".join(self._rest).split(b"\n")
        self._rest, self._rest_bytes = [rest], len(rest)
        return [event for line in lines if line.strip() and not self.ended for event in self._read(line)]

    def _read(self, data: bytes) -> Iterator[RunEvent]:
        try:
            line = _LINE.decode(data)
            if line.type == "end":
                self.ended = True
            elif line.type == "output":
                event = _event(bytes(line.event))
                if self._is_new(line, isinstance(event, TextDelta)):
                    yield event
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise Unreadable(str(error)[:200]) from None

    def _is_new(self, line: _Line, is_piece: bool) -> bool:
        if line.index < self.since:
            return False
        if is_piece:
            return self._is_new_piece(line.at)
        self.since = line.index + 1
        self._piece_at, self._pieces, self._is_repeating = None, 0, False
        return True

    def _is_new_piece(self, at: float) -> bool:
        if self._is_repeating and self._piece_at is not None:
            if at < self._piece_at:
                return False
            if at == self._piece_at and self._repeated:
                self._repeated -= 1
                return False
        self._is_repeating = False
        self._pieces = self._pieces + 1 if at == self._piece_at else 1
        self._piece_at = at
        return True


def _event(data: bytes) -> RunEvent:
    try:
        return _EVENT.decode(data)
    except msgspec.ValidationError:
        raw = msgspec.json.decode(data, type=dict)
        return UnknownEvent(type=str(raw.get("type", ""))[:100], raw=raw)
