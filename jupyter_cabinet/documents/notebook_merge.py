"""Merges an open notebook with its file that an agent has written. Pure.

Everything here is the content of a notebook in nbformat 4, as Jupyter's contents manager returns it. Cells are
identified by their ids; a notebook without ids is not merged.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

MOST_STATES: Final = 12  # of one part of a cell
PARTS: Final = ("source", "result", "metadata")

Cell = dict[str, Any]
Notebook = dict[str, Any]


class State(NamedTuple):
    """The values that a part of a cell has had in the file."""

    since: int  # version of the file
    value: Any


class Added(NamedTuple):
    """When a cell came into the file, and from whom."""

    version: int
    by_agent: bool


class Base(NamedTuple):
    """What an agent has read before it wrote: one of these versions."""

    first: int
    last: int
    has_news: bool  # it has written something that no version contains


class KnownNotebook:
    """The versions of an open notebook's file since an agent started to work on it.

    A save and an agent's reading may cross: the agent's text may be based on any of the versions. A part of a cell that
    the file has had before is not the agent's change.
    """

    def __init__(self) -> None:
        self._version = 0  # of the file, counted by `note`
        self._states: dict[str, dict[str, list[State]]] = {}  # by id and part, the newest last
        self._added: dict[str, Added] = {}  # by id, the newest version

    def note(self, content: Notebook, *, by_agent: bool = False) -> None:
        """Record that the file has this content, or is about to have it. `by_agent`: new cells in it are an agent's."""
        self._version += 1
        for cell in content["cells"]:
            states = self._states.setdefault(cell.get("id", ""), {part: [] for part in PARTS})
            for part in PARTS:
                state = _part(cell, part)
                if not states[part] or states[part][-1].value != state:
                    states[part] = [*states[part], State(self._version, state)][-MOST_STATES:]
        ids = [cell.get("id", "") for cell in content["cells"]]
        self._added = {id: self._added.get(id, Added(self._version, by_agent)) for id in ids}

    def about_to_become(self, now: Notebook, then: Notebook) -> None:
        """Record that a person is about to revert or restore changes: the content `now` is replaced with `then`.

        The parts in which they differ count as new in `merged`, although the file may have had them before.
        """
        self.note(now)
        self._added = {id: Added(0, by_agent=False) for id in self._added}  # the person who decides has seen all of it
        present = {cell.get("id"): cell for cell in now["cells"]}
        for cell in then["cells"]:
            states = self._states.get(cell.get("id", ""), {})
            for part in states:
                state = _part(cell, part)
                if cell.get("id") not in present or _part(present[cell["id"]], part) != state:
                    states[part] = [known for known in states[part] if known.value != state]

    def merged(self, ours: Notebook, theirs: Notebook) -> Notebook:
        """Return `theirs`, the file's content, with the new parts of `ours`; if both have changed a part, `theirs`.

        `theirs` unchanged if no version was noted, or if a cell has no id. Neither argument is changed, and nothing is
        noted.
        """
        mine = {cell.get("id"): cell for cell in ours["cells"]}
        written = {cell.get("id"): cell for cell in theirs["cells"]}
        if not self._states or None in mine or None in written:
            return theirs
        cells = [
            self._merged_cell(mine[id], cell) if id in mine else cell
            for id, cell in written.items()
            if id in mine or not self._is_known(cell)  # otherwise somebody has deleted it
        ]
        before: str | None = None
        base = self._base(theirs)
        for id, cell in mine.items():
            if id not in written:
                if self._is_known(cell) and self._was_in(base, id):
                    continue  # the agent has deleted it
                cells.insert(_index_after(cells, before), cell)
            before = id
        return {**theirs, "cells": cells}

    def _base(self, theirs: Notebook) -> Base:
        """Return the versions that the agent may have read before it wrote this."""
        first, last, has_news = 1, self._version, False
        for cell in theirs["cells"]:
            for part, states in self._states.get(cell["id"], {}).items():
                found = [index for index, state in enumerate(states) if state.value == _part(cell, part)]
                has_news = has_news or not found
                if found:
                    first = max(first, states[found[-1]].since)
                    if found[-1] + 1 < len(states):
                        last = min(last, states[found[-1] + 1].since - 1)
            has_news = has_news or cell["id"] not in self._states
        return Base(first, max(first, last), has_news)

    def _was_in(self, base: Base, id: str) -> bool:
        """If it cannot be determined, a person's additions stay, unless the agent did nothing else."""
        added = self._added.get(id)
        if added is None:
            return True
        return added.version <= (base.last if added.by_agent or not base.has_news else base.first)

    def _merged_cell(self, mine: Cell, theirs: Cell) -> Cell:
        if mine["cell_type"] != theirs["cell_type"]:
            return theirs
        cell = dict(theirs)
        if self._had(theirs, "source"):
            cell["source"] = mine["source"]
        if self._had(theirs, "result"):
            cell.update({key: mine[key] for key in ("outputs", "execution_count") if key in mine})
            if self._had(theirs, "metadata"):
                cell["metadata"] = mine["metadata"]  # together with the trust in its outputs
        return cell

    def _is_known(self, cell: Cell) -> bool:
        return self._had(cell, "source") and self._had(cell, "result")

    def _had(self, cell: Cell, part: str) -> bool:
        states = self._states.get(cell["id"], {}).get(part, ())
        return any(state.value == _part(cell, part) for state in states)


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
