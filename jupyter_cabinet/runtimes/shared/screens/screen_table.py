"""How to read a CLI's screen, as data: its input box, window titles, questions and error messages.

Only values: `cli_screen.py` and `input_boxes.py` use them to read a screen. The `screen.py` of each CLI holds one
`ScreenTable`. Phrases are compared without white space. Patterns are regular expressions that match from the beginning
of a title or a row.
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
    cut: str = ""  # pattern of an upper line when the text is scrolled: its first row has no sign then


class UnframedBox(msgspec.Struct, frozen=True, kw_only=True):
    """An input box without a frame: the rows from a sign to the cursor, all indented by the sign's width."""

    sign: str
    other_signs: tuple[str, ...] = ()  # the sign in another mode; as long as `sign`
    hint: str = ""  # the hint in an empty box, if it is not faint
    cursor_shown: bool = False  # whether the cursor is shown only there
    may_begin_above: bool = False  # in a low terminal the row with the sign may be above the screen


class BarredBox(msgspec.Struct, frozen=True, kw_only=True):
    """An input box with a bar at its left and a foot."""

    bar: str
    foot: str
    indent: int  # columns, bar included
    rows_below: int  # rows that belong to the box and are not typed
    hint: str = ""  # how the hint begins


InputBox = FramedBox | UnframedBox | BarredBox


class Title(NamedTuple):
    """A window title and the state of the CLI that it shows."""

    pattern: str
    activity: Activity


class BusyRow(NamedTuple):
    """A phrase that is on the screen while the CLI works, and where."""

    phrase: str
    place: Literal["below_box", "line_above_cursor", "last_rows"]
    again: str = ""  # the phrase after the first interrupt key, if the CLI needs it twice


class Dialog(NamedTuple):
    """A question at the first start, which blocks before any hook is called."""

    name: str
    phrase: str
    question: str  # a sentence for a person


class Trouble(NamedTuple):
    """A row that reports an error."""

    pattern: str  # how it begins
    goes_on: bool = False  # in the next rows, up to an empty one


class ScreenTable(msgspec.Struct, frozen=True, kw_only=True):
    """One CLI's screen."""

    box: InputBox
    titles: tuple[Title, ...] = ()  # the first match counts; empty: titles carry no information
    busy: BusyRow | None = None
    dialogs: tuple[Dialog, ...] = ()  # in the order in which they appear
    trouble: Trouble | None = None
    cancelled: str = ""  # phrase after an interruption
    refusals: tuple[str, ...] = ()  # phrases that keep an instruction from a model
    ready: str = ""  # phrase that appears once the CLI takes input
