"""A replay's bytes without what a terminal would answer: its length stays, so that offsets still count. Pure.

Used for the bytes of a replay and for recordings. NUL bytes take a query's place; every emulator ignores them. In a
colour command only the `?` goes, so that the colours it sets stay.
"""

from __future__ import annotations

import re

from .queries import function, kind
from .sequences import Scanner, Sequence

_EXECUTED = bytes([*range(0x18), 0x19, *range(0x1C, 0x20)])  # while a CSI goes on
_BLANK = bytes(code if code in _EXECUTED else 0 for code in range(0x100))
_COLOUR_ASKED = re.compile(rb"(?<=;)[\x00-\x1f\x80-\xff]*\?(?=[\x00-\x1f\x80-\xff]*(?:;|\x07|\Z))")
_NEVER_SHOWN = (b"n", b"?n")  # reports that xterm.js 5.5 does not give: other emulators may


def blanked(data: bytes) -> tuple[bytes, int]:
    """`data` without its queries, and how much of it is settled: what follows is an unfinished sequence.

    It has to begin where nothing is open.
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
    if query.adjoins:  # what was open must still be ended, and a string by an escape counts as whole
        blank[0] = raw[0] if raw[0] == 0x1B else 0x18
        if raw[0] == 0x1B:
            place = next(place for place in range(1, len(raw)) if raw[place] not in _EXECUTED)
            blank[place] = ord("\\")
    return bytes(blank)
