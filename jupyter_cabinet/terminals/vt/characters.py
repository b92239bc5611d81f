"""Reads UTF-8 like xterm.js 5.5: ill-formed bytes are dropped without a trace, also inside a sequence. Pure."""

from __future__ import annotations

CUT = -1  # the data ends within the character
DROPPED = -2

_LENGTHS = ((0xC0, 0xE0, 2), (0xE0, 0xF0, 3), (0xF0, 0xF8, 4))
_SMALLEST = {2: 0x80, 3: 0x800, 4: 0x10000}
_SURROGATES = range(0xD800, 0xE000)
_BYTE_ORDER_MARK = 0xFEFF  # dropped too
_LARGEST = 0x10FFFF


def unit(data: bytes, place: int) -> tuple[int, int]:
    """Return the code point at `place` and its length in bytes; `DROPPED` with the bytes to leave out, or `CUT`."""
    first = data[place]
    if first < 0x80:
        return first, 1
    length = next((size for low, high, size in _LENGTHS if low <= first < high), 0)
    if not length:
        return DROPPED, 1
    code = first & (0xFF >> (length + 1))
    for index in range(1, length):
        if place + index >= len(data):
            return CUT, index
        if data[place + index] & 0xC0 != 0x80:
            return DROPPED, index
        code = code << 6 | data[place + index] & 0x3F
    if code < _SMALLEST[length]:
        return DROPPED, length
    if code in _SURROGATES or code == _BYTE_ORDER_MARK or code > _LARGEST:
        return DROPPED, length
    return code, length


def well_formed(data: bytes) -> bytes:
    """Return `data` without ill-formed bytes."""
    return data if data.isascii() else data.decode(errors="ignore").replace("\ufeff", "").encode()
