"""What is kept of a run's changes: which listings were compared, and what people have decided since."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from .differences import summed
from .model import ChangedFile, Changes, FileDecision, FileState, LeftOut, RecordState
from .restore import Step


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are being taken back, or put again: put on record before the first one is written."""

    steps: tuple[Step, ...]
    decisions: dict[str, FileDecision | None]  # by path, as they are afterwards


class ChangeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`before` and `after` are listings in `objects.py`. `amended`: files that a person has saved while the run worked:
    what they would be had the agent not worked; None: nothing would be there."""

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
    left_out: tuple[LeftOut, ...] = ()
    beside: tuple[str, ...] = ()
    late: bool = False
    decisions: dict[str, FileDecision] = {}
    pending: Pending | None = None

    def files_before(self, listing: Mapping[str, FileState]) -> dict[str, FileState]:
        """What would stand there, had the run not worked. `listing`: that of `before`."""
        return {path: state for path, state in {**listing, **self.amended}.items() if state is not None}

    def shown(self) -> Changes:
        """As people see it."""
        files = tuple(msgspec.structs.replace(file, decision=self.decisions.get(file.path)) for file in self.files)
        return Changes(
            run_id=self.id,
            state=self.state,
            reason=self.reason,
            counts=summed(files),
            files=files,
            left_out=self.left_out,
            beside=self.beside,
            late=self.late,
        )

    def decided(self, done: dict[str, FileDecision | None]) -> ChangeRecord:
        """With these decisions; None takes one back."""
        decisions = {path: one for path, one in {**self.decisions, **done}.items() if one is not None}
        return msgspec.structs.replace(self, decisions=decisions, pending=None)
