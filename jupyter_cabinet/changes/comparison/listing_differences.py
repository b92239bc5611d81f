"""Finds the paths at which two listings of files differ. Pure: `objects.py` reads the listings, folder by folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from ..model import EMPTY_FOLDER, FOLDER_MODE, FileState

Id = TypeVar("Id", bound=bytes)
_EMPTY = EMPTY_FOLDER.blob.encode()


class Difference(NamedTuple):
    """One path at which two listings differ. None: no file exists there."""

    path: str
    old: FileState | None
    new: FileState | None


Entry = tuple[int, Id]  # mode, and id of the content or the listing
Entries = Callable[[Id], list[tuple[str, int, Id]]]  # of one folder, by its id


def different(entries: Entries[Id], folder: str, old: Id | None, new: Id | None) -> Iterator[Difference]:
    """Yield the differences path by path, in no order.

    `folder`: the folder that contains them, "" or with a slash. Equal folders are skipped.
    """
    if old == new:
        return
    before = {name: (mode, id) for name, mode, id in entries(old)} if old else {}
    after = {name: (mode, id) for name, mode, id in entries(new)} if new else {}
    for name in before.keys() | after.keys():
        left, right = before.get(name), after.get(name)
        if left == right:
            continue
        path = f"{folder}{name}"
        old, new = _folder(left), _folder(right)
        if (old and new) or (old and old != _EMPTY) or (new and new != _EMPTY):
            yield from different(entries, f"{path}/", old, new)
        old_file = _file(left, beside=new)
        new_file = _file(right, beside=old)
        if old_file or new_file:
            yield Difference(path, old_file, new_file)


def _folder(entry: Entry[Id] | None) -> Id | None:
    return entry[1] if entry and entry[0] == FOLDER_MODE else None


def _file(entry: Entry[Id] | None, *, beside: Id | None) -> FileState | None:
    """Return the file, or the empty folder if the other side has no folder there, with or without files."""
    if entry is None or (entry[0] == FOLDER_MODE and (beside or entry[1] != _EMPTY)):
        return None
    return FileState(mode=entry[0], blob=entry[1].decode())
