"""Recordings as asciicast v2, the format of asciinema: one JSON line for the header, one for each event. Pure.

Source: docs.asciinema.org/manual/asciicast/v2. Codes: `o` output, `r` a new size, `m` a marker. Typed input (`i`) is
never recorded. The function that reads the last line's time skips a line that a crash has torn.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ...sandboxes.port import Size

Code = Literal["o", "r", "m"]

# A full terminal understands this as a reset: all modes off, screen and colours cleared.
RESET = "\x1bc"
ENVIRONMENT = {"TERM": "xterm-256color"}

_json = msgspec.json.Encoder()


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line."""

    version: int = 2
    width: int
    height: int
    timestamp: int  # seconds since 1970
    title: str
    env: dict[str, str]


def header(size: Size, started_at: datetime, title: str) -> bytes:
    """Return the first line of a file, with its line feed."""
    made = Header(
        width=size.cols, height=size.rows, timestamp=int(started_at.timestamp()), title=title, env=ENVIRONMENT
    )
    return _json.encode(made) + b"\n"


def event(seconds: float, code: Code, data: str) -> bytes:
    """Return the line of one event, so many seconds after the file's beginning."""
    return _json.encode((round(seconds, 4), code, data)) + b"\n"


def resized(size: Size) -> str:
    """Return the data of an `r` event."""
    return f"{size.cols}x{size.rows}"


def last_seconds(tail: bytes) -> float:
    """Return the time of the last complete event in the end of a file; 0.0 if there is none."""
    for line in reversed(tail.split(b"\n")[:-1]):
        try:
            seconds, _code, _data = msgspec.json.decode(line, type=tuple[float, str, str])
        except msgspec.MsgspecError:
            continue
        return seconds
    return 0.0
