"""Finds control sequences in a PTY's output, cut anywhere: the states of xterm.js 5.5's parser, by runs of bytes. Pure.

Reports a sequence's position and text; `queries.py`, `modes.py`, `sieve.py` and `blanks.py` know the meaning. Sequences
that change neither modes nor answers (colours, moves of the cursor, text) are skipped inside the regular expression:
they are most of what programs write.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from .characters import CUT, DROPPED, unit, well_formed

LONGEST_BYTES = 4 << 10  # a longer sequence is not kept, only followed to its end

Kind = Literal["esc", "csi", "osc", "dcs", "string", "long"]

_CONTROLS = rb"\x00-\x17\x19\x1c-\x1f\x7f"  # executed, or ignored, inside a sequence
_MANY = rb"(?:[\xc3-\xdf][\x80-\xbf]|\xc2[\xa0-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3})"

# The lookaheads skip a CSI that neither asks nor sets a mode and has nothing unusual in it, and the sequences that
# full-screen programs write around each picture (the cursor hidden and shown, the picture's start and end) ...
_DRAWING = rb"\[(?:[0-9;:]*[@-Z`abd-gm]|\?(?:25|2026)[hl])"
# ... and, if only questions and strings are wanted, sequences that set a mode or a character set, except for focus
# reports.
_SETTING = _DRAWING + rb"|\[[0-9;]*[hlrsu]|\[\?(?![0-9;]*1004)[0-9;]*[hl]|[78=>DEHM\\]|[()*+][0-9A-Z]"
_C1 = rb"|\xc2(?:[\x90\x98\x9b\x9d-\x9f]|\Z)"
_NEXT = {  # by whether modes matter
    True: (re.compile(rb"\x1b(?!%b)" % _DRAWING), re.compile(rb"\x1b(?!%b)%b" % (_DRAWING, _C1))),
    False: (re.compile(rb"\x1b(?!%b)" % _SETTING), re.compile(rb"\x1b(?!%b)%b" % (_SETTING, _C1))),
}
_SIMPLE = re.compile(rb"\x1b(?:\[([<=>?]?[0-9;:]{0,64}[ -/]?[@-~])|([78=>DEHMc\\]|[()*+][0-9A-Z]))")
_UNFINISHED = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")

_RUNS = {
    "esc": re.compile(rb"[%b -/]*" % _CONTROLS),
    "csi": re.compile(rb"[%b -?]*" % _CONTROLS),
    "dcs header": re.compile(rb"[%b -?]*" % _CONTROLS),
    "osc": re.compile(rb"(?:[^\x07\x18\x1a\x1b\x80-\xff]|%b)*" % _MANY),
    "dcs": re.compile(rb"(?:[^\x18\x1a\x1b\x80-\xff]|%b)*" % _MANY),
    "string": re.compile(rb"(?:[^\x18\x1a\x1b\x80-\xff]|%b)*" % _MANY),
}
_FORM = re.compile(rb"[<=>?]?[0-9:;]*[ -/]*")
_BY_7_BITS = {0x5B: "csi", 0x5D: "osc", 0x50: "dcs header", 0x58: "string", 0x5E: "string", 0x5F: "string"}
_BY_C1 = {0x9B: "csi", 0x9D: "osc", 0x90: "dcs header", 0x98: "string", 0x9E: "string", 0x9F: "string"}
_CONTROL_BYTES = bytes([*range(0x18), 0x19, *range(0x1C, 0x20)])
_DELETED = {
    **dict.fromkeys(("esc", "csi", "dcs header"), _CONTROL_BYTES + bytes(range(0x7F, 0x100))),
    "osc": _CONTROL_BYTES,
    **dict.fromkeys(("dcs", "string"), b""),
}
CANCELS = (0x18, 0x1A)
STRING_END = 0x9C


class Sequence(msgspec.Struct, frozen=True, kw_only=True):
    """`text`: its text, without its introducer, its end, and the controls between. `start`, `end`: in the scan.

    csi: prefix, parameters, intermediates, final. esc: intermediates, final. dcs: header and data. string: any that has
    no effect. long: over the length that is kept.
    """

    kind: Kind
    text: bytes
    start: int
    end: int  # a string that an escape ended ends before it
    adjoins: bool  # something was open when it started, and its first character ended that
    bell: bool = False  # a string that the bell ended


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """`data`: the open part from before, and the chunk. At `settled` nothing is open any more."""

    data: bytes
    sequences: list[Sequence]
    settled: int


class Scanner:
    """Follows one stream; without `modes` it does not report sequences that only set them."""

    def __init__(self, *, modes: bool = True) -> None:
        self._modes = modes
        self._open = b""  # the unfinished sequence or character at the end
        self._adjoins = False
        self._long: str | None = None  # the state in which an overlong sequence is followed

    def copy(self) -> Scanner:
        """Return one that continues from here independently."""
        other = Scanner(modes=self._modes)
        other._open, other._adjoins, other._long = self._open, self._adjoins, self._long
        return other

    @property
    def open_bytes(self) -> bytes:
        """The unfinished end, as it came. Empty within a sequence that is too long to keep."""
        return self._open

    def feed(self, chunk: bytes) -> Scan:
        """Return the sequences that `chunk` completes."""
        data = self._open + chunk if self._open else chunk
        found: list[Sequence] = []
        # `broken`: where an open sequence was ended by the following byte
        place, broken = self._finish_long(data, found)
        escape, any = _NEXT[self._modes]
        pattern = any if b"\xc2" in data else escape if b"\x1b" in data else None
        chain = place  # start of the sequence that is open, or is ended by the following byte
        while self._long is None and pattern is not None and (match := pattern.search(data, place)):
            start = match.start()
            chain = chain if start == broken else start
            simple = _SIMPLE.match(data, start)
            if simple is not None:
                found.append(_simple(simple, adjoins=start == broken))
                place, broken = simple.end(), -1
                continue
            cut = start + 1 == len(data)
            reading = None if cut else _Reading(data, start, *_introduced(data, start), adjoins=start == broken)
            if reading is None or (reading.incomplete and len(data) - start <= LONGEST_BYTES):
                return self._settle_before(data, found, chain, start)
            if reading.found is not None:
                found.append(reading.found)
            if reading.incomplete:
                self._long = reading.state
            place = reading.end
            broken = place if reading.leaves_open else -1
        match = _UNFINISHED.search(data, max(place, len(data) - 3)) if data and data[-1] >= 0x80 else None
        return self._settle(data, found, match.start() if match else len(data), broken)

    def _settle_before(self, data: bytes, found: list[Sequence], chain: int, start: int) -> Scan:
        """The sequence at `start` is unfinished, and so is everything that it ends, back to `chain`."""
        if len(data) - chain > LONGEST_BYTES:
            return self._settle(data, found, start, start if chain < start else -1)
        return self._settle(data, [each for each in found if each.start < chain], chain, -1)

    def _settle(self, data: bytes, found: list[Sequence], settled: int, broken: int) -> Scan:
        self._open = data[settled:]
        self._adjoins = broken == settled
        return Scan(data=data, sequences=found, settled=settled)

    def _finish_long(self, data: bytes, found: list[Sequence]) -> tuple[int, int]:
        """Follow the open sequence that is too long."""
        if self._long is None:
            return 0, 0 if self._adjoins else -1
        reading = _Reading(data, 0, self._long, 0, adjoins=True)
        found.append(reading.sequence("long", reading.end))
        self._long = reading.state if reading.incomplete else None
        return reading.end, reading.end


def _simple(match: re.Match[bytes], *, adjoins: bool) -> Sequence:
    kind: Kind = "csi" if match[1] is not None else "esc"
    text = match[match.lastindex or 0]
    return Sequence(kind=kind, text=text, start=match.start(), end=match.end(), adjoins=adjoins)


def _introduced(data: bytes, start: int) -> tuple[str, int]:
    """Return the state that an introducer starts, and the position of its body."""
    return ("esc", start + 1) if data[start] == 0x1B else (_BY_C1[data[start + 1]], start + 2)


class _Reading:
    """Read one sequence from `body` on, in the state `state`."""

    def __init__(self, data: bytes, start: int, state: str, body: int, *, adjoins: bool) -> None:
        self._data = data
        self._start = start
        self._body = body
        self._adjoins = adjoins
        self.state = state
        self.found: Sequence | None = None
        self.incomplete = False
        self.leaves_open = False  # it was broken off, or a string was ended, by the first byte of the next
        self.end = start
        self._header = b""
        place: int | None = body
        while place is not None:
            place = self._step(place)

    def sequence(self, kind: Kind, end: int, text: bytes = b"", *, bell: bool = False) -> Sequence:
        return Sequence(kind=kind, text=text, start=self._start, end=end, adjoins=self._adjoins, bell=bell)

    def _step(self, place: int) -> int | None:
        """Advance to the next character that changes something; None at the end."""
        place, code, size = _walk(self._data, place, _RUNS[self.state])
        if code == CUT:
            self._cut()
            return None
        if code == 0x1B or 0x80 <= code < 0xA0 or code in CANCELS or (code == 0x07 and self.state == "osc"):
            self._break_off(place, code, size)
            return None
        if code >= 0xA0:
            if self._passes(place):
                return place + size
            # no character is allowed here, and it is lost
            self._end(place + size, "string", place if self.state == "dcs header" else None)
            return None
        return self._final(place)

    def _cut(self) -> None:
        """The data ends."""
        self.incomplete = True
        match = _UNFINISHED.search(self._data, max(self._body, len(self._data) - 3))
        self.end = match.start() if match else len(self._data)
        if len(self._data) - self._start > LONGEST_BYTES:
            self.found = self.sequence("long", self.end)

    def _break_off(self, place: int, code: int, size: int) -> None:
        """An escape, a control that cancels, or the end of a string."""
        string = self.state in ("osc", "dcs header", "dcs", "string")
        kind = self.state if code in (0x1B, 0x07, STRING_END) and self.state != "dcs header" else "string"
        self.leaves_open = code == 0x1B or code in _BY_C1
        # by itself, whatever happens to the sequence that it broke off
        executed = code >= 0x80 and not self.leaves_open
        self._end(place if self.leaves_open or executed else place + size, kind, place if string else None)

    def _final(self, place: int) -> int | None:
        """A 7-bit character that the run did not take."""
        code, text = self._data[place], self._text(place)
        if self.state == "esc" and not text and code in _BY_7_BITS:
            self.state, self._body = _BY_7_BITS[code], place + 1
            return place + 1
        if self.state == "dcs header":
            self.state = "dcs" if _FORM.fullmatch(text) else "string"
            self._header, self._body = text + self._data[place : place + 1], place + 1
            return place + 1
        done = self.state == "esc" or _FORM.fullmatch(text)
        self._end(place + 1, self.state, place + 1 if done else None)
        return None

    def _end(self, end: int, kind: str, until: int | None) -> None:
        """It ends at `end`; its text ends at `until`, None if it has none."""
        self.end = end
        if end - self._start > LONGEST_BYTES:
            self.found = self.sequence("long", end)
        elif until is not None:
            text, bell = self._text(until), kind == "osc" and self._data[end - 1] == 0x07
            self.found = self.sequence(kind, end, text, bell=bell)  # type: ignore[arg-type]

    def _passes(self, place: int) -> bool:
        """Return whether characters are skipped: if the form is already broken. Inside strings the run takes them."""
        return self.state in ("csi", "dcs header") and not _FORM.fullmatch(self._text(place))

    def _text(self, place: int) -> bytes:
        # the controls are removed last: the bytes that they separated must not become a character
        raw = self._data[self._body : place]
        return self._header + (raw if raw.isascii() else well_formed(raw)).translate(None, _DELETED[self.state])


def _walk(data: bytes, place: int, run: re.Pattern[bytes]) -> tuple[int, int, int]:
    """Skip everything that `run` takes and ill-formed bytes.

    Return position, code and size of the next character.
    """
    while True:
        match = run.match(data, place)
        assert match is not None  # it may be empty
        place = match.end()
        if place >= len(data):
            return place, CUT, 0
        code, size = unit(data, place)
        if code != DROPPED:
            return place, code, size
        place += size
