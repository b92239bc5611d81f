"""Reads and changes the file of a notebook, also while people have it open: nothing that they save is overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import nbformat
from nbformat.v4 import writes_json
from nbformat.v4.nbjson import JSONReader

from ..core.errors import Conflict, Malformed, NotFound, Refused
from ..core.paths import check, resolve_below
from ..documents.file_replacement import replace_unless_changed
from ..storage import untrusted_files
from .cells import Notebook

MAX_BYTES: Final = 64 * 2**20
KINDS: Final = ("code", "markdown", "raw")
TRIES: Final = 5  # to change the file while others save it

T = TypeVar("T")


class _Found(NamedTuple):
    content: bytes
    notebook: Notebook


class NotebookFile:
    """The file of one notebook. `path` is relative to `root`. Its methods block: call them off the loop."""

    def __init__(self, root: Path, path: str) -> None:
        self._root = root
        self._path = path

    def read(self) -> Notebook:
        """Return the content. Raises `NotFound`, `OutsideRoot`, `Malformed`, and `Refused` for an old format."""
        return self._read().notebook

    def change(self, change: Callable[[Notebook], tuple[Notebook, T]]) -> T:
        """Change the content, and return what `change` says of it.

        `change` is called again if somebody else saves the file in between. Raises what it raises, as `read` does, and
        `Conflict` if the file changes all the time.
        """
        for _ in range(TRIES):
            before = self._read()
            after, told = change(before.notebook)
            content = (writes_json(nbformat.from_dict(after)) + "\n").encode()  # type: ignore[no-untyped-call]
            if self._replace(before.content, content):
                return told
        raise Conflict(f"{self._path} is being changed by somebody else. Try again in a moment.")

    def _replace(self, before: bytes, after: bytes) -> bool:
        place = resolve_below(self._root, self._path)
        try:
            return replace_unless_changed(str(place), after, lambda found: found == before)
        except OSError as error:
            raise Refused(f"{self._path} could not be written: {error.strerror}.") from error

    def _read(self) -> _Found:
        place = self._root.joinpath(*check(self._path))
        try:
            content = untrusted_files.read(place, limit=MAX_BYTES, beneath=self._root)
        except FileNotFoundError as error:
            raise NotFound(f"There is no notebook {self._path} any more.") from error
        except OSError as error:
            raise Refused(f"{self._path} could not be read: {error.strerror or error}.") from error
        return _Found(content, self._parsed(content))

    def _parsed(self, content: bytes) -> Notebook:
        try:
            found = json.loads(content)
            if found["nbformat"] != 4:
                raise Refused(f"{self._path} has an old format. Open and save it in JupyterLab first.")
            notebook: Notebook = JSONReader().to_notebook(found)  # type: ignore[no-untyped-call]
            is_valid = isinstance(found["nbformat_minor"], int) and all(map(_is_cell, notebook["cells"]))
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
            raise Malformed(f"{self._path} is not a valid notebook.") from error
        if not is_valid:
            raise Malformed(f"{self._path} is not a valid notebook: one of its cells is damaged.")
        return notebook


def _is_cell(cell: Any) -> bool:
    """Check what these tools use: the schema of nbformat takes seconds for a large notebook."""
    if not isinstance(cell, dict) or not isinstance(cell.get("source"), str):
        return False
    outputs = cell.get("outputs", [] if cell.get("cell_type") in ("markdown", "raw") else None)
    return cell.get("cell_type") in KINDS and isinstance(outputs, list) and all(isinstance(o, dict) for o in outputs)
