"""The record of a run's changes: which listings were compared, and people's decisions since then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import msgspec

from .comparison.differences import summed
from .decisions.restore import FileRestore
from .model import ChangedFile, Changes, FileDecision, FileState, LeftOut, NotCompared, RecordState, not_compared
from .snapshots.objects import Left


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are being reverted or restored: recorded before the first one is written."""

    steps: tuple[FileRestore, ...]
    decisions: dict[str, FileDecision | None]  # by path, as they are afterwards
    part: str | None = None  # of the single file that it is about


class ChangeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one run. `before` and `after` are listings in `objects.py`.

    `amended`: files that a person has saved during the run, and, if `partial`, those that the CLI asked to edit: their
    state without the agent's work; None: they would not exist.
    """

    id: str  # of the run
    folder: str  # relative to the server's root, "" for itself
    state: RecordState
    reason: str = ""
    begun_at: datetime
    before: str = ""
    after: str = ""
    amended: dict[str, FileState | None] = {}
    mixed: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()  # some of them
    not_compared: tuple[NotCompared, ...] = ()
    beside: tuple[str, ...] = ()
    late: bool = False
    partial: bool = False  # only the files of `before` and `amended` are compared: the folder is too large
    told: tuple[str, ...] = ()  # files that the CLI reported as edited
    decisions: dict[str, FileDecision] = {}
    parts: dict[str, dict[str, FileDecision]] = {}  # by path and part
    pending: Pending | None = None
    removed_at: datetime | None = None  # its contents; `reason` says why

    def files_before(self, listing: Mapping[str, FileState]) -> dict[str, FileState]:
        """Return the state without the run. `listing`: that of `before`."""
        if not self.amended:
            return dict(listing)
        return {path: state for path, state in {**listing, **self.amended}.items() if state is not None}

    def left_before(self, left: Left) -> Left:
        """Return the same for the readable part of that listing."""
        return left._replace(files=self.files_before(left.files))

    def shown(self) -> Changes:
        """Return the changes as people see them."""
        files = tuple(
            msgspec.structs.replace(
                file,
                decision=self.decisions.get(file.path),
                parts_decided=len(self.parts.get(file.path, ())),
            )
            for file in self.files
        )
        return Changes(
            run_id=self.id,
            state=self.state,
            reason=self.reason,
            counts=summed(files),
            files=files,
            left_out=self.left_out,
            not_compared=self.not_compared or not_compared(Counter(each.reason for each in self.left_out)),
            beside=self.beside,
            late=self.late,
            partial=self.partial,
            removed_at=self.removed_at,
        )

    def decision(self, path: str, part: str | None) -> FileDecision | None:
        """Return the decision about a file, or a part of it; None if there is none."""
        return self.decisions.get(path) if part is None else self.parts.get(path, {}).get(part)

    def decided(self, done: Mapping[str, FileDecision | None], part: str | None) -> ChangeRecord:
        """Return the record with these decisions; None withdraws one.

        A decision about a file replaces those about its parts.
        """
        if part is None:
            parts = {path: found for path, found in self.parts.items() if path not in done}
            return msgspec.structs.replace(self, decisions=_with(self.decisions, done), parts=parts, pending=None)
        parts = {**self.parts, **{path: _with(self.parts.get(path, {}), {part: one}) for path, one in done.items()}}
        parts = {path: found for path, found in parts.items() if found}
        decisions = {path: one for path, one in self.decisions.items() if path not in done}
        return msgspec.structs.replace(self, decisions=decisions, parts=parts, pending=None)


def _with(known: Mapping[str, FileDecision], done: Mapping[str, FileDecision | None]) -> dict[str, FileDecision]:
    return {key: one for key, one in {**known, **done}.items() if one is not None}
