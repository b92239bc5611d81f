"""The values of the room, also the wire format, and its event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal, get_args

import msgspec

from ..core.events import Event
from ..core.people import Person

LARGEST_FILE = 20 << 20  # bytes, largest size that is compared
FILE_MODE, PROGRAM_MODE, LINK_MODE = 0o100644, 0o100755, 0o120000  # in git's notation

ChangeKind = Literal["added", "changed", "deleted", "renamed"]
Decision = Literal["accepted", "reverted"]
LeftOutReason = Literal["ignored", "excluded", "large", "unreadable", "special", "unseen", "name", "deep", "many"]
_REASONS: tuple[LeftOutReason, ...] = get_args(LeftOutReason)
# The outcome for a file at the former path of a run's document: its text was moved into the document, both files were
# kept, or the agent has not written it.
FormerPath = Literal["brought", "kept", "unwritten"]
RecordState = Literal[
    "working", "ready", "too_large", "failed"
]  # too_large: from earlier versions, which compared nothing


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder that is not compared. `size` in bytes, of a file.

    `excluded`: no run's changes include it, as the phrase `why` says. `unseen`: the CLI reported that it edits it, in a
    folder that is too large, and its earlier content is unknown. `name`: its name is not UTF-8; `path` has the bytes as
    `\\xff`. `deep`: too many nested folders. `many`: it has changed, but more files have changed than are listed.
    """

    path: str
    reason: LeftOutReason
    size: int | None = None
    why: str = ""


class NotCompared(msgspec.Struct, frozen=True, kw_only=True):
    """How many files and folders are not compared for one reason. A folder counts once, with everything in it."""

    reason: LeftOutReason
    count: int


def not_compared(counts: Mapping[str, int]) -> tuple[NotCompared, ...]:
    """Return counts by reason, in the order of the reasons."""
    return tuple(NotCompared(reason=reason, count=counts[reason]) for reason in _REASONS if counts.get(reason))


class ChangeCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The number of a run's changes.

    `files`: empty folders count too. `cells`: of notebooks, whose lines are those of their cells.
    """

    files: int = 0
    cells: int = 0
    added: int = 0  # lines
    removed: int = 0


class FileState(msgspec.Struct, frozen=True, kw_only=True, gc=False):  # there are tens of thousands, without cycles
    """The state of a path: a regular file, a link or an empty folder.

    `mode`: one of the three above, or that of `EMPTY_FOLDER`.
    """

    mode: int
    blob: str  # id of its content or of a link's target


FOLDER_MODE = 0o040000
# An empty folder; other folders are known by their files. The id is git's of a tree without entries.
EMPTY_FOLDER = FileState(mode=FOLDER_MODE, blob="4b825dc642cb6eb9a060e54bf8d69288fbee4904")


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return the folders that contain them, and those above."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


class FileDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A person's decision about a file.

    `was` and `now`: the file before and after it was reverted; `old_was` and `old_now`: the same for the old path of a
    renamed file.
    """

    decision: Decision
    by: str  # display name
    at: datetime
    was: FileState | None = None
    now: FileState | None = None
    old_was: FileState | None = None
    old_now: FileState | None = None


class ChangedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file that differs. Paths are relative to the server's root. `old_path`: of a renamed file."""

    path: str
    old_path: str | None = None
    kind: ChangeKind
    counts: ChangeCounts = ChangeCounts()
    binary: bool = False
    mode_changed: bool = False  # whether it can be executed
    folder: bool = False  # an empty folder that the run has created or removed
    mixed: bool = False  # a person has saved it during the run, and changed the same lines as the agent
    uncertain: bool = False  # another run worked here at the same time and may have changed it instead
    decision: FileDecision | None = None
    parts_decided: int = 0  # of its parts, unless the whole file was decided


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a run.

    `beside`: runs that worked in the same folder at the same time; a file that one of them may have changed instead is
    `uncertain`. `late`: it was compared after the server had restarted, with all changes until then. `partial`: the
    folder is too large, so only some files were compared, as `reason` says. `removed_at`: its contents are not kept any
    more, as `reason` says, and nothing can be decided.
    """

    run_id: str
    state: RecordState
    reason: str = ""  # why it could not be compared, or is not kept any more, in a sentence
    counts: ChangeCounts = ChangeCounts()
    files: tuple[ChangedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()  # some of them
    not_compared: tuple[NotCompared, ...] = ()  # all of them, by reason
    beside: tuple[str, ...] = ()
    late: bool = False
    partial: bool = False
    removed_at: datetime | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a difference. Bytes that are not UTF-8 are shown as U+FFFD."""

    sign: Literal[" ", "+", "-"]
    text: str


class DiffPart(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that belong together; in a notebook those of one cell.

    `title`: "Cell 4, added", empty for a text. `id`: identifies the part in a decision; empty if only the whole file
    can be decided. `other_lines`: differences of a cell other than its source: outputs, number, metadata.
    `deleted_after`: for a deleted cell, the id of the nearest cell above it that still exists; empty if there is none.
    """

    id: str = ""
    decision: FileDecision | None = None
    title: str = ""
    old_start: int = 1  # number of the first line before, from 1
    new_start: int = 1
    lines: tuple[Line, ...]
    other_lines: tuple[Line, ...] = ()
    deleted_after: str | None = None


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of one file. `note`: why there are no parts, in a sentence. `language`: of a notebook's code."""

    path: str
    old_path: str | None = None
    kind: ChangeKind
    language: str = ""
    parts: tuple[DiffPart, ...] = ()
    note: str = ""


class Decide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of `POST runs/{id}/changes`. `undo` withdraws a decision."""

    decision: Literal["accept", "revert", "undo"]
    paths: tuple[str, ...] | None = None  # None: all files, except, when reverting, those that are `uncertain`
    part: str | None = None  # id of a part of the one file in `paths`
    anyway: bool = False  # even if somebody has edited the same lines since, which loses their edit


class ChangesUpdated(Event, frozen=True, kw_only=True, tag="changes_updated"):
    """Files of a run were accepted, reverted or restored, by whom."""

    resource = "cabinet-runs"

    run_id: str
    paths: tuple[str, ...]
    decision: Literal["accept", "revert", "undo"] | None = None  # None: an event from before this field existed
    by: Person | None = None
