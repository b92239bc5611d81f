"""The context chosen for an instruction: cells, variables, the last error. It can be shown before it is sent."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from .inserted import names_in
from .sensitive import without_secrets
from .summaries import Summary, summary

MAX_PIECE_BYTES: Final = 48_000
MAX_TRACEBACK_FRAMES: Final = 20
MOST_READ: Final = 4 * MAX_PIECE_BYTES  # characters
CUT: Final = "\n(cut)"
MOST_CELLS: Final = 100  # in a range
CHOICES: Final = ("cell", "vars", "error")

_OF_CELL = re.compile(r'File "[^"]*ipykernel_\d+[^"]*"')

PieceKind = Literal["cell", "error", "variable"]


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of context, in the form of the API's `attachments`."""

    kind: PieceKind
    title: str
    text: str


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen context. `cells`: their numbers, as shown in brackets."""

    before: bool = False  # the cell that was run before this one
    named: bool = False  # the variables that the instruction names
    error: bool = False
    variables: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a kernel. `sources`: the text of each executed cell, by number; `outputs`: their values."""

    variables: Mapping[str, object]
    sources: Mapping[int, str] = {}
    outputs: Mapping[int, object] = {}
    current: int = 0  # number of the cell that asks
    error: BaseException | None = None


class CannotChoose(Exception):
    """Something that does not exist, with a sentence for the person who chose it."""


def pieces(choice: Choice, kernel: Kernel, instruction: str, further: Iterable[Summary] = ()) -> tuple[Piece, ...]:
    """Return all chosen context, each piece once, without likely secrets. A piece is cut after 48,000 bytes.

    Cells come first, then variables, `further` (values that the text contains) and the last error. Raises
    `CannotChoose` if something chosen does not exist.
    """
    found = [_cell(kernel, number) for number in _cells(choice, kernel)]
    found += [_variable(kernel, name) for name in _variables(choice, kernel, instruction)]
    found += [_of(each) for each in further]
    if choice.error:
        found.append(_error(kernel))
    return tuple({(each.kind, each.title): each for each in found}.values())


def numbers(text: str) -> tuple[int, ...]:
    """Parse cell numbers: `3,5-7` gives 3, 5, 6, 7, each once, in this order.

    Raises `CannotChoose` for any other text, and for a range of more than 100 cells.
    """
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, dash, last = part.replace("[", "").replace("]", "").partition("-")
        if not (first.isdecimal() and (last.isdecimal() if dash else True)) or int(last or first) < int(first):
            raise CannotChoose(f"{text} is not a list of cells. Write their numbers, such as 3,5-7.")
        if int(last or first) - int(first) >= MOST_CELLS:
            raise CannotChoose(f"{text} has too many cells. A range can have at most {MOST_CELLS}.")
        found += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(found))


def _cells(choice: Choice, kernel: Kernel) -> list[int]:
    earlier = [number for number, source in kernel.sources.items() if number < kernel.current and source.strip()]
    if choice.before and not earlier:
        raise CannotChoose("No cell was run before this one.")
    return [*([max(earlier)] if choice.before else []), *choice.cells]


def _variables(choice: Choice, kernel: Kernel, instruction: str) -> list[str]:
    named = names_in(instruction) if choice.named else ()
    mentioned = [name for name in named if name in kernel.variables and not name.startswith("_")]
    if choice.named and not mentioned and not choice.variables:
        raise CannotChoose("The instruction names no variable of this notebook. Name variables with --vars.")
    return [*mentioned, *choice.variables]


def _cell(kernel: Kernel, number: int) -> Piece:
    source = kernel.sources.get(number, "")
    if not source.strip():
        raise CannotChoose(f"This kernel has not run a cell [{number}].")
    parts = [without_secrets(source.strip()[:MOST_READ])]  # a cut through a secret would be after the part that is sent
    if number in kernel.outputs:
        value = summary("Out", kernel.outputs[number])
        parts.append(f"{value.title}:\n{value.text}".rstrip(":\n"))
    return Piece(kind="cell", title=f"Cell [{number}]", text=_bounded("\n\n".join(parts)))


def _variable(kernel: Kernel, name: str) -> Piece:
    if name not in kernel.variables:
        raise CannotChoose(f"There is no variable {name} in this notebook.")
    return _of(summary(name, kernel.variables[name]))


def _of(value: Summary) -> Piece:
    return Piece(kind="variable", title=value.title, text=value.text)


def _error(kernel: Kernel) -> Piece:
    error = kernel.error
    if error is None:
        raise CannotChoose("No cell of this notebook has failed since the kernel was started.")
    frames = traceback.TracebackException.from_exception(error, compact=True)
    frames.stack = traceback.StackSummary.from_list(_own(frames.stack))
    lines = _OF_CELL.sub('File "a cell of this notebook"', "".join(frames.format(chain=False)))
    return Piece(kind="error", title=f"Last error: {type(error).__name__}", text=_bounded(without_secrets(lines)))


def _own(stack: Sequence[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """Return the traceback without IPython's own frames; of many frames, only the innermost."""
    own = [frame for frame in stack if "/IPython/" not in frame.filename]
    return own[-MAX_TRACEBACK_FRAMES:]


def _bounded(text: str) -> str:
    data = text.encode(errors="replace")
    return text if len(data) <= MAX_PIECE_BYTES else data[: MAX_PIECE_BYTES - len(CUT)].decode(errors="ignore") + CUT
