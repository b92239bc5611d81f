"""Edits one document for the demo agent: text files, and notebooks through nbformat.

Otherwise it uses only the standard library. It edits only files below the working directory and refuses a link that
leads out. Ids, outputs and metadata of other cells stay unchanged.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONTEXT = 3  # lines around a change
MADE_BY = "made mechanically by the demo agent, which has no model"


class EditRefused(Exception):
    """This document cannot be edited; the message gives the reason."""


def place(root: Path, path: str) -> Path:
    """Return the real file behind `path`, which need not exist.

    Raises `EditRefused` if it is not below `root`, or something other than a regular file.
    """
    real_root = root.resolve()
    real = real_root.joinpath(path).resolve()
    if not real.is_relative_to(real_root) or real == real_root:
        raise EditRefused(f"{path} is not below {real_root}.")
    if real.exists() and not real.is_file():
        raise EditRefused(f"{path} is not a file.")
    return real


def append(file: Path, text: str, kind: str = "markdown") -> str:
    """Add text at the end: as a cell of a notebook, else as a paragraph. Returns what was done, as a sentence.

    A missing file is created. Raises `EditRefused` if it cannot be read, and `OSError`.
    """
    if file.suffix == ".ipynb":
        notebook = _read_notebook(file)
        notebook.cells.append(_new_cell(kind, text))
        _write_notebook(file, notebook)
        return f"Added a {kind} cell."
    before = _read_text(file) if file.exists() else ""
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    _write(file, f"{before}{gap}{text}\n")
    return "Added the text at the end."


def replace(file: Path, old: str, new: str) -> str:
    """Replace every occurrence; in a notebook, in the sources of its cells. Returns what was done, as a sentence.

    Raises `EditRefused` if there is none or the file cannot be read, and `OSError`.
    """
    if file.suffix == ".ipynb":
        notebook = _read_notebook(file)
        count = sum(cell.source.count(old) for cell in notebook.cells)
        for cell in notebook.cells:
            cell.source = cell.source.replace(old, new)
        if count:
            _write_notebook(file, notebook)
    else:
        text = _read_text(file)
        count = text.count(old)
        if count:
            _write(file, text.replace(old, new))
    if not count:
        raise EditRefused(f'"{old}" does not occur in {file.name}.')
    return f"Replaced {count} occurrence{'s' if count > 1 else ''}."


def rehearsed(file: Path, edit: Callable[[Path], object]) -> dict[str, str]:
    """Return what an edit would change, as arguments of Claude Code's tools.

    Does not write. Raises as the edit does.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        if file.exists():
            shutil.copyfile(file, copy)
        before = _lines(copy) if file.suffix != ".ipynb" else _sources(copy)
        edit(copy)
        return _changed_cell(before, _sources(copy)) if isinstance(before, dict) else _changed(before, _lines(copy))


def _lines(file: Path) -> list[str]:
    return _read_text(file).splitlines(keepends=True) if file.exists() else []


def _sources(file: Path) -> dict[str, Any]:
    """Return the cells by id, or by position if they have none."""
    cells = enumerate(_read_notebook(file).cells)
    return {str(cell.get("id", f"#{place}")): cell for place, cell in cells}


def _changed(before: list[str], after: list[str]) -> dict[str, str]:
    """Return the lines that differ, with some context."""
    start, end = 0, 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    start, end = max(0, start - CONTEXT), max(0, end - CONTEXT)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    return {"old_string": "".join(old), "new_string": "".join(new)}


def _changed_cell(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    for id, cell in after.items():
        if id not in before:
            return {"edit_mode": "insert", "cell_type": cell.cell_type, "new_source": cell.source}
        if cell.source != before[id].source:
            return {"cell_id": id, "new_source": cell.source}
    return {"new_source": ""}


def outline(file: Path) -> str:
    """Return a description of a document, without understanding it: its size and its headings. Raises `EditRefused`."""
    if file.suffix == ".ipynb":
        cells = _read_notebook(file).cells
        code = sum(cell.cell_type == "code" for cell in cells)
        size = f"{len(cells)} cells, {code} of them code"
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    else:
        text = _read_text(file)
        size = f"{len(text.splitlines())} lines, {len(text.split())} words"
    lines = [f"## Outline\n\n*{MADE_BY[0].upper()}{MADE_BY[1:]}.*\n", f"- {size}"]
    return "\n".join([*lines, *(f"- {heading}" for heading in headings(text))])


def plan(file: Path | None) -> str:
    """Return a list of steps made from a document's headings; always the same steps without a document or headings."""
    found = headings(_text_of(file)) if file and file.exists() else []
    steps = [f"Revise “{heading}”" for heading in found] or ["Describe the goal", "Do it", "Check it"]
    return "\n".join([f"## Plan\n\n*{MADE_BY[0].upper()}{MADE_BY[1:]}.*\n", *(f"- [ ] {step}" for step in steps)])


def headings(text: str) -> list[str]:
    """Return the first 50 headings of a document, in order."""
    return [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#") and line.strip("# ")][:50]


def _text_of(file: Path) -> str:
    if file.suffix == ".ipynb":
        return "\n".join(cell.source for cell in _read_notebook(file).cells if cell.cell_type == "markdown")
    return _read_text(file)


def _read_text(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        raise EditRefused(f"There is no file {file.name}.") from None
    except UnicodeDecodeError:
        raise EditRefused(f"{file.name} is not a text file.") from None


def _read_notebook(file: Path) -> Any:
    nbformat = _nbformat()
    if not file.exists():
        return nbformat.v4.new_notebook()
    try:
        return nbformat.read(file, as_version=4)
    except Exception as error:  # nbformat raises many kinds of errors for the same reason
        raise EditRefused(f"{file.name} cannot be read as a notebook: {error}") from None


def _new_cell(kind: str, text: str) -> Any:
    nbformat = _nbformat()
    if kind == "code":
        return nbformat.v4.new_code_cell(text)
    return nbformat.v4.new_markdown_cell(text)


def _write_notebook(file: Path, notebook: Any) -> None:
    nbformat = _nbformat()
    if (notebook.nbformat, notebook.nbformat_minor) < (4, 5):  # older notebooks have no cell ids
        for cell in notebook.cells:
            cell.pop("id", None)
    _write(file, nbformat.writes(notebook) + "\n")


def _write(file: Path, text: str) -> None:
    """Write all of it or nothing; the file keeps its mode."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".demo-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as new:
            new.write(text)
        Path(name).chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _nbformat() -> Any:
    """Imported late: the import takes half a second, and most documents are not notebooks."""
    import nbformat

    return nbformat
