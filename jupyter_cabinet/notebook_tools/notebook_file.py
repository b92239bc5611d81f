"""Reads and changes the file of a notebook, also while people have it open: nothing that they save is overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from ..core.errors import Conflict, Malformed, NotFound, Refused
from ..core.paths import check, resolve_below
from ..documents.file_replacement import replace_unless_changed
from ..storage.filesystem import untrusted_files
from .cells import Notebook

MAX_BYTES: Final = 16 * 2**20
TOO_LARGE: Final = f"is larger than {MAX_BYTES >> 20} MiB, so these tools leave it alone. Clear its outputs first."
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
        """Return the content, of nbformat 4. Raises `NotFound` if the file does not exist, `OutsideRoot`, `Malformed`
        if it is damaged.

        Raises `Refused` with the reason if it cannot be read, is larger than 16 MiB or has an older format.
        """
        return self._read().notebook

    def change(self, change: Callable[[Notebook], tuple[Notebook, T]]) -> T:
        """Change the content, and return what `change` says of it.

        `change` is called again if somebody else saves the file in between, at most five times. Raises what it raises,
        as `read` does, `Refused` also if the file cannot be written or would be too large, and `Conflict` if the file
        changes all the time. The file is then unchanged.
        """
        for _ in range(TRIES):
            before = self._read()
            after, told = change(before.notebook)
            if self._replace(before.content, self._written(after)):
                return told
        raise Conflict(f"{self._path} is being changed by somebody else. Try again in a moment.")

    def _written(self, notebook: Notebook) -> bytes:
        """Return the file as nbformat writes it."""
        try:
            content = msgspec.json.format(msgspec.json.encode(notebook, order="sorted"), indent=1) + b"\n"
        except (UnicodeError, msgspec.EncodeError, RecursionError) as error:
            raise Refused("The text contains half of a character, which no file can contain.") from error
        if len(content) > MAX_BYTES:
            raise Refused(f"With this change, {self._path} {TOO_LARGE}")
        return content

    def _replace(self, before: bytes, after: bytes) -> bool:
        try:
            place = resolve_below(self._root, self._path)
            return replace_unless_changed(place, after, lambda found: found == before)
        except OSError as error:
            raise Refused(f"{self._path} could not be written: {error.strerror}.") from error

    def _read(self) -> _Found:
        place = self._root.joinpath(*check(self._path))
        try:
            content = untrusted_files.read_start(place, limit=MAX_BYTES + 1, beneath=self._root)
        except FileNotFoundError as error:
            raise NotFound(f"There is no notebook {self._path} any more.") from error
        except OSError as error:
            raise Refused(f"{self._path} could not be read: {error.strerror or error}.") from error
        if len(content) > MAX_BYTES:
            raise Refused(f"{self._path} {TOO_LARGE}")
        return _Found(content, self._parsed(content))

    def _parsed(self, content: bytes) -> Notebook:
        try:
            found: Any = msgspec.json.decode(content)
            is_old = found["nbformat"] != 4
            is_valid = is_old or (isinstance(found["nbformat_minor"], int) and all(map(_is_cell, found["cells"])))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Malformed(f"{self._path} is not a valid notebook.") from error
        if is_old:
            raise Refused(f"{self._path} has an old format. Open and save it in JupyterLab first.")
        if not is_valid:
            raise Malformed(f"{self._path} is not a valid notebook: one of its cells is damaged.")
        notebook: Notebook = found
        return notebook


def _is_cell(cell: Any) -> bool:
    """Check what these tools use: the schema of nbformat takes seconds for a large notebook."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in KINDS or not _is_text(cell.get("source")):
        return False
    outputs = cell.get("outputs") if cell["cell_type"] == "code" else []
    return isinstance(outputs, list) and all(isinstance(output, dict) for output in outputs)


def _is_text(text: Any) -> bool:
    return isinstance(text, str) or (isinstance(text, list) and all(isinstance(line, str) for line in text))
