"""The sequences that set a terminal to the modes of another."""

from __future__ import annotations

import pytest

from jupyter_cabinet.terminals.vt.modes import Modes
from jupyter_cabinet.terminals.vt.preludes import prelude


def after(*pieces: bytes) -> bytes:
    modes = Modes(24)
    for piece in pieces:
        modes.feed(piece)
    return prelude(modes)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x1b[1;31m\x1b7\x1b[0m", b"\x1b[1m\x1b[31m\x1b(B\x1b7\x1b(B\x1b[0m\x1b[?25h"),
        (b"\x1b(0\x1b7\x1b(B", b"\x1b(0\x1b7\x1b(B\x1b[0m\x1b[?25h"),
        (b"\x1b7", b"\x1b[?25h"),  # nothing but a place was kept
        (b"\x1b[?1047h\x1b[2;5r", b"\x1b[?1047h\x1b[2;5r\x1b[?25h"),
        (b"\x1b*0\x1bn", b"\x1b*0\x1bn\x1b[?25h"),
        (b"\x1b]8;;http://a.b/\x07", b"\x1b[?25h\x1b]8;;http://a.b/\x1b\\"),
        (b"\x1b[3 q\x1b[?25l", b"\x1b[3 q\x1b[?25l"),
    ],
)
def test_what_is_set_is_said_again(data, said):
    assert after(data) == said
    assert after(after(data)) == said
