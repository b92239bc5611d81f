"""What has changed between two listings: the record of a run, with its files. It blocks: call it off the loop.

Called by `working.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .differences import changed_file
from .model import ChangedFile, FileState
from .objects import Difference, Objects
from .record import ChangeRecord
from .renames import renamed
from .scan import Found

MOST_COMPARED = 2_000  # files whose lines are counted


def compared(objects: Objects, record: ChangeRecord, before: Mapping[str, FileState], found: Found) -> ChangeRecord:
    """The record with what has changed. `before`: the listing of `record.before`; `found`: what stands there now."""
    after = objects.put_listing(found.files)
    old = objects.put_listing(record.files_before(before)) if record.amended else record.before
    differences = objects.differences(old, after)
    files = [_changed(objects, *each, record.mixed) for each in _paired(objects, differences)[:MOST_COMPARED]]
    return msgspec.structs.replace(
        record, state="ready", after=after, files=tuple(files), left_out=tuple(found.left_out)
    )


def _paired(objects: Objects, differences: list[Difference]) -> list[tuple[Difference, str | None]]:
    """A file that was renamed is one of them, with its old path."""
    gone = {path: old for path, old, new in differences if old is not None and new is None}
    come = {path: new for path, old, new in differences if old is None and new is not None}
    old_paths = renamed(gone, come, objects.content)
    moved = set(old_paths.values())
    found = []
    for path, old, new in differences:
        if path not in moved:
            old_path = old_paths.get(path)
            found.append((Difference(path, gone[old_path] if old_path else old, new), old_path))
    return found


def _changed(objects: Objects, difference: Difference, old_path: str | None, mixed: tuple[str, ...]) -> ChangedFile:
    path, old, new = difference
    both = path in mixed or old_path in mixed
    return changed_file(path, held(objects, old), held(objects, new), mixed=both, old_path=old_path)


def held(objects: Objects, state: FileState | None) -> tuple[FileState, bytes] | None:
    """What stood at a path, with its content."""
    return None if state is None else (state, objects.content(state.blob))
