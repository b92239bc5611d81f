"""What a program asks its terminal, found in its output, and the server's own answers. Pure.

An emulator's reply passes only while its query is outstanding. With no primary viewer the server answers the
questions that programs wait for, with constants, so that an interface nobody watches does not stall.
"""

from __future__ import annotations

import re

import msgspec

from . import replies

LONGEST_BYTES = 64  # of a query
MAX_OUTSTANDING = 64  # per kind: a program that asks on and on gets no larger allowance

_PATTERN = re.compile(
    rb"\x1b\[0*(?P<da1>c)|\x1b\[>0*(?P<da2>c)|\x1b\[=0*(?P<da3>c)"
    rb"|\x1b\[(?P<dsr>5)n|\x1b\[(?P<cpr>6)n|\x1b\[\?(?P<decxcpr>6)n"
    rb"|\x1b\[\??[0-9]{1,5}(?P<decrqm>\$p)"
    rb"|\x1bP(?P<decrqss>\$q)[ -~]{0,8}\x1b\\"
    rb"|\x1b\](?P<colour>4;[0-9]{1,3}|1[0-2])(?:;\?){1,3}(?:\x07|\x1b\\)"
    rb"|\x1b\[>0*(?P<version>q)|\x1b\[\?(?P<keyboard>u)|\x1b\[1[468](?P<window>t)"
    rb"|\x1b\[\?(?:[0-9]+;)*1004(?:;[0-9]+)*(?P<focus>[hl])"
)

FOREGROUND = b"rgb:cccc/cccc/cccc"
BACKGROUND = b"rgb:0000/0000/0000"

ANSWERS = {"da1": b"\x1b[?1;2c", "dsr": b"\x1b[0n", "cpr": b"\x1b[1;1R", "decxcpr": b"\x1b[?1;1R"}
COLOURS = {10: FOREGROUND, 11: BACKGROUND}


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """One question. `answer`: the server's own; empty if it has none."""

    kind: str
    answer: bytes = b""


class Queries:
    """Follows one PTY's output, in any chunks, and keeps count of what is unanswered."""

    def __init__(self) -> None:
        self._kept = b""
        self._outstanding: dict[str, int] = {}
        self._focus_reports = False

    def feed(self, chunk: bytes) -> list[Query]:
        """Return the questions that `chunk` completes."""
        if b"\x1b" not in chunk and not self._kept:
            return []
        data = self._kept + chunk
        found = []
        end = 0
        for match in _PATTERN.finditer(data):
            end = match.end()
            kind = match.lastgroup or ""
            if kind == "focus":
                self._focus_reports = match["focus"] == b"h"
            elif kind == "colour":
                found += _colours(match)
            else:
                found.append(Query(kind=kind, answer=ANSWERS.get(kind, b"")))
        escape = data.find(b"\x1b", max(end, len(data) - LONGEST_BYTES))
        self._kept = data[escape:] if escape >= 0 else b""
        return found

    def expect(self, query: Query) -> None:
        """A viewer was left to answer this."""
        count = self._outstanding.get(query.kind, 0)
        self._outstanding[query.kind] = min(count + 1, MAX_OUTSTANDING)

    def give_up(self, query: Query) -> bool:
        """Whether it is still unanswered; it counts as answered from now on."""
        count = self._outstanding.get(query.kind, 0)
        self._outstanding[query.kind] = max(0, count - 1)
        return count > 0

    def accept(self, data: bytes) -> bool:
        """Whether `data` answers outstanding questions and nothing else; they are then answered."""
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


def _colours(match: re.Match[bytes]) -> list[Query]:
    """One question for each `?`: in `10;?;?` the second asks for colour 11."""
    first = match["colour"]
    end = b"\x07" if match[0].endswith(b"\x07") else b"\x1b\\"
    if first.startswith(b"4"):
        return [Query(kind="colour")]
    found = []
    for number in range(int(first), int(first) + match[0].count(b"?")):
        value = COLOURS.get(number)
        found.append(Query(kind="colour", answer=b"\x1b]%d;%s%s" % (number, value, end) if value else b""))
    return found
