"""Follows how characters are drawn (SGR) without reading every change of it. Pure; `modes.py` calls it."""

from __future__ import annotations

import re
from collections.abc import Mapping

Look = Mapping[str, bytes]  # by attribute: the parameters that set it

PLAIN: Look = {}
PROTECTED = "protected"

_SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
_RESETS = (b"\x1b[m", b"\x1b[0m")
_MOST_PARAMETERS = 32
_MOST_CHANGES = 2_000  # read since the last reset, so that a picture of colours does not block the loop
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 5: "blink", 7: "inverse", 8: "hidden", 9: "struck"}
_ON |= {21: "underline", 53: "overline"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 25: ("blink",), 27: ("inverse",), 28: ("hidden",)}
_OFF |= {29: ("struck",), 39: ("text",), 49: ("ground",), 55: ("overline",), 59: ("line",)}
_PALETTES = {38: "text", 48: "ground", 58: "line"}
_PALETTE_ENTRIES = {2: 5, 5: 3}  # parameters in all, by the value of the second


def after(look: Look, data: bytes) -> Look:
    """Return the attributes after `data`, which contains only text and plain sequences."""
    if b"\x1b" not in data:
        return look
    reset = max(data.rfind(each) for each in _RESETS)
    result = dict(look) if reset < 0 else {}
    for parameters in _SGR.findall(data, max(reset, 0))[-_MOST_CHANGES:]:
        _apply(result, parameters)
    return result


def changed(look: Look, parameters: bytes) -> Look:
    """Return the attributes after one sequence with these parameters."""
    result = dict(look)
    _apply(result, parameters)
    return result


def protected(look: Look, on: bool) -> Look:
    """Return the attributes after DECSCA."""
    rest = {name: each for name, each in look.items() if name != PROTECTED}
    return {**rest, PROTECTED: b'1"q'} if on else rest


def sequences(look: Look) -> bytes:
    """Return sequences that set them on a terminal that draws plainly.

    One sequence each: a short one would take the next parameter for its own.
    """
    return b"".join(b"\x1b[%b" % (each if name == PROTECTED else each + b"m") for name, each in look.items())


def _apply(look: dict[str, bytes], parameters: bytes) -> None:
    given = parameters.split(b";")[:_MOST_PARAMETERS]
    place = 0
    while place < len(given):
        place += _apply_one(look, given, place)


def _apply_one(look: dict[str, bytes], given: list[bytes], place: int) -> int:
    """Apply one attribute. Return how many parameters were used."""
    number = int(given[place].partition(b":")[0] or 0)
    if number == 0:
        look.clear()
    elif number in _PALETTES:
        return _palette(look, given, place, _PALETTES[number])
    elif number in _ON:
        look.pop(_ON[number], None)
        look[_ON[number]] = given[place]
        if given[place].startswith(b"4:0"):
            look.pop("underline")
    elif number in _OFF:
        for name in _OFF[number]:
            look.pop(name, None)
    elif 30 <= number <= 37 or 90 <= number <= 97:
        look["text"] = given[place]
    elif 40 <= number <= 47 or 100 <= number <= 107:
        look["ground"] = given[place]
    return 1


def _palette(look: dict[str, bytes], given: list[bytes], place: int, name: str) -> int:
    used = given[place : place + 1]
    if b":" not in used[0]:
        mode = int(given[place + 1].partition(b":")[0] or 0) if place + 1 < len(given) else 0
        used = given[place : place + _PALETTE_ENTRIES.get(mode, 6)]
        colon = next((index for index, each in enumerate(used) if b":" in each), len(used))
        used = used[: colon + 1]
        if mode not in _PALETTE_ENTRIES:
            return len(used)
    look[name] = b";".join(used)
    return len(used)
