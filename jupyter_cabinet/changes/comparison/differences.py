"""The displayed differences of a file: counts and lines. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from ..model import FOLDER_MODE, LINK_MODE, ChangeCounts, ChangedFile, ChangeKind, DiffPart, FileDiff, FileState, Line
from . import notebooks
from .lines import Group, counts_of, ended, hunks_of, joined, lines_of, shown, unified, without
from .notebooks import CellChange

LONGEST_SHOWN = 2 << 20  # bytes of a file
MOST_LINES = 20_000  # of a difference
_IS_BINARY = b"\0"


def kind_of(old: FileState | None, new: FileState | None) -> ChangeKind:
    """Return how a file has changed: `added`, `deleted` or `changed`, never `renamed`.

    None means that the file did or does not exist; not both may be None.
    """
    return "added" if old is None else "deleted" if new is None else "changed"


def is_binary(content: bytes) -> bool:
    """Return whether the content is binary, as git determines it: a zero byte in the first 8,000 bytes."""
    return _IS_BINARY in content[:8000]


def changed_file(
    path: str, old: tuple[FileState, bytes] | None, new: tuple[FileState, bytes] | None, **more: Any
) -> ChangedFile:
    """Return the file with its counts.

    `old` and `new`: the two states with their contents; for a renamed file, `old` was at its `old_path`.
    """
    before, after = old[0] if old else None, new[0] if new else None
    was, now = old[1] if old else b"", new[1] if new else b""
    binary = is_binary(was) or is_binary(now)
    modes = {each.mode for each in (before, after) if each}
    return ChangedFile(
        path=path,
        kind="renamed" if more.get("old_path") else kind_of(before, after),
        counts=ChangeCounts(files=1) if binary else _counts(path, was, now),
        binary=binary,
        mode_changed=len(modes - {FOLDER_MODE}) > 1,
        folder=modes == {FOLDER_MODE},
        **more,
    )


def _counts(path: str, old: bytes, new: bytes) -> ChangeCounts:
    cells = _cells(path, old, new)
    if cells is None:
        added, removed = counts_of(hunks_of(ended(lines_of(old)), ended(lines_of(new))))
        return ChangeCounts(files=1, added=added, removed=removed)
    counts = [cell.counts for cell in cells]
    return ChangeCounts(
        files=1, cells=len(cells), added=sum(one.added for one in counts), removed=sum(one.removed for one in counts)
    )


def summed(files: list[ChangedFile] | tuple[ChangedFile, ...]) -> ChangeCounts:
    """Return the counts of all files together."""
    counts = [file.counts for file in files]
    return ChangeCounts(
        files=len(files),
        cells=sum(one.cells for one in counts),
        added=sum(one.added for one in counts),
        removed=sum(one.removed for one in counts),
    )


def _cells(path: str, old: bytes, new: bytes) -> list[CellChange] | None:
    """Return None if it is not a notebook."""
    if not path.endswith(".ipynb"):
        return None
    before = notebooks.cells_of(old) if old else []
    after = notebooks.cells_of(new) if new else []
    return None if before is None or after is None else notebooks.changed_cells(before, after)


def diff_of(file: ChangedFile, old: bytes, new: bytes) -> FileDiff:
    """Return the difference as people read it. Empty bytes stand for a missing file.

    If the lines cannot be shown, because the file is binary, larger than 2 MiB, an empty folder or only renamed, or
    because more than 20,000 lines differ, there are no parts, and `note` says why. Parts of an added or deleted file
    have no id.
    """
    shown = FileDiff(path=file.path, old_path=file.old_path, kind=file.kind)

    def noted(note: str) -> FileDiff:
        return msgspec.structs.replace(shown, note=note)

    if file.kind == "renamed" and old == new:
        rights = " and the permissions of this file have" if file.mode_changed else " of this file has"
        return noted(f"Only the name{rights} changed.")
    if file.folder:
        return noted("This is an empty folder.")
    if file.binary:
        return noted("This file is not text, so its lines are not shown.")
    if max(len(old), len(new)) > LONGEST_SHOWN:
        return noted("This file is larger than 2 MiB, so its lines are not shown.")
    cells = _cells(file.path, old, new)
    parts = _line_parts(old, new) if cells is None else _cell_parts(cells)
    if file.kind not in ("changed", "renamed"):
        parts = tuple(msgspec.structs.replace(part, id="") for part in parts)
    notes = (
        "Only the permissions of this file have changed." if file.mode_changed and not parts else _end_note(old, new),
        _format_note(file, old, new, is_notebook=cells is not None),
    )
    if sum(len(part.lines) + len(part.other_lines) for part in parts) > MOST_LINES:
        return noted(f"More than {MOST_LINES} lines differ, so they are not shown.")
    language = "" if cells is None else notebooks.language_of(new or old)
    return msgspec.structs.replace(shown, language=language, parts=parts, note=" ".join(filter(None, notes)))


def _format_note(file: ChangedFile, old: bytes, new: bytes, *, is_notebook: bool) -> str:
    """Report a notebook that Jupyter cannot open, or a text that is not UTF-8. Empty if the file has neither."""
    if file.path.endswith(".ipynb") and not is_notebook:
        if new and notebooks.cells_of(new) is not None:
            return "This file was not a valid notebook before, so its changes are shown as lines of text."
        return "This file is not a valid notebook, so its changes are shown as lines of text."
    if _is_utf8(old) and _is_utf8(new):
        return ""
    return "This file is not UTF-8, so some of its characters are shown as �."


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _end_note(old: bytes, new: bytes) -> str:
    """Report a line break added or removed at the end of the text, which is not part of any shown line."""
    if not old or not new or old.endswith(b"\n") == new.endswith(b"\n"):
        return ""
    verb = "added" if new.endswith(b"\n") else "removed"
    return f"The line break at the end of this file was {verb}."


def _cell_parts(cells: list[CellChange]) -> tuple[DiffPart, ...]:
    parts: list[DiffPart] = []
    for cell in cells:
        found = [_part(group, title=cell.title, id=cell.id) for group in cell.groups]
        found = found or [DiffPart(title=cell.title, id=cell.id, lines=())]
        found[-1] = msgspec.structs.replace(found[-1], other_lines=_other_lines(cell))
        parts += [msgspec.structs.replace(part, deleted_after=cell.deleted_after) for part in found]
    return tuple(parts)


def _other_lines(cell: CellChange) -> tuple[Line, ...]:
    return tuple(_line(sign, line) for group in unified(*cell.others) for sign, line in group.lines)


def _line_parts(old: bytes, new: bytes) -> tuple[DiffPart, ...]:
    groups = unified(lines_of(old), lines_of(new))
    return tuple(_part(group, id=str(number)) for number, group in enumerate(groups))


def _part(group: Group, *, id: str, title: str = "") -> DiffPart:
    lines = tuple(_line(sign, line) for sign, line in shown(group.lines))
    return DiffPart(id=id, title=title, old_start=group.old_start, new_start=group.new_start, lines=lines)


def without_part(path: str, old: bytes, new: bytes, part: str) -> bytes | None:
    """Return `new` with one part of `diff_of` reverted; None if there is no such part."""
    if _cells(path, old, new) is not None:
        return notebooks.without_cell(old, new, part)
    before, after = lines_of(old), lines_of(new)
    groups = unified(before, after)
    if not part.isdecimal() or int(part) >= len(groups):
        return None
    return b"".join(without(groups[int(part)].hunks, before, after))


def _line(sign: str, line: bytes) -> Line:
    return Line(sign=sign, text=line.rstrip(b"\n").decode(errors="replace"))  # type: ignore[arg-type]


def taken_back(
    path: str, *, base: bytes, present: bytes, target: bytes, states: tuple[FileState, FileState, FileState]
) -> bytes | None:
    """Return `present`, which somebody has made from `base`, with the change from `base` to `target` applied.

    None if both changes are about the same lines, or the file has no lines. `states`: of the three.
    """
    contents = (base, present, target)
    if any(state.mode == LINK_MODE for state in states) or any(map(is_binary, contents)):
        return None
    if path.endswith(".ipynb"):
        return notebooks.joined_notebooks(*contents)
    found = joined(*map(lines_of, contents))
    return None if found is None else b"".join(found)
