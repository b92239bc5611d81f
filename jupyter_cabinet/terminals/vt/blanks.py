"""Removes from a replay's bytes everything that a terminal would answer. The length stays the same. Pure.

Used for the bytes of a replay and for recordings. NUL bytes replace a query, so that offsets still count; every
emulator ignores them. In a colour command only the `?` is replaced, so that the colours it sets stay.
"""

from __future__ import annotations

import re

from .queries import function, kind
from .sequences import Scanner, Sequence

_EXECUTED = bytes([*range(0x18), 0x19, *range(0x1C, 0x20)])  # while a CSI continues
_BLANK = bytes(code if code in _EXECUTED else 0 for code in range(0x100))
_COLOUR_ASKED = re.compile(rb"(?<=;)[\x00-\x1f\x80-\xff]*\?(?=[\x00-\x1f\x80-\xff]*(?:;|\x07|\Z))")
_NEVER_SHOWN = (b"n", b"?n")  # reports that xterm.js 5.5 does not give: other emulators may


def blanked(data: bytes) -> tuple[bytes, int]:
    """Return `data` without its queries, and how much of it is settled: the rest is an unfinished sequence.

    It has to start outside of a sequence.
    """
    if b"\x1b" not in data and b"\xc2" not in data:
        return data, len(data)
    scan = Scanner(modes=False).feed(data)
    asking = [each for each in scan.sequences if kind(each) or (each.kind == "csi" and function(each) in _NEVER_SHOWN)]
    if not asking:
        return data, scan.settled
    result = bytearray(data)
    for each in asking:
        result[each.start : each.end] = _without(data[each.start : each.end], each)
    return bytes(result), scan.settled


def _without(raw: bytes, query: Sequence) -> bytes:
    if query.kind == "osc":
        return _COLOUR_ASKED.sub(lambda match: match[0][:-1] + b"\0", raw)
    blank = bytearray(raw.translate(_BLANK) if query.kind == "csi" else bytes(len(raw)))
    if query.adjoins:  # an open sequence must still be ended, and a string ended by an escape counts as complete
        blank[0] = raw[0] if raw[0] == 0x1B else 0x18
        if raw[0] == 0x1B:
            place = next(place for place in range(1, len(raw)) if raw[place] not in _EXECUTED)
            blank[place] = ord("\\")
    return bytes(blank)
