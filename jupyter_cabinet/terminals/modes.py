"""What a terminal is set to at some place of its output, and the sequences that set another one to the same. Pure.

Follows xterm.js 5.5, its oddities included: what a reset leaves alone there is left alone here. The screen's text and
the cursor's place are not modes: they come with the bytes that follow.
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
_SET_SIGNS = (b"(", b")", b"*", b"+")
_KNOWN_SETS = b"0AB4C5RQKYE6ZH7="
_LEVEL_SEQUENCES = (b"\x0f", b"\x0e", b"\x1bn", b"\x1bo")
_SHOW_CURSOR, _HIDE_CURSOR = b"\x1b[?25h", b"\x1b[?25l"
_SCREENS = (47, 1047, 1049)
_TRACKING = (9, 1000, 1002, 1003)
_ENCODINGS = (1006, 1016)
_SWITCHES = (1, 6, 7, 45, 66, 1004, 2004)  # which a soft reset resets
_OTHER_SWITCHES = (1005, 1015)
WRAPS, CURSOR_SHOWN, BLINKS, SAVES, KEYPAD = 7, 25, 12, 1048, 66
_LOOKING_BACK = {2, CURSOR_SHOWN, SAVES, 1049}
INSERTS, NEW_LINES = 4, 20


def _looks_back(sequence: Sequence) -> bool:
    """Whether what it does depends on what was drawn before, or undoes it; or it is a string, which draws nothing."""
    if sequence.kind != "csi":
        return True
    if sequence.text.startswith(b"?"):
        return not _LOOKING_BACK.isdisjoint(parameters(sequence))
    return sequence.text[-1:] in (b"m", b"s", b"u", b"p")


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What DECSC keeps, but for the place."""

    look: colours.Look = colours.PLAIN
    characters: bytes | None = None


class Page:
    """One of the two screens."""

    def __init__(self) -> None:
        self.region: tuple[int, int] | None = None  # top and bottom, from 1
        self.saved = Saved()


class Modes:
    """Follows one stream. `rows`: the terminal's height, which decides whether a scroll region is one."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.title = ""
        self._scanner = Scanner()
        self._cursor_shown = True
        self._cursor_style: int | None = None  # None: never set, so the viewer's own
        self._blinks: bool | None = None
        self._new_lines: bool | None = None
        self._reset()

    def _reset(self) -> None:
        self._soft_reset_switches()
        self._pages = (Page(), Page())
        self.alternate = False
        self._tracking = 0
        self._encoding = 0
        self._others: frozenset[int] = frozenset()
        self._look: colours.Look = colours.PLAIN
        self._link = b""
        self._reset_characters()

    def _soft_reset_switches(self) -> None:
        self._on = frozenset({WRAPS})
        self._inserts = False

    def _reset_characters(self) -> None:
        self._sets: tuple[bytes | None, ...] = (None, None, None, None)
        self._level = 0
        self._characters: bytes | None = None  # in use; after DECRC not always the level's

    def copy(self) -> Modes:
        """Another one that may go on by itself."""
        other = copy.copy(self)
        other._scanner = self._scanner.copy()
        other._pages = (copy.copy(self._pages[0]), copy.copy(self._pages[1]))
        return other

    @property
    def open_bytes(self) -> bytes:
        """The sequence or character that is not finished, and not taken into account."""
        return self._scanner.open_bytes

    def resize(self, rows: int) -> None:
        """Emulators forget their scroll regions then."""
        self.rows = rows
        for page in self._pages:
            page.region = None

    def feed(self, chunk: bytes) -> None:
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

    # --- what the sequences do ------------------------------------------------------------------

    def _draw(self, data: bytes) -> None:
        """Text, and the frequent sequences that the scanner passes over."""
        self._look = colours.after(self._look, data)
        self._shift(data)
        shown, hidden = data.rfind(_SHOW_CURSOR), data.rfind(_HIDE_CURSOR)
        if shown != hidden:
            self._cursor_shown = shown > hidden

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
            case b"?h" | b"?l":
                for number in given:
                    self._switch(number, on=what == b"?h")
            case b"h" | b"l":
                self._inserts = what == b"h" if INSERTS in given else self._inserts
                self._new_lines = what == b"h" if NEW_LINES in given else self._new_lines
            case b"m":
                self._look = colours.changed(self._look, csi.text[:-1])
            case b"r":
                self._set_region(given)
            case b" q":
                self._cursor_style, self._blinks = given[0], None
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
        if number in _SCREENS:
            self._show_page(number, on=on)
        elif number == SAVES:
            self._save() if on else self._restore()
        elif number in _TRACKING:
            self._tracking = number if on else 0
        elif number in _ENCODINGS:
            self._encoding = number if on else 0
        elif number in _SWITCHES:
            self._on = self._on | {number} if on else self._on - {number}
        elif number in _OTHER_SWITCHES:
            self._others = self._others | {number} if on else self._others - {number}
        elif number == CURSOR_SHOWN:
            self._cursor_shown = on
        elif number == BLINKS:
            self._blinks = on
        elif number == 2 and on:
            self._sets = (None, None, None, None)
            self._characters = None

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
        return self._pages[self.alternate]

    def _save(self) -> None:
        self._page.saved = Saved(look=self._look, characters=self._characters)

    def _restore(self) -> None:
        self._look = self._page.saved.look
        self._characters = self._page.saved.characters

    def _set_region(self, given: list[int]) -> None:
        top = given[0] or 1
        bottom = given[1] if len(given) > 1 and 0 < given[1] <= self.rows else self.rows
        if bottom > top:
            self._page.region = None if (top, bottom) == (1, self.rows) else (top, bottom)

    def _soft_reset(self) -> None:
        self._soft_reset_switches()
        self._cursor_shown = True
        self._page.region = None
        self._look, self._link = colours.PLAIN, b""
        self._reset_characters()
        self._page.saved = Saved()

    def _set_link(self, text: bytes) -> None:
        given = text.split(b";")
        if len(given) > 2 and given[2]:
            self._link = text
        elif len(given) > 2 and not given[1]:
            self._link = b""

    def _use_level(self, level: int) -> None:
        self._level = level
        self._characters = self._sets[level]

    def _use_set(self, level: int, name: bytes | None) -> None:
        self._sets = (*self._sets[:level], name, *self._sets[level + 1 :])
        if level == self._level:
            self._characters = name

    # --- setting another terminal to the same -----------------------------------------------------

    def prelude(self) -> bytes:
        """What to write to a terminal that was just reset. The cursor is at home after it."""
        parts = [self._page_prelude(self._pages[0])]
        if self.alternate:
            parts += [b"\x1b[?1047h", self._page_prelude(self._pages[1])]
        parts += self._character_prelude()
        parts += [b"\x1b[?%d%b" % (number, b"h" if number in self._on else b"l") for number in self._changed()]
        parts += [b"\x1b[?%dh" % number for number in (*sorted(self._others), self._tracking, self._encoding) if number]
        parts += [b"\x1b[4h"] if self._inserts else []
        parts += [b"\x1b[20%b" % (b"h" if self._new_lines else b"l")] if self._new_lines is not None else []
        parts += [b"\x1b[?25h" if self._cursor_shown else b"\x1b[?25l"]  # a reset of xterm.js does not show it
        parts += [b"\x1b[%d q" % self._cursor_style] if self._cursor_style is not None else []
        parts += [b"\x1b[?12%b" % (b"h" if self._blinks else b"l")] if self._blinks is not None else []
        parts += [b"\x1b]2;%b\x1b\\" % self.title.encode()] if self.title else []
        parts += [b"\x1b]%b\x1b\\" % self._link] if self._link else []
        return b"".join([*parts, colours.sequences(self._look)])

    def _changed(self) -> list[int]:
        return sorted(self._on ^ {WRAPS})

    def _page_prelude(self, page: Page) -> bytes:
        result = b""
        if page.saved.look or page.saved.characters:
            characters = page.saved.characters or b"B"
            look = colours.sequences(page.saved.look)
            result = b"%b\x1b(%b\x1b7\x1b(B\x1b[0m" % (look, characters)
        return result + (b"\x1b[%d;%dr" % page.region if page.region else b"")

    def _character_prelude(self) -> list[bytes]:
        named = [*self._sets]
        named[self._level] = self._characters
        parts = [b"\x1b" + sign + name for sign, name in zip(_SET_SIGNS, named, strict=True) if name]
        return [*parts, _LEVEL_SEQUENCES[self._level]] if self._level else parts
