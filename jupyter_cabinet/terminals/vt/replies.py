"""The grammar of an emulator's automatic answers. Pure.

A `reply` frame passes the soft lock, so nothing but these forms may be in one (ECMA-48, DEC STD 070, and the answers
that xterm.js 5.5 gives).
"""

from __future__ import annotations

import re

MAX_REPLY_BYTES = 1024

_END = rb"(?:\x07|\x1b\\)"
_COLOUR = rb"rgba?:[0-9a-fA-F]{1,4}(?:/[0-9a-fA-F]{1,4}){2,3}"

# By the name of the query that each answers; `queries.py` has the same names.
FORMS = {
    "da1": rb"\x1b\[\?[0-9;]{1,32}c",
    "da2": rb"\x1b\[>[0-9;]{1,32}c",
    "da3": rb"\x1bP!\|[0-9A-Fa-f]{0,16}\x1b\\",
    "dsr": rb"\x1b\[0n",
    "cpr": rb"\x1b\[[0-9]{1,5};[0-9]{1,5}R",
    "decxcpr": rb"\x1b\[\?[0-9]{1,5};[0-9]{1,5}(?:;[0-9]{1,3})?R",
    "decrqm": rb"\x1b\[\??[0-9]{1,5};[0-4]\$y",
    "decrqss": rb"\x1bP[01]\$r[0-9;\" a-zA-Z]{0,32}\x1b\\",
    "colour": rb"\x1b\](?:4;[0-9]{1,3}|1[0-2]);" + _COLOUR + _END,
    "version": rb"\x1bP>\|[0-9A-Za-z.() -]{0,64}\x1b\\",
    "keyboard": rb"\x1b\[\?[0-9]{1,3}u",
    "window": rb"\x1b\[[468];[0-9]{1,5};[0-9]{1,5}t",
    "focus": rb"\x1b\[[IO]",
}

_ANY = re.compile(b"|".join(b"(?P<%s>%s)" % (name.encode(), form) for name, form in FORMS.items()))


def kinds(data: bytes) -> list[str] | None:
    """Return the kinds of the replies in `data`; None if it contains anything else."""
    if not data or len(data) > MAX_REPLY_BYTES:
        return None
    found = []
    place = 0
    while place < len(data):
        match = _ANY.match(data, place)
        if match is None or match.lastgroup is None:
            return None
        found.append(match.lastgroup)
        place = match.end()
    return found
