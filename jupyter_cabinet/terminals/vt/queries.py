"""The queries of a program to its terminal, and the server's own answers. Pure.

An emulator's reply passes only while its query is outstanding. With no primary viewer the server answers the queries
that programs wait for, with constants, so that an interface without viewers does not stall.
"""

from __future__ import annotations

import re

import msgspec

from . import replies
from .sequences import Sequence
from .sieve import number_of

MAX_OUTSTANDING = 64  # per kind: a program that keeps asking gets no larger allowance

# By prefix, intermediates and final. xterm.js 5.5 answers most of them, other emulators the rest.
_KINDS = {
    b"c": "da1",
    b">c": "da2",
    b"=c": "da3",
    b"n": "status",
    b"?n": "private status",
    b"$p": "decrqm",
    b"?$p": "decrqm",
    b"t": "window",
    b">q": "version",
    b"?u": "keyboard",
}
_STATUS = {("status", 5): "dsr", ("status", 6): "cpr", ("private status", 6): "decxcpr"}
_WINDOW_REPORTS = (11, 13, 14, 15, 16, 18, 19, 20, 21)
_COLOUR_COMMANDS = (4, 10, 11, 12)
_PARAMETERS = b"0123456789:;"
_DCS_QUERY = re.compile(rb"[0-9:;]*(?:\$q|\+q)")
_FOCUS_REPORTS = 1004

FOREGROUND = b"rgb:cccc/cccc/cccc"
BACKGROUND = b"rgb:0000/0000/0000"

ANSWERS = {"da1": b"\x1b[?1;2c", "dsr": b"\x1b[0n", "cpr": b"\x1b[1;1R", "decxcpr": b"\x1b[?1;1R"}
COLOURS = {10: FOREGROUND, 11: BACKGROUND}


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """One query. `answer`: the server's own; empty if it has none."""

    kind: str
    answer: bytes = b""


def parameters(csi: Sequence) -> list[int]:
    """Return the parameters without their sub-parameters; an empty one is 0."""
    kept = csi.text.strip(b"<=>?").rstrip(bytes(range(0x20, 0x30)) + csi.text[-1:])
    return [int(each.partition(b":")[0] or 0) for each in kept.split(b";")]


def function(csi: Sequence) -> bytes:
    """Return its kind: prefix, intermediates and final."""
    return csi.text.translate(None, _PARAMETERS)


def kind(sequence: Sequence) -> str | None:
    """Return the name (as in `replies.py`) of its answer; None if nothing has to be answered."""
    if sequence.kind == "dcs":
        return "decrqss" if _DCS_QUERY.match(sequence.text) else None
    if sequence.kind == "osc":
        return "colour" if number_of(sequence) in _COLOUR_COMMANDS and _asked_colours(sequence) else None
    if sequence.kind != "csi":
        return None
    found = _KINDS.get(function(sequence))
    if found == "window":
        return found if parameters(sequence)[0] in _WINDOW_REPORTS else None
    if found in ("status", "private status"):
        return _STATUS.get((found, parameters(sequence)[0]), found)
    return found


class Queries:
    """Counts one PTY's unanswered queries."""

    def __init__(self) -> None:
        self._outstanding: dict[str, int] = {}
        self._focus_reports = False

    def see(self, sequence: Sequence) -> list[Query]:
        """Return the queries in a sequence that must be answered; empty if there is none. They are not expected yet."""
        if sequence.kind == "csi" and function(sequence) in (b"?h", b"?l") and _FOCUS_REPORTS in parameters(sequence):
            self._focus_reports = sequence.text.endswith(b"h")
        found = kind(sequence)
        if found is None or found.endswith("status"):
            return []
        return _colours(sequence) if found == "colour" else [Query(kind=found, answer=ANSWERS.get(found, b""))]

    def expect(self, query: Query) -> None:
        """Record that a viewer is expected to answer this query. At most `MAX_OUTSTANDING` of each kind count."""
        count = self._outstanding.get(query.kind, 0)
        self._outstanding[query.kind] = min(count + 1, MAX_OUTSTANDING)

    def give_up(self, query: Query) -> bool:
        """Return whether it is still unanswered; from now on it counts as answered."""
        count = self._outstanding.get(query.kind, 0)
        self._outstanding[query.kind] = max(0, count - 1)
        return count > 0

    def accept(self, data: bytes) -> bool:
        """Return whether `data` only answers outstanding queries; they then count as answered.

        Focus reports pass while the program wants them. If False, nothing counts as answered.
        """
        kinds = replies.kinds(data)
        if kinds is None:
            return False
        left = dict(self._outstanding)
        for kind in kinds:
            if kind == "focus":
                if not self._focus_reports:
                    return False
                continue
            if not left.get(kind):
                return False
            left[kind] -= 1
        self._outstanding = left
        return True


def _asked_colours(osc: Sequence) -> list[int]:
    """Return the positions of the `?` among the command's values."""
    return [place for place, value in enumerate(osc.text.split(b";")[1:]) if value == b"?"]


def _colours(osc: Sequence) -> list[Query]:
    """Return one query for each `?`: in `10;?;?` the second asks for colour 11."""
    number = number_of(osc) or 0
    end = b"\x07" if osc.bell else b"\x1b\\"
    found = []
    for place in _asked_colours(osc):
        value = COLOURS.get(number + place) if number in COLOURS else None
        found.append(Query(kind="colour", answer=b"\x1b]%d;%b%b" % (number + place, value, end) if value else b""))
    return found
