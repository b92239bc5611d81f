"""The sequences that set a terminal to the modes of another. Pure; called by `backlog.py`."""

from __future__ import annotations

from . import colours
from .modes import CURSOR_SHOWN, WRAPS, Modes, Page

_SET_SIGNS = (b"(", b")", b"*", b"+")
_LEVELS = (b"\x0f", b"\x0e", b"\x1bn", b"\x1bo")


def prelude(modes: Modes) -> bytes:
    """Return the bytes to write to a terminal that was just reset. The cursor is at home afterwards."""
    parts = [_page(modes.pages[0])]
    if modes.alternate:
        parts += [b"\x1b[?1047h", _page(modes.pages[1])]
    parts += _characters(modes)
    parts += [_switch(number, on=number in modes.on) for number in sorted(modes.on ^ {WRAPS})]
    parts += [_switch(number, on=True) for number in (*sorted(modes.others), modes.tracking, modes.encoding) if number]
    parts += [b"\x1b[%d q" % modes.cursor_style] if modes.cursor_style is not None else []
    # A reset of xterm.js leaves a hidden cursor hidden.
    parts += [_switch(number, on=on) for number, on in {CURSOR_SHOWN: True, **modes.lasting}.items()]
    parts += [b"\x1b]2;%b\x1b\\" % modes.title.encode()] if modes.title else []
    parts += [b"\x1b]%b\x1b\\" % modes.link] if modes.link else []
    return b"".join([*parts, colours.sequences(modes.look)])


def _switch(number: int, *, on: bool) -> bytes:
    return b"\x1b[%b%d%b" % (b"?" if number > 0 else b"", abs(number), b"h" if on else b"l")


def _page(page: Page) -> bytes:
    saved = b""
    if page.saved.look or page.saved.characters:
        look = colours.sequences(page.saved.look)
        saved = b"%b\x1b(%b\x1b7\x1b(B\x1b[0m" % (look, page.saved.characters or b"B")
    return saved + (b"\x1b[%d;%dr" % page.region if page.region else b"")


def _characters(modes: Modes) -> list[bytes]:
    named = [*modes.sets]
    named[modes.level] = modes.characters
    parts = [b"\x1b" + sign + name for sign, name in zip(_SET_SIGNS, named, strict=True) if name]
    return [*parts, _LEVELS[modes.level]] if modes.level else parts
