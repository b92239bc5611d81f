"""A notebook that people have open and whose file an agent has written: both changes in one. Pure.

Everything here is the content of a notebook in nbformat 4, as Jupyter's contents manager gives it. Cells are told by
their ids; a notebook without ids is not merged.
"""

from __future__ import annotations

from typing import Any, Final

MOST_STATES: Final = 12  # of one part of a cell
PARTS: Final = ("source", "result", "metadata")

Cell = dict[str, Any]
Notebook = dict[str, Any]


class KnownNotebook:
    """What the file of an open notebook has had since an agent began to work on it.

    A save and the reading of an agent cross each other: what the agent has written may rest on any of them. A part of a
    cell that the file has had before is no change of the agent's.
    """

    def __init__(self) -> None:
        self._states: dict[str, dict[str, list[Any]]] = {}  # by id and part, the newest last

    def note(self, content: Notebook) -> None:
        """The file has this, or is about to have it."""
        for cell in content["cells"]:
            states = self._states.setdefault(cell.get("id", ""), {part: [] for part in PARTS})
            for part in PARTS:
                state = _part(cell, part)
                if not states[part] or states[part][-1] != state:
                    states[part] = [*states[part], state][-MOST_STATES:]

    def about_to_become(self, now: Notebook, then: Notebook) -> None:
        """Somebody takes changes back, or puts them again: what the file has then was there before, and is meant
        nevertheless."""
        self.note(now)
        present = {cell.get("id"): cell for cell in now["cells"]}
        for cell in then["cells"]:
            states = self._states.get(cell.get("id", ""), {})
            for part in states:
                state = _part(cell, part)
                if cell.get("id") not in present or _part(present[cell["id"]], part) != state:
                    states[part] = [known for known in states[part] if known != state]

    def merged(self, ours: Notebook, theirs: Notebook) -> Notebook:
        """`theirs`, which the file has now, with what is new in `ours`; where both have changed a part, `theirs`."""
        mine = {cell.get("id"): cell for cell in ours["cells"]}
        written = {cell.get("id"): cell for cell in theirs["cells"]}
        if not self._states or None in mine or None in written:
            return theirs
        cells = [
            self._merged_cell(mine[id], cell) if id in mine else cell
            for id, cell in written.items()
            if id in mine or not self._is_known(cell)  # else somebody has deleted it
        ]
        before: str | None = None
        for id, cell in mine.items():
            if id not in written:
                if self._is_known(cell):
                    continue  # the agent has deleted it
                cells.insert(_index_after(cells, before), cell)
            before = id
        return {**theirs, "cells": cells}

    def _merged_cell(self, mine: Cell, theirs: Cell) -> Cell:
        if mine["cell_type"] != theirs["cell_type"]:
            return theirs
        cell = dict(theirs)
        if self._had(theirs, "source"):
            cell["source"] = mine["source"]
        if self._had(theirs, "result"):
            cell.update({key: mine[key] for key in ("outputs", "execution_count") if key in mine})
            if self._had(theirs, "metadata"):
                cell["metadata"] = mine["metadata"]  # with the trust in its outputs
        return cell

    def _is_known(self, cell: Cell) -> bool:
        return self._had(cell, "source") and self._had(cell, "result")

    def _had(self, cell: Cell, part: str) -> bool:
        return _part(cell, part) in self._states.get(cell["id"], {}).get(part, ())


def _part(cell: Cell, part: str) -> Any:
    match part:
        case "source":
            return cell["cell_type"], cell["source"]
        case "result":
            return cell.get("outputs", []), cell.get("execution_count")
    return {key: value for key, value in cell.get("metadata", {}).items() if key != "trusted"}


def _index_after(cells: list[Cell], id: str | None) -> int:
    places = [index for index, cell in enumerate(cells) if cell["id"] == id]
    return places[0] + 1 if places else 0
