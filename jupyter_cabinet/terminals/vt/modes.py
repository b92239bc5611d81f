"""The modes of a terminal at a position of its output. Pure; `preludes.py` sets another terminal to the same.

Follows xterm.js 5.5, including its oddities: a reset changes the same modes here as there. The screen's text and the
cursor's position are not modes: they come with the bytes that follow.
"""

from __future__ import annotations

import copy

import msgspec

from . import colours
from .queries import function, parameters
from .sequences import Scanner, Sequence
from .sieve import number_of
from .titles import title_of

_MOST_PARAMETERS = 32
_SHIFT_OUT, _SHIFT_IN = 0x0E, 0x0F
_LEVELS = {b"n": 2, b"o": 3, b"|": 3, b"}": 2, b"~": 1}
_SETS = {b"(": 0, b")": 1, b"-": 1, b"*": 2, b".": 2, b"+": 3}
_KNOWN_SETS = b"0AB4C5RQKYE6ZH7="
_SHOW_CURSOR, _HIDE_CURSOR = b"\x1b[?25h", b"\x1b[?25l"
_SCREENS = (47, 1047, 1049)
_TRACKING = (9, 1000, 1002, 1003)
_ENCODINGS = (1006, 1016)
_SWITCHES = (1, 6, 7, 45, 66, 1004, 2004, -4)  # which a soft reset resets
_OTHER_SWITCHES = (1005, 1015)
WRAPS, CURSOR_SHOWN, BLINKS, SAVES, KEYPAD = 7, 25, 12, 1048, 66
_LOOKING_BACK = {2, CURSOR_SHOWN, SAVES, 1049}
_LASTING = (CURSOR_SHOWN, BLINKS, -20)


def _looks_back(sequence: Sequence) -> bool:
    """Return whether its effect depends on earlier drawing, or undoes it; or it is a string, which draws nothing."""
    if sequence.kind != "csi":
        return True
    if sequence.text.startswith(b"?"):
        return not _LOOKING_BACK.isdisjoint(parameters(sequence))
    return sequence.text[-1:] in (b"m", b"s", b"u", b"p") or sequence.text.endswith(b'"q')


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What DECSC saves, except the position."""

    look: colours.Look = colours.PLAIN
    characters: bytes | None = None


class Page:
    """One of the two screens."""

    def __init__(self) -> None:
        self.region: tuple[int, int] | None = None  # top and bottom, from 1
        self.saved = Saved()


class Modes:
    """Follows one stream. `rows`: the terminal's height, which decides whether a scroll region is valid."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.title = ""
        self._scanner = Scanner()
        self.cursor_style: int | None = None  # None: never set, so the viewer's own
        self.lasting: dict[int, bool] = {}  # modes that no reset changes; one that was never set is missing
        self._reset()

    def _reset(self) -> None:
        self._soft_reset_switches()
        self.pages = (Page(), Page())
        self.alternate = False
        self.tracking = 0
        self.encoding = 0
        self.others: frozenset[int] = frozenset()
        self.look: colours.Look = colours.PLAIN
        self.link = b""
        self._reset_characters()

    def _soft_reset_switches(self) -> None:
        self.on = frozenset({WRAPS})

    def _reset_characters(self) -> None:
        self.sets: tuple[bytes | None, ...] = (None, None, None, None)
        self.level = 0
        self.characters: bytes | None = None  # in use; after DECRC not always the level's

    def copy(self) -> Modes:
        """Return another one that may continue independently."""
        other = copy.copy(self)
        other._scanner, other.lasting = self._scanner.copy(), dict(self.lasting)
        other.pages = (copy.copy(self.pages[0]), copy.copy(self.pages[1]))
        return other

    @property
    def open_bytes(self) -> bytes:
        """The bytes of an unfinished sequence or character at the end of the input.

        They have changed no mode yet.
        """
        return self._scanner.open_bytes

    def resize(self, rows: int) -> None:
        """Set the number of rows, and forget all scroll regions, as emulators do."""
        self.rows = rows
        for page in self.pages:
            page.region = None

    def feed(self, chunk: bytes) -> None:
        """Take the next output of a program into account."""
        scan = self._scanner.feed(chunk)
        data, drawn = scan.data, 0  # up to `drawn` the text between the sequences is taken into account
        for sequence in scan.sequences:
            if _looks_back(sequence):
                self._draw(data[drawn : sequence.start])
                drawn = sequence.end
                if sequence.kind in ("csi", "esc"):  # controls in them are executed
                    self._shift(data[sequence.start : sequence.end])
            self._obey(sequence)
        self._draw(data[drawn : scan.settled])

    # --- effects of the sequences ------------------------------------------------------------------

    def _draw(self, data: bytes) -> None:
        """Text, and the frequent sequences that the scanner skips."""
        self.look = colours.after(self.look, data)
        self._shift(data)
        if b"\x1b" not in data:  # a fast check that the sequences below are not there
            return
        shown, hidden = data.rfind(_SHOW_CURSOR), data.rfind(_HIDE_CURSOR)
        if shown != hidden:
            self.lasting[CURSOR_SHOWN] = shown > hidden

    def _shift(self, data: bytes) -> None:
        out, back = data.rfind(_SHIFT_OUT), data.rfind(_SHIFT_IN)
        if out != back:
            self._use_level(1 if out > back else 0)

    def _obey(self, sequence: Sequence) -> None:
        if sequence.kind == "csi":
            self._obey_csi(sequence)
        elif sequence.kind == "esc":
            self._obey_escape(sequence.text)
        elif sequence.kind == "osc":
            self.title = title_of(sequence) or self.title if number_of(sequence) != 8 else self.title
            if number_of(sequence) == 8:
                self._set_link(sequence.text)

    def _obey_csi(self, csi: Sequence) -> None:
        what = function(csi)
        given = parameters(csi)[:_MOST_PARAMETERS]
        match what:
            case b"?h" | b"?l" | b"h" | b"l":
                for number in given:
                    self._switch(number if what.startswith(b"?") else -number, on=what.endswith(b"h"))
            case b"m":
                self.look = colours.changed(self.look, csi.text[:-1])
            case b'"q' if given[0] <= 2:
                self.look = colours.protected(self.look, given[0] == 1)
            case b"r":
                self._set_region(given)
            case b" q":
                self.cursor_style = given[0]
                self.lasting.pop(BLINKS, None)
            case b"!p":
                self._soft_reset()
            case b"s":
                self._save()
            case b"u":
                self._restore()

    def _obey_escape(self, text: bytes) -> None:
        match text:
            case b"c":
                self._reset()
            case b"7":
                self._save()
            case b"8":
                self._restore()
            case b"=" | b">":
                self._switch(KEYPAD, on=text == b"=")
            case b"%@" | b"%G":
                self._use_level(0)
                self._use_set(0, None)
            case _ if text in _LEVELS:
                self._use_level(_LEVELS[text])
            case _ if len(text) == 2 and text[:1] in _SETS and text[1] in _KNOWN_SETS:
                self._use_set(_SETS[text[:1]], None if text[1:] == b"B" else text[1:])

    def _switch(self, number: int, *, on: bool) -> None:
        """Modes that are not DEC's own have a number below 0."""
        if number in _SCREENS:
            self._show_page(number, on=on)
        elif number == SAVES:
            self._save() if on else self._restore()
        elif number in _TRACKING:
            self.tracking = number if on else 0
        elif number in _ENCODINGS:
            self.encoding = number if on else 0
        elif number in _SWITCHES:
            self.on = self.on | {number} if on else self.on - {number}
        elif number in _OTHER_SWITCHES:
            self.others = self.others | {number} if on else self.others - {number}
        elif number in _LASTING:
            self.lasting[number] = on
        elif number == 2 and on:
            self.sets = (None, None, None, None)
            self.characters = None

    def _show_page(self, number: int, *, on: bool) -> None:
        if on:
            if number == 1049:
                self._save()
            self.alternate = True
            return
        if self.alternate:
            self._page.region = None
            self.alternate = False
        if number == 1049:
            self._restore()

    @property
    def _page(self) -> Page:
        return self.pages[self.alternate]

    def _save(self) -> None:
        self._page.saved = Saved(look=self.look, characters=self.characters)

    def _restore(self) -> None:
        self.look = self._page.saved.look
        self.characters = self._page.saved.characters

    def _set_region(self, given: list[int]) -> None:
        top = given[0] or 1
        bottom = given[1] if len(given) > 1 and 0 < given[1] <= self.rows else self.rows
        if bottom > top:
            self._page.region = None if (top, bottom) == (1, self.rows) else (top, bottom)

    def _soft_reset(self) -> None:
        self._soft_reset_switches()
        self.lasting[CURSOR_SHOWN] = True
        self._page.region = None
        self.look, self.link = colours.PLAIN, b""
        self._reset_characters()
        self._page.saved = Saved()

    def _set_link(self, text: bytes) -> None:
        given = text.split(b";")
        if len(given) > 2 and given[2]:
            self.link = text
        elif len(given) > 2 and not given[1]:
            self.link = b""

    def _use_level(self, level: int) -> None:
        self.level = level
        self.characters = self.sets[level]

    def _use_set(self, level: int, name: bytes | None) -> None:
        self.sets = (*self.sets[:level], name, *self.sets[level + 1 :])
        if level == self.level:
            self.characters = name
