"""Determines the new text of a renamed document to whose former path an agent has written. Pure."""

from __future__ import annotations

from collections import Counter

from .differences import is_binary
from .lines import lines_of
from .notebooks import Cell, cells_of

LEAST_KEPT = 0.5  # share of a document's lines or cells that a new version of it contains


def text_of_renamed(document: bytes, written: bytes) -> bytes | None:
    """Return the new content of a renamed document, with the text that the agent wrote to its former path.

    `document`: the unchanged content of the renamed document. `written`: the file at its former path. If `written`
    keeps at least half of the document, it is a new version and replaces it. A text that shares no line with the
    document was appended to a file that no longer existed, so it is added at the end. Returns None in all other cases,
    for example for a binary file: the agent may not have known the text that would be removed.
    """
    if document == written or not document.strip():
        return written
    cells, new_cells = cells_of(document), cells_of(written)
    if cells is not None:
        is_version = new_cells is not None and _keeps_cells(cells, new_cells)
        return written if is_version else None
    if is_binary(document) or is_binary(written) or not written.strip():
        return None
    kept = _kept_lines(document, written)
    if kept == 0:
        gap = b"\n" if document.endswith(b"\n") else b"\n\n"
        return document + gap + written
    return written if kept >= LEAST_KEPT else None


def _keeps_cells(cells: list[Cell], new_cells: list[Cell]) -> bool:
    ids = {cell.key for cell in new_cells if not cell.key.startswith("#")}  # others are positions
    sources = {cell.source for cell in new_cells}
    kept = sum(cell.key in ids or cell.source in sources for cell in cells)
    return kept >= LEAST_KEPT * len(cells)


def _kept_lines(document: bytes, written: bytes) -> float:
    """Return the share of the document's lines, except empty ones, that are in the other text."""
    old, new = (Counter(line for each in lines_of(text) if (line := each.strip())) for text in (document, written))
    return (old & new).total() / old.total()
