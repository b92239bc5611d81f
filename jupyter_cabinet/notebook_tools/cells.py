"""Finds and changes cells in the content of a notebook (nbformat 4, as in its file). Pure.

Each change returns a new notebook. A cell that is not changed stays as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell
from nbformat.v4.rwbase import split_lines

from ..core.errors import NotFound, Refused

Notebook = dict[str, Any]
Cell = dict[str, Any]

_NEW: Final = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
MAKES_IDS: Final = (4, 5)  # since this version of the format, each cell has an id


def cells_of(notebook: Notebook) -> list[Cell]:
    """Return the cells in their order."""
    found: list[Cell] = notebook["cells"]
    return found


def joined(text: Any) -> str:
    """Return a text of a notebook, which its file may contain as lines."""
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")


def source_of(cell: Cell) -> str:
    """Return the source of a cell."""
    return joined(cell["source"])


def name_of(cells: Sequence[Cell], index: int) -> str:
    """Return the name by which a cell is found again: its id, or its number in a notebook without ids."""
    return str(cells[index].get("id") or index + 1)


def index_of(notebook: Notebook, name: str) -> int:
    """Return the position of a cell, from 0, given by its id or by its number, from 1. An id counts first.

    Raises `NotFound`.
    """
    cells = cells_of(notebook)
    for index, cell in enumerate(cells):
        if cell.get("id") == name:
            return index
    if name.isascii() and name.isdigit() and len(name) <= 6 and 1 <= int(name) <= len(cells):
        return int(name) - 1
    raise NotFound(f"The notebook has no cell {name[:100]}. cells_list shows the cells.")


def unchanged(notebook: Notebook, name: str, source: str) -> int:
    """Return the position of a cell that still has this source.

    Raises `NotFound` if there is no such cell, and `Refused` if it was changed.
    """
    index = index_of(notebook, name)
    if source_of(cells_of(notebook)[index]) != source:
        raise Refused(f"Cell {name[:100]} was changed by somebody else in the meantime. Read it again.")
    return index


def with_source(notebook: Notebook, index: int, source: str) -> Notebook:
    """Return it with another source of a cell.

    The outputs of the former source go. With the same source, nothing changes.
    """
    cell = cells_of(notebook)[index]
    if source_of(cell) == source:
        return notebook
    emptied: dict[str, Any] = {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}
    return _with(notebook, index, {**cell, "source": source.splitlines(keepends=True), **emptied})


def with_new_cell(notebook: Notebook, after: int | None, cell_type: str, source: str) -> tuple[Notebook, int]:
    """Return it with a new cell, and the position of the cell. `after`: a position; None: it becomes the first."""
    cell = _as_in_files(_NEW[cell_type](source))  # type: ignore[no-untyped-call]
    if (notebook["nbformat"], notebook["nbformat_minor"]) < MAKES_IDS:
        del cell["id"]
    index = 0 if after is None else after + 1
    cells = cells_of(notebook)
    return {**notebook, "cells": [*cells[:index], cell, *cells[index:]]}, index


def without_cell(notebook: Notebook, index: int) -> Notebook:
    """Return it without a cell."""
    cells = cells_of(notebook)
    return {**notebook, "cells": [*cells[:index], *cells[index + 1 :]]}


def with_outputs(notebook: Notebook, index: int, outputs: list[dict[str, Any]], number: int | None) -> Notebook:
    """Return it with what a code cell has printed and shown."""
    written = _as_in_files(new_code_cell(outputs=outputs))["outputs"]  # type: ignore[no-untyped-call]
    return _with(notebook, index, {**cells_of(notebook)[index], "outputs": written, "execution_count": number})


def _with(notebook: Notebook, index: int, cell: Cell) -> Notebook:
    cells = cells_of(notebook)
    return {**notebook, "cells": [*cells[:index], cell, *cells[index + 1 :]]}


def _as_in_files(cell: Cell) -> Cell:
    """Return a cell as nbformat writes it: long texts as lines."""
    notebook = split_lines(from_dict(new_notebook(cells=[cell])))  # type: ignore[no-untyped-call]
    return dict(notebook["cells"][0])
