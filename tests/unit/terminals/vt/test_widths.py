"""How many columns a character takes: as xterm.js says with the addon that the browser's terminals have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import pytest
from harness.emulator import Emulator, write

from jupyter_cabinet.terminals.vt.grid import Grid
from jupyter_cabinet.terminals.vt.widths import width

# Private planes are left out; in between no character is assigned.
CODES = [
    code for code in chain(range(0xA0, 0x20100), range(0x2FF00, 0x30100), range(0xE0000, 0xE0200))
    if not 0xD800 <= code < 0xE000 and code != 0xFEFF  # no characters, and the byte order mark, which is dropped
]  # fmt: skip


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    it = Emulator()
    yield it
    it.close()


def test_every_character_is_as_wide_as_in_the_browser(emulator):
    output = "".join(f"\ra{chr(code)}\x1b[6n" for code in CODES)
    columns = [int(re.findall(r"\d+", answer)[1]) for answer in emulator.run(write(output.encode()))["answers"]]
    assert len(columns) == len(CODES)
    wrong = [hex(code) for code, column in zip(CODES, columns, strict=True) if width(chr(code)) != column - 2]
    assert not wrong


@pytest.mark.parametrize(("text", "column"), [("🌍|", 2), ("👩‍💻|", 4), ("❤️|", 1), ("日本|", 4), ("é|", 1), ("é|", 1)])
def test_what_follows_stands_in_the_same_column_on_both_sides(emulator, text, column):
    grid = Grid(40, 2)
    grid.feed(text.encode())
    screen = emulator.run(write(text.encode()))["screen"]["normal"]
    assert (grid.x, screen["x"]) == (column + 1, column + 1)
