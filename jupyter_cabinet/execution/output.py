"""The output of one run while it is written: a journal on disk, and readers that follow it from any position.

A reader has a position in the file, not a queue: a slow one costs nothing and misses nothing. Pieces of text that are
repeated in full later (`TextDelta`) are not kept on disk, only sent to current readers.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from ..core.redaction import Redactor
from ..runtimes.model import AnyAgentEvent, TextBlock, TextDelta
from ..storage.filesystem import files, untrusted_files

log = logging.getLogger(__name__)

MAX_PENDING_DELTAS = 2_000
READ_BYTES = 256 * 1024
LONGEST_LINE_BYTES = 32 << 20  # a CLI's line has at most 8 MiB, and JSON may write a byte as six


class OutputRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="output"):
    """One event of a run. `index` counts the kept events from 0; a delta has the index of the next kept one."""

    index: int
    at: float  # seconds since the run was started
    event: AnyAgentEvent


class OutputEnd(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="end"):
    """The run is final and all its events have been sent."""


class OutputJournal:
    """The events of one run that works here."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self.path = path
        self._redactor = redactor
        self._file = os.fdopen(files.open_to_append(path), "ab", buffering=0)
        self._unwritten = b""
        self._in_trouble = False
        self._count = _kept(path)
        self._deltas: list[bytes] = []
        self._dropped = 0  # deltas that have left the list: keeps the positions of readers right
        self._changed = asyncio.Event()
        self.ended = False

    def append(self, event: AnyAgentEvent, at: float) -> None:
        """Keep an event and wake the readers, without its secrets. `at`: seconds since the run was started.

        A full disk is no error: what could not be written is written later. A `TextDelta` is not kept on disk.
        """
        if isinstance(event, TextDelta):
            self._append_delta(event, at)
        else:
            self._redactor.flush()  # the whole text comes now, or never
            self._write(self._record(event, at) + b"\n")
            self._dropped += len(self._deltas)
            self._deltas.clear()
            self._count += 1
        self._wake()

    def end(self) -> None:
        """Close the file, because nothing more comes. Each reader finishes with the existing events. Call it once."""
        self.ended = True
        self._write(b"")
        self._file.close()
        self._wake()

    def _append_delta(self, event: TextDelta, at: float) -> None:
        # a secret may come in pieces: a possible beginning of one waits for the next piece
        text = self._redactor.feed(event.text.encode(errors="replace")).decode(errors="replace")
        if not text:
            return
        self._deltas.append(self._record(TextDelta(text=text), at))
        if len(self._deltas) > MAX_PENDING_DELTAS:
            del self._deltas[0]
            self._dropped += 1

    def _record(self, event: AnyAgentEvent, at: float) -> bytes:
        record = msgspec.json.encode(OutputRecord(index=self._count, at=round(at, 3), event=event))
        return self._redactor.redact(record.decode()).encode()

    def _write(self, data: bytes) -> None:
        """Write as much as the disk accepts; the rest waits for the next time. A full disk must not end the run."""
        self._unwritten += data
        try:
            while self._unwritten:
                self._unwritten = self._unwritten[self._file.write(self._unwritten) :]
            self._in_trouble = False
        except OSError as error:
            if not self._in_trouble:
                log.error("The output of a run cannot be written now: %s", error)
            self._in_trouble = True

    async def follow(self, since: int) -> AsyncIterator[bytes]:
        """Yield encoded records from index `since` on, until the run has ended. Waits for new ones.

        Also yields the pieces of text that are not complete yet. Raises `OSError` if the file is gone.
        """
        delta_place = 0
        with untrusted_files.open_file(self.path, beneath=self.path.parent) as file:
            rest, index = b"", 0
            while True:
                changed, ended = self._changed, self.ended
                while chunk := file.read(READ_BYTES):
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        if index >= since:
                            yield line
                        index += 1
                while (place := max(delta_place, self._dropped)) < self._dropped + len(self._deltas):
                    delta_place = place + 1
                    yield self._deltas[place - self._dropped]
                    if self._changed is not changed:
                        break  # a kept event was added in the meantime: it comes first
                if ended:
                    return
                await changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _kept(path: Path) -> int:
    """Return events that an attempt before a restart has left."""
    with untrusted_files.open_file(path, beneath=path.parent) as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(READ_BYTES), b""))


async def follow_finished(path: Path, since: int, *, beneath: Path) -> AsyncIterator[bytes]:
    """Yield the kept records of a run that does not work here any more, from index `since` on. Does not wait for more.

    Nothing if the file is missing. It ends at the first incomplete or overlong line; the others are not checked.
    """
    try:
        file = await asyncio.to_thread(untrusted_files.open_file, path, beneath=beneath)
    except OSError:
        return
    index = 0
    with file:
        while lines := await asyncio.to_thread(_next_lines, file):
            for line in lines[max(0, since - index) :]:
                yield line
            index += len(lines)


def answer_alone(text: str) -> bytes:
    """Return the encoded record of a run of which only the answer is kept: it has the index 0."""
    return msgspec.json.encode(OutputRecord(index=0, at=0, event=TextBlock(text=text)))


def _next_lines(file: BinaryIO) -> list[bytes]:
    lines: list[bytes] = []
    size = 0
    while size < READ_BYTES and (line := file.readline(LONGEST_LINE_BYTES)).endswith(b"\n"):
        lines.append(line.rstrip(b"\n"))
        size += len(line)
    return lines
