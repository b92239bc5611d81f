"""How a CLI's screen is read, as data: its input box, its window titles, what it asks, what it says of a failure.

Values alone: `cli_screen.py` and `input_boxes.py` read a screen by them. The `screen.py` of each CLI holds one
`ScreenTable`. Phrases are compared without white space, patterns are regular expressions that count from the
beginning of a title or a row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

Activity = Literal["unknown", "busy", "asking", "idle"]


class FramedBox(msgspec.Struct, frozen=True, kw_only=True):
    """An input box between two lines across the whole screen. A hint in it is faint."""

    sign: str  # how its first row begins
    upper: str = ""  # pattern of an upper line that is not plain
    lower: str = ""
    cut: str = ""  # pattern of an upper line above which more of the text is: its first row has no sign then


class UnframedBox(msgspec.Struct, frozen=True, kw_only=True):
    """An input box without a frame: the rows from a sign to the cursor, all of them indented by the sign's width."""

    sign: str
    other_signs: tuple[str, ...] = ()  # that it begins with in another mode; as long as `sign`
    hint: str = ""  # what stands in the empty one, where it is as strong as what is typed
    cursor_shown: bool = False  # the cursor is shown there alone
    may_begin_above: bool = False  # in a low terminal the row with the sign may be above the screen


class BarredBox(msgspec.Struct, frozen=True, kw_only=True):
    """An input box with a bar at its left and a foot."""

    bar: str
    foot: str
    indent: int  # columns, bar included
    rows_below: int  # that belong to the box and are not typed
    hint: str = ""  # how the hint begins


InputBox = FramedBox | UnframedBox | BarredBox


class Title(NamedTuple):
    """A window title and what the CLI does while it has it."""

    pattern: str
    activity: Activity


class BusyRow(NamedTuple):
    """A phrase that stands on the screen while the CLI works, and where."""

    phrase: str
    place: Literal["below_box", "line_above_cursor", "last_rows"]
    again: str = ""  # stands there instead after the key that interrupts it, where it wants that twice


class Dialog(NamedTuple):
    """A question of the first start, which blocks before any hook is called."""

    name: str
    phrase: str
    question: str  # a sentence for a person


class Trouble(NamedTuple):
    """A row that says what went wrong."""

    pattern: str  # of what it begins with
    goes_on: bool = False  # in the next rows, up to an empty one


class ScreenTable(msgspec.Struct, frozen=True, kw_only=True):
    """One CLI's screen."""

    box: InputBox
    titles: tuple[Title, ...] = ()  # the first that fits counts; empty: titles tell nothing
    busy: BusyRow | None = None
    dialogs: tuple[Dialog, ...] = ()  # in the order in which they come
    trouble: Trouble | None = None
    cancelled: str = ""  # phrase after an interruption
    refusals: tuple[str, ...] = ()  # phrases with which it does not give an instruction to a model
    ready: str = ""  # phrase that stands there once it takes input
