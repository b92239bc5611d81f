"""Compares two listings: the record of a run, with its changed files. It blocks: call it off the loop.

Called by `run_comparison.py`.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from ..model import EMPTY_FOLDER, ChangedFile, FileState, LeftOut, NotCompared, not_compared
from ..record import ChangeRecord
from ..snapshots.exclusions import FolderExclusions
from ..snapshots.objects import Lost, Objects
from ..snapshots.partial_snapshot import Named
from ..snapshots.scan import MOST_LEFT_OUT, FolderListing
from .differences import changed_file
from .listing_differences import Difference
from .renames import renamed

MOST_COMPARED = 2_000  # files whose lines are counted


def compared(
    objects: Objects, record: ChangeRecord, named: Named, found: FolderListing, excluded: FolderExclusions
) -> ChangeRecord:
    """Return the record with the changes, in the state `ready`, and store the listing of the current files.

    `named`: the files before, as they were known when the scan started. `found`: the current files. Only the first
    2,000 changed files are listed. At most 500 others are in `left_out`; `not_compared` counts all of them.
    Raises `Lost` if a listing cannot be read.
    """
    unseen = record.amended.keys() - named.keys() - found.files.keys()  # they appeared during the scan
    record = msgspec.structs.replace(
        record, amended={path: state for path, state in record.amended.items() if path not in unseen}
    )
    after = objects.put_listing(found.files)
    before = record.before
    if record.amended:
        before = objects.put_listing(record.files_before(objects.listing(before)))
    differences = [each for each in objects.differences(before, after) if not _is_excluded(each, excluded)]
    paired = _paired(objects, differences)
    files = [_changed(objects, *each, record.mixed) for each in paired[:MOST_COMPARED]]
    left_out, counts = _left_out(record, named, found, [path for (path, *_), _ in paired[MOST_COMPARED:]], excluded)
    return msgspec.structs.replace(
        record,
        state="ready",
        after=after,
        files=tuple(files),
        left_out=left_out,
        not_compared=counts,
        partial=not found.whole,
    )


def _is_excluded(difference: Difference, excluded: FolderExclusions) -> bool:
    """An earlier server may have compared it."""
    is_folder = EMPTY_FOLDER in (difference.old, difference.new)
    return bool(excluded.why_at_or_above(difference.path, is_folder=is_folder))


def _left_out(
    record: ChangeRecord, named: Named, found: FolderListing, more: list[str], excluded: FolderExclusions
) -> tuple[tuple[LeftOut, ...], tuple[NotCompared, ...]]:
    """Return the files that are not compared, and their number. `more`: changed files that are not listed."""
    told = [] if found.whole else [path for path in record.told if path not in named]
    others = [LeftOut(path=path, reason="unseen") for path in told if not excluded.why_at_or_above(path)]
    others += [LeftOut(path=path, reason="many") for path in more]
    counts = Counter(found.left_out_counts) + Counter(each.reason for each in others)
    return (*found.left_out, *others[:MOST_LEFT_OUT]), not_compared(counts)


def _paired(objects: Objects, differences: list[Difference]) -> list[tuple[Difference, str | None]]:
    """Return whether a file is one of them. A renamed file also counts with its old path."""
    gone = {path: old for path, old, new in differences if old is not None and new is None}
    come = {path: new for path, old, new in differences if old is None and new is not None}
    old_paths = renamed(gone, come, lambda blob: _content(objects, blob))
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
    before, after = ((state, _content(objects, state.blob)) if state else None for state in (old, new))
    return changed_file(path, before, after, mixed=both, old_path=old_path)


def _content(objects: Objects, blob: str) -> bytes:
    """Return a file's content for counts: a lost content counts as empty, and showing its lines fails."""
    try:
        return objects.content(blob)
    except Lost:
        return b""


def held(objects: Objects, state: FileState | None) -> tuple[FileState, bytes] | None:
    """Return the file at a path, with its content; None for None. Raises `Lost` if the content cannot be read."""
    return None if state is None else (state, objects.content(state.blob))
