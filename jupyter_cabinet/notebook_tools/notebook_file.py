"""Reads and changes the file of a notebook, also while people have it open: nothing that they save is overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import nbformat

from ..core.errors import Conflict, Malformed, NotFound, Refused
from ..core.paths import check, resolve_below
from ..documents.file_replacement import replace_unless_changed
from ..storage import untrusted_files
from .cells import Notebook

MAX_BYTES: Final = 64 * 2**20
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
            content = (nbformat.writes(nbformat.from_dict(after)) + "\n").encode()  # type: ignore[no-untyped-call]
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
            found: Any = nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
            if found["nbformat"] != 4:
                raise Refused(f"{self._path} has an old format. Open and save it in JupyterLab first.")
            nbformat.validate(found)
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError, nbformat.ValidationError) as error:
            raise Malformed(f"{self._path} is not a valid notebook: {str(error)[:200]}") from error
        notebook: Notebook = found
        return notebook
