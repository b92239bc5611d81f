"""Plans a decision about a run's files: the steps on the disk, which keep people's later edits.

It reads files and writes none: `restore.py` does. It blocks: call it off the loop.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ...core.errors import Conflict, Invalid
from ..comparison.differences import taken_back, without_part
from ..model import EMPTY_FOLDER, ChangedFile, Decide, FileDecision, FileState, folders_of
from ..record import ChangeRecord, Pending
from ..snapshots.exclusions import FolderExclusions
from ..snapshots.objects import Lost, Objects
from . import restore
from .restore import FileRestore

UNCERTAIN = (
    "Another run worked here at the same time and may have changed these files. Nothing was reverted. Check each "
    "file, and revert the ones you want."
)

State = FileState | None


def chosen(record: ChangeRecord, wanted: Decide, excluded: FolderExclusions) -> list[str]:
    """Return the files that the decision is about, without those that already have the same decision.

    If no files are named, files that must not be written are left out, and, when reverting, those that another run may
    have changed. Raises `Conflict` if a named file must not be written, and if none is left to be reverted.
    """
    done = {"accept": "accepted", "revert": "reverted", "undo": None}[wanted.decision]
    files = [file for file in record.files if wanted.paths is None or file.path in wanted.paths]
    kept = {file.path: why for file in files if (why := _why_excluded(file, excluded)) and wanted.decision != "accept"}
    if kept and wanted.paths is not None:
        path, why = next(iter(kept.items()))
        raise Conflict(f"{path} is never written by an undo: {why}.")
    if wanted.paths is None and wanted.decision == "revert" and files:
        files = [file for file in files if not file.uncertain]
        if not files:
            raise Conflict(UNCERTAIN)
    paths = [file.path for file in files if file.path not in kept]
    return [path for path in paths if _made(record.decision(path, wanted.part)) != done]


def _why_excluded(file: ChangedFile, excluded: FolderExclusions) -> str:
    """An earlier server may have compared it."""
    places = filter(None, (file.path, file.old_path))
    return next(filter(None, (excluded.why_at_or_above(path, is_folder=file.folder) for path in places)), "")


def _made(decision: FileDecision | None) -> str | None:
    return None if decision is None else decision.decision


class Move(NamedTuple):
    """The effect of a decision on one file, and on its old path."""

    was: State
    now: State
    old_was: State = None
    old_now: State = None

    def steps(self, path: str, old_path: str | None, staying: Collection[str]) -> list[FileRestore]:
        """Return the steps: files are written before others are removed, so that a content always exists.

        `staying`: folders.
        """
        found = [FileRestore(path=path, old=self.was, new=self.now, keep=_innermost(path, staying))]
        if old_path is not None:
            keep = _innermost(old_path, staying)
            found.append(FileRestore(path=old_path, old=self.old_was, new=self.old_now, file=path, keep=keep))
        return sorted((step for step in found if step.old != step.new), key=lambda step: step.new is None)


def _innermost(path: str, folders: Collection[str]) -> str:
    """Return the one of `folders` that is nearest above a path; "" for none."""
    above = path.rpartition("/")[0]
    while above and above not in folders:
        above = above.rpartition("/")[0]
    return above


class Planner:
    """Plans one decision. `by`: display name of the person who made it."""

    def __init__(
        self, root: Path, objects: Objects, record: ChangeRecord, wanted: Decide, excluded: FolderExclusions
    ) -> None:
        self._excluded = excluded
        self._root = root
        self._objects = objects
        self._record = record
        self._wanted = wanted
        self._old = record.left_before(objects.left_of(record.before))
        self._new = objects.left_of(record.after)
        self._files = {file.path: file for file in record.files}

    def planned(self, paths: list[str], by: str, now: datetime) -> Pending:
        """Return the plan. Merged contents are stored, but no file of the workspace is written.

        Raises `Conflict` with the `paths` that cannot be reverted, `Invalid` for an unknown part, and `OSError` if a
        file cannot be read. With `anyway`, files whose contents are lost are left unchanged and the others are
        reverted.
        """
        steps: list[FileRestore] = []
        in_the_way, lost = [], []
        staying = self._staying()
        decisions: dict[str, FileDecision | None] = {}
        for path in paths:
            try:
                move = self._move(path)
                own = move.steps(path, self._files[path].old_path, staying)
                self._check_contents(own)
            except Conflict:
                in_the_way.append(path)
                continue
            except Lost:
                lost.append(path)
                continue
            steps += own
            decisions[path] = self._decision(move, by, now)
        if lost and (not decisions or not self._wanted.anyway):
            raise Conflict(
                _lost(lost) + (f" {self._in_the_way(in_the_way)}" if in_the_way else ""), paths=lost + in_the_way
            )
        if in_the_way:
            raise Conflict(self._in_the_way(in_the_way), paths=in_the_way)
        return Pending(steps=tuple(steps), decisions=decisions, part=self._wanted.part)

    def _in_the_way(self, paths: list[str]) -> str:
        """Return why these files cannot be reverted without losing something."""
        gone = [path for path in paths if self._wanted.decision == "revert" and self._state(path) is None]
        edited = [path for path in paths if path not in gone]
        return " ".join(say(these) for say, these in ((_edited_since, edited), (_gone_since, gone)) if these)

    def _check_contents(self, steps: list[FileRestore]) -> None:
        """Raises `Lost` before anything is written."""
        for step in steps:
            if step.new is not None:
                self._objects.content(step.new.blob)

    def _staying(self) -> set[str]:
        """Return the folders that exist afterwards.

        If only some files were compared, no folder is known to be empty.
        """
        old, new = ({*folders_of(left.files), *left.files, *left.lost} for left in (self._old, self._new))
        if self._record.partial:
            return old | new
        return old if self._wanted.decision == "revert" else new

    def _decision(self, move: Move, by: str, now: datetime) -> FileDecision | None:
        match self._wanted.decision:
            case "accept":
                return FileDecision(decision="accepted", by=by, at=now)
            case "revert":
                return FileDecision(decision="reverted", by=by, at=now, **move._asdict())
        return None

    def _state(self, path: str) -> State:
        return restore.state_of(self._root, path, self._objects, self._excluded)

    def _move(self, path: str) -> Move:
        file = self._files[path]
        try:
            present = self._state(path)
        except IsADirectoryError:
            if not file.folder:
                raise
            return Move(EMPTY_FOLDER, EMPTY_FOLDER)  # it contains new files, so it stays
        if file.old_path is None or self._wanted.part is not None:
            return Move(present, self._goal(path, present))
        return self._renamed(file, file.old_path, present, self._state(file.old_path))

    def _renamed(self, file: ChangedFile, old_path: str, present: State, at_old: State) -> Move:
        """Move a renamed file back to its old path, or again to its new one, with people's edits in it."""
        decision = self._record.decision(file.path, None)
        if self._wanted.decision == "revert":
            target = self._old.at(old_path)
            if present is None and at_old == target:  # somebody has already done so
                return Move(present, present, at_old, at_old)
            self._check_free(at_old, None, target)
            goal = self._moved(file.path, self._new.at(file.path), present, target, mixed=file.mixed)
            return Move(present, None, at_old, goal)
        if decision is not None and decision.decision == "reverted":
            self._check_free(present, decision.now, decision.was)
            goal = self._moved(file.path, decision.old_now, at_old, decision.was, mixed=False)
            return Move(present, goal, at_old, decision.old_was)
        return Move(present, present, at_old, at_old)

    def _check_free(self, present: State, *expected: State) -> None:
        if present not in expected and not self._wanted.anyway:
            raise Conflict

    def _goal(self, path: str, present: State) -> State:
        """Return the wanted state. Raises `Conflict` if people's later edits cannot be kept."""
        decision = self._record.decision(path, self._wanted.part)
        if self._wanted.decision == "revert":
            return self._moved(path, self._new.at(path), present, self._before(path), mixed=self._files[path].mixed)
        if decision is not None and decision.decision == "reverted":
            return self._moved(path, decision.now, present, decision.was, mixed=False)
        return present

    def _before(self, path: str) -> State:
        """Return the file before the run, or without the part that is reverted."""
        old, new, part = self._old.at(self._files[path].old_path or path), self._new.at(path), self._wanted.part
        if part is None:
            return old
        found = None
        if old is not None and new is not None:
            found = without_part(path, self._objects.content(old.blob), self._objects.content(new.blob), part)
        if new is None or found is None:
            raise Invalid("There is no such part of this file. Reload the changes.", field="part")
        return FileState(mode=new.mode, blob=self._objects.put_content(found))

    def _moved(self, path: str, base: State, present: State, target: State, *, mixed: bool) -> State:
        if self._wanted.anyway or present == target or (present == base and not mixed):
            return target
        if base is None or present is None or target is None or mixed:
            raise Conflict
        states = (base, present, target)
        if EMPTY_FOLDER in states:
            raise Conflict
        contents = [self._objects.content(state.blob) for state in states]
        found = taken_back(path, base=contents[0], present=contents[1], target=contents[2], states=states)
        if found is None:
            raise Conflict
        return FileState(mode=target.mode, blob=self._objects.put_content(found))


def _listed(paths: list[str]) -> str:
    return paths[0] + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _lost(paths: list[str]) -> str:
    return (
        f"{_listed(paths)}: the contents in .cabinet/changes are damaged or gone, so this can no longer be "
        "reverted or restored. Nothing was written. You can still revert the other changes of the run."
    )


def _edited_since(paths: list[str]) -> str:
    return f"{_listed(paths)}: the same lines were edited after this run. Reverting them would undo that edit too."


def _gone_since(paths: list[str]) -> str:
    return (
        f"{_listed(paths)}: no longer there, because somebody renamed, moved or deleted it after this run. Reverting "
        "it would create the file again as it was before the run."
    )
