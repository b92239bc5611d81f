"""Reads a mentioned page for the prompt: text as it is, notebooks as cells, large and binary files only by name."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import yaml

from ..core.errors import Malformed, NotFound
from ..core.paths import check, open_below, places_of_page
from ..storage.filesystem.untrusted_files import size_of

MAX_PAGE_BYTES = 200_000
SNIFFED_BYTES = 8_192
MAX_FRONT_MATTER_BYTES = 16_384


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A mentioned file. `content` is None if the prompt only names the file; then `note` says why."""

    path: str
    title: str
    size: int
    content: str | None
    note: str = ""


def read_page(root: Path, name: str) -> Page:
    """Find `<name>/index.md`, `<name>.md` or the file itself, and read it. A large or binary one has no content, but a
    note.

    Raises `NotFound` if it does not exist, `OutsideRoot` if it is outside the root, `Malformed` for an invalid
    notebook.
    """
    check(name)
    for path in places_of_page(name):
        try:
            return _read(root, path)
        except NotFound:
            continue
    raise NotFound(f"There is no file {name}.", field="instruction")


def why_only_named(path: str, size: int, start: bytes) -> str:
    """Return why a file is only named in the prompt, as far as its size and its first bytes (`start`) show.

    Empty: they give no reason. The text of a notebook may still be too large.
    """
    if b"\0" in start:
        return "path only, binary"
    if size > MAX_PAGE_BYTES and not path.endswith(".ipynb"):
        return "named only, over 200 kB"
    return ""


def _read(root: Path, path: str) -> Page:
    with os.fdopen(open_below(root, path), "rb") as file:
        size = size_of(file)
        start = file.read(SNIFFED_BYTES)
        note = why_only_named(path, size, start)
        if note:
            return Page(path=path, title=_name(path), size=size, content=None, note=note)
        data = start + file.read(64 * MAX_PAGE_BYTES)
    text = _notebook_as_text(path, data) if path.endswith(".ipynb") else data.decode(errors="replace")
    if len(text.encode()) > MAX_PAGE_BYTES:
        return Page(path=path, title=_name(path), size=size, content=None, note="named only, over 200 kB")
    return Page(path=path, title=page_title(path, text), size=size, content=text)


class _Cell(msgspec.Struct):
    """The parts of a cell that a prompt needs. Other fields are ignored."""

    cell_type: str = "raw"
    source: str | list[str] = ""


class _Notebook(msgspec.Struct):
    cells: list[_Cell] | msgspec.UnsetType = msgspec.UNSET


def _notebook_as_text(path: str, data: bytes) -> str:
    """Return the cells of a notebook without their outputs.

    Content that is not JSON (for example, during a merge) or has no cells (a notebook from before 2015) is returned as
    it is. Raises `Malformed` for invalid cells.
    """
    try:
        cells = msgspec.json.decode(data, type=_Notebook).cells
    except msgspec.ValidationError as error:
        message = f"{path} is not a notebook: {error}. Fix it, or do not mention it."
        raise Malformed(message, field="instruction") from None
    except RecursionError:
        raise Malformed(f"{path} is nested too deeply for a notebook.", field="instruction") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return data.decode(errors="replace")
    if cells is msgspec.UNSET:
        return data.decode(errors="replace")
    return "\n\n".join(
        f"[cell {number}, {cell.cell_type}]\n{''.join(cell.source)}" for number, cell in enumerate(cells, 1)
    )


def page_title(path: str, text: str) -> str:
    """Return the title in the front matter of a page, else its name. `text`: the beginning of the page."""
    return _front_matter_title(text) or _name(path)


def _name(path: str) -> str:
    parts = path.split("/")
    if parts[-1] == "index.md" and len(parts) > 1:
        return parts[-2]
    return parts[-1].removesuffix(".md")


def _front_matter_title(text: str) -> str:
    if not text.startswith("---\n"):
        return ""
    end = text.find("\n---", 4, MAX_FRONT_MATTER_BYTES)
    if end < 0:
        return ""
    try:
        # BaseLoader keeps every scalar as a string, so a title `no` or `2026-10-01` stays as written.
        fields = yaml.load(text[4:end], Loader=yaml.BaseLoader)  # noqa: S506  # it only creates strings, lists and mappings
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError):  # the last two: an invalid escape
        return ""
    title = fields.get("title") if isinstance(fields, dict) else None
    if not isinstance(title, str):
        return ""
    return title.strip()[:200].encode(errors="replace").decode()  # it may contain half a surrogate pair
