"""Compares a notebook cell by cell. Pure. Cells are identified by their ids if they have one, else by position."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from nbformat import from_dict
from nbformat.v4.rwbase import rejoin_lines, split_lines

from .cell_details import lines_of_cell
from .lines import Counts, Group, counts_of, ended, hunks_of, joined, lines_of, unified


class Cell(NamedTuple):
    """A cell. `number` from 1. `rest`: everything but its source: outputs, number, metadata."""

    key: str
    number: int
    kind: str
    source: bytes
    rest: Any


class CellChange(NamedTuple):
    """One cell before and after. None: it did not exist.

    `deleted_after`: for a deleted cell, the id of the nearest cell above it that still exists; empty if there is none.
    """

    old: Cell | None
    new: Cell | None
    deleted_after: str | None = None

    @property
    def id(self) -> str:
        """The id of the cell."""
        cell = self.new or self.old
        assert cell is not None
        return cell.key

    @property
    def title(self) -> str:
        """What happened to the cell, for people, such as "Cell 4, code, added"."""
        cell = self.new or self.old
        assert cell is not None
        if self.old is None:
            return f"Cell {cell.number}, {cell.kind}, added"
        if self.new is None:
            return f"Cell {cell.number}, {cell.kind}, deleted"
        if self.old.source == self.new.source:
            return f"Cell {cell.number}, {cell.kind}, outputs or metadata changed"
        return f"Cell {cell.number}, {cell.kind}, changed"

    @property
    def sources(self) -> tuple[list[bytes], list[bytes]]:
        """Return the lines before and after."""
        return lines_of(self.old.source if self.old else b""), lines_of(self.new.source if self.new else b"")

    @property
    def others(self) -> tuple[list[bytes], list[bytes]]:
        """Return the parts other than the source as lines, before and after."""
        return (
            lines_of_cell(self.old.rest) if self.old else [],
            lines_of_cell(self.new.rest) if self.new else [],
        )

    @property
    def counts(self) -> Counts:
        """Lines of the source."""
        return counts_of(hunks_of(*map(ended, self.sources)))

    @property
    def groups(self) -> list[Group]:
        """Return the differing lines with some context."""
        return unified(*self.sources)


def cells_of(content: bytes) -> list[Cell] | None:
    """Return the cells of a notebook, in order; None if the content is not a notebook."""
    notebook = _decoded(content)
    return None if notebook is None else [_cell(number, cell) for number, cell in enumerate(notebook["cells"], 1)]


def language_of(content: bytes) -> str:
    """Return the language of its code, from the kernel or its specification; empty if neither names it."""
    notebook = _decoded(content)
    metadata = notebook.get("metadata") if notebook is not None else None
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        found = about.get(name) if isinstance(about, dict) else None
        if isinstance(found, str) and found:
            return found
    return ""


def _decoded(content: bytes) -> Any:
    """Return a notebook's JSON as `nbformat` reads it; None if it is not one."""
    try:
        notebook = json.loads(content)
        is_one = all(isinstance(cell, dict) for cell in notebook["cells"])
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return notebook if is_one else None


def _cell(number: int, cell: dict[str, Any]) -> Cell:
    source = cell.get("source", "")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    rest = {key: value for key, value in cell.items() if key != "source"}
    key = cell.get("id")
    return Cell(
        str(key) if key else f"#{number}", number, str(cell.get("cell_type", "")), text.encode(errors="replace"), rest
    )


def changed_cells(old: list[Cell], new: list[Cell]) -> list[CellChange]:
    """Return the changes in the order of the new notebook; deleted cells are at their old positions."""
    before, after = {cell.key: cell for cell in old}, {cell.key: cell for cell in new}
    found = [
        CellChange(before.get(cell.key), cell)
        for cell in new
        if before.get(cell.key) is None or _differs(before[cell.key], cell)
    ]
    gone: list[CellChange] = []
    above = ""  # the last cell that still exists
    for cell in old:
        if cell.key in after:
            above = cell.key
        else:
            gone.append(CellChange(cell, None, above))
    return sorted([*found, *gone], key=lambda change: (change.new or change.old or old[0]).number)


def _differs(old: Cell, new: Cell) -> bool:
    return (old.kind, old.source, old.rest) != (new.kind, new.source, new.rest)


def without_cell(old: bytes, new: bytes, key: str) -> bytes | None:
    """Return `new` with the change of one cell reverted: removed, restored, or back at its old position.

    None if there is no such cell, or if one of both is not a notebook. It is written as `nbformat` does.
    """
    before, after = _whole(old), _whole(new)
    if before is None or after is None:
        return None
    was = {_cell(number, cell).key: cell for number, cell in enumerate(before["cells"], 1)}
    now = {_cell(number, cell).key: cell for number, cell in enumerate(after["cells"], 1)}
    if key not in was and key not in now:
        return None
    if key in was and key not in now:
        above = [other for other in list(was)[: list(was).index(key)] if other in now]
        place = list(now).index(above[-1]) + 1 if above else 0
        cells = list(now.values())
        cells.insert(place, was[key])
    else:
        cells = [was.get(key) if other == key else cell for other, cell in now.items()]
    return _encoded({**after, "cells": [cell for cell in cells if cell is not None]})


def _whole(content: bytes) -> Any:
    """Like `_decoded`, with texts in the form of lists of lines joined: both are the same notebook."""
    notebook = _decoded(content)
    try:
        return None if notebook is None else rejoin_lines(from_dict(notebook))  # type: ignore[no-untyped-call]
    except (AttributeError, TypeError, RecursionError):  # invalid outputs or attachments, or nested too deeply
        return None


def _encoded(notebook: dict[str, Any]) -> bytes:
    lines = split_lines(from_dict(notebook))  # type: ignore[no-untyped-call]
    text = json.dumps(lines, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return text.encode(errors="surrogatepass")


_MISSING: Final = object()


class _Differ(Exception):
    """Both sides have made the same change."""


def joined_notebooks(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge both changes of `base`, cell by cell.

    None if they are about the same lines or values of a cell, if cells have no ids, or if one of them is not a
    notebook. It is written as `nbformat` does.
    """
    texts = [_whole(content) for content in (base, ours, theirs)]
    if any(text is None for text in texts):
        return None
    by_id = [{str(cell.get("id")): cell for cell in text["cells"]} for text in texts]
    if any(len(cells) != len(text["cells"]) or "None" in cells for cells, text in zip(by_id, texts, strict=True)):
        return None
    order = joined(*([id.encode() for id in cells] for cells in by_id))
    if order is None or len(set(order)) != len(order):
        return None
    try:
        cells = _joined_cells(by_id, [id.decode() for id in order])
        about = _joined_value(*({key: text[key] for key in text if key != "cells"} for text in texts))
    except _Differ:
        return None
    return _encoded({**about, "cells": cells})


def _joined_cells(by_id: list[dict[str, Any]], order: list[str]) -> list[Any]:
    ids = dict.fromkeys(id for cells in by_id for id in cells)
    made = {id: _joined_cell(*(cells.get(id, _MISSING) for cells in by_id)) for id in ids}
    if any((cell is _MISSING) == (id in order) for id, cell in made.items()):  # moved here, deleted there
        raise _Differ
    return [made[id] for id in order]


def _joined_cell(base: Any, ours: Any, theirs: Any) -> Any:
    sides = (base, ours, theirs)
    if not all(isinstance(side, dict) and isinstance(side.get("source"), (str, list)) for side in sides):
        return _joined_value(*sides)
    keys = dict.fromkeys(key for side in sides for key in side)
    values = {key: [side.get(key, _MISSING) for side in sides] for key in keys if key != "source"}
    cell = {key: _joined_value(*found) for key, found in values.items()}
    source = joined(*(lines_of(_cell(0, side).source) for side in sides))
    if source is None:
        raise _Differ
    text = b"".join(source).decode()
    return {key: value for key, value in cell.items() if value is not _MISSING} | {"source": text}


def _joined_value(base: Any, ours: Any, theirs: Any) -> Any:
    sides = (base, ours, theirs)
    if ours == base:
        return theirs
    if theirs in (base, ours):
        return ours
    if not all(isinstance(side, dict) for side in sides):
        raise _Differ
    keys = dict.fromkeys(key for side in sides for key in side)
    found = {key: _joined_value(*(side.get(key, _MISSING) for side in sides)) for key in keys}
    return {key: value for key, value in found.items() if value is not _MISSING}
