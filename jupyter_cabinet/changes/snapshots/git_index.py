"""Reads the tracked paths from a repository's file `index`. Pure. Format: `gitformat-index` of git 2.47.

The file is untrusted: invalid parts are no paths, and never an error. Nothing else of the repository is read. Of a
split index only its own paths are found, and none in repositories with SHA-256.
"""

from __future__ import annotations

import hashlib
from struct import unpack_from

_HEADER_BYTES, _SUM_BYTES = 12, 20
_MODE_AT, _FLAGS_AT, _NAME_AT = 24, 60, 62  # in an entry
_EXTENDED = 0x4000  # flag: two more bytes of flags
_KINDS = (0o100000, 0o120000)  # regular files and links; neither repositories nor sparse folders
_LONGEST = 4096  # bytes of a path, on every system that we know
_MOST_PATHS, _MOST_BYTES = 1_000_000, 128 << 20  # of all of them: a packed index may be far larger than its file
_NO_SUM = b"\0" * _SUM_BYTES  # of an index written without a checksum


def tracked(data: bytes) -> list[str]:
    """Return paths, relative to the repository's folder; empty if it is not an index."""
    if len(data) < _HEADER_BYTES + _SUM_BYTES or data[:4] != b"DIRC":
        return []
    version, count = unpack_from(">LL", data, 4)
    body, end = data[:-_SUM_BYTES], data[-_SUM_BYTES:]
    if version not in (2, 3, 4) or (end != _NO_SUM and hashlib.sha1(body, usedforsecurity=False).digest() != end):
        return []
    return _paths(body, count, is_packed=version == 4)


def _paths(body: bytes, count: int, *, is_packed: bool) -> list[str]:
    found: list[str] = []
    at, name, room = _HEADER_BYTES, b"", _MOST_BYTES
    for _ in range(min(count, _MOST_PATHS)):
        if at + _NAME_AT > len(body):
            break
        start = at
        (mode,) = unpack_from(">L", body, at + _MODE_AT)
        (flags,) = unpack_from(">H", body, at + _FLAGS_AT)
        at += _NAME_AT + (2 if flags & _EXTENDED else 0)
        kept = 0
        if is_packed:
            removed, at = _number(body, at)
            kept = max(0, len(name) - removed)
        end = body.find(b"\0", at)
        room -= kept + end - at
        if end < 0 or kept + end - at > _LONGEST or room < 0:
            break
        name = name[:kept] + body[at:end]
        at = end + 1 if is_packed else start + ((end - start) // 8 + 1) * 8
        if mode & 0o170000 in _KINDS and (path := _text(name)):
            found.append(path)
    return found


def _number(body: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the position after it."""
    value = 0
    while at < len(body):
        byte = body[at]
        at += 1
        value = (value << 7) | (byte & 0x7F)
        if not byte & 0x80:
            break
        value += 1
    return value, at


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return ""
