"""The edits that an agent requests, with their positions in documents: drawn there, and as a diff on the card. Pure."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping

from ..runtimes.requested_actions import AnyAction, Change, Edit
from .model import ProposedEdit

LONGEST = 100_000  # characters of all of them, before and after


def path_of(asks: AnyAction, *, root: str, folder: str) -> str | None:
    """Return the one file that is changed, relative to the root; None for several files, or one outside.

    None also for an action that is no edit and for a path with `..`. `root` and `folder`, where the CLI works, are
    absolute. Does not read the disk: links are not followed.
    """
    if not isinstance(asks, Edit) or len(asks.paths) != 1 or ".." in asks.paths[0].split("/"):
        return None  # the folder before `..` may be a link
    absolute = posixpath.normpath(posixpath.join(folder, asks.paths[0]))
    inside = absolute.startswith(posixpath.join(root, ""))
    return posixpath.relpath(absolute, root) if inside else None


def edits_of(asks: AnyAction, path: str, present: str | None) -> tuple[ProposedEdit, ...]:
    """Return every change of the file `path`; empty if one of them cannot be drawn, or they are longer than `LONGEST`.

    `asks` must be an `Edit`. `present`: the file's content; None: it is not known, or there is no file.
    """
    assert isinstance(asks, Edit)
    found = [_edit(change, path, present) for change in asks.changes]
    edits = tuple(edit for edit in found if edit is not None)
    size = sum(len(edit.old) + len(edit.new) for edit in edits)
    return edits if len(edits) == len(found) and size <= LONGEST else ()


def _edit(change: Change, path: str, present: str | None) -> ProposedEdit | None:
    if change.diff or change.cell_mode != "replace":
        return None
    if change.cell:
        old = _source_of(change.cell, present or "")
        return None if old is None else ProposedEdit(path=path, cell=change.cell, old=old, new=change.new)
    if change.old is not None:
        return ProposedEdit(path=path, old=change.old, new=change.new)
    whole = present is None or path.endswith(".ipynb")  # the raw text of a notebook's file is not readable for people
    return None if whole else ProposedEdit(path=path, old=present or "", new=change.new)


def _source_of(cell: str, notebook: str) -> str | None:
    """Return the source of a cell in a notebook's file; None if there is no such cell."""
    try:
        cells: Mapping[str, object] = {str(each["id"]): each["source"] for each in json.loads(notebook)["cells"]}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    source = cells.get(cell)
    return "".join(map(str, source)) if isinstance(source, list) else source if isinstance(source, str) else None
