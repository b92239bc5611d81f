"""Documents that people rename while a run works on them, and what its agent writes at their former paths.

Belongs to `run_comparison.py`. `comparison/former_path.py` decides whether the texts belong together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..core.errors import CabinetError
from ..core.paths import moved
from .comparison.former_path import text_of_renamed
from .decisions.restore import FileRestore, state_of
from .model import FILE_MODE, PROGRAM_MODE, FileState
from .record import ChangeRecord
from .snapshots.folder_snapshots import Looks
from .snapshots.objects import Objects


class RunDocument(NamedTuple):
    """The document of a working run. `path`: its current one.

    `present`: its state when it was first renamed during the run. `without`: the same without the agent's work. None:
    it was not renamed.
    """

    path: str
    present: FileState | None = None
    without: FileState | None = None


class RenamedDocuments:
    """The documents of the working runs. One per server."""

    def __init__(self, root: Path, objects: Objects, looks: Looks) -> None:
        self._root = root
        self._objects = objects
        self._looks = looks
        self._documents: dict[str, RunDocument] = {}  # by run

    def begin(self, run_id: str, path: str) -> None:
        """Follow the document of a run, until `forget`."""
        self._documents[run_id] = RunDocument(path)

    def forget(self, run_id: str) -> None:
        """Stop following the document of a run, which has ended. An unknown run is ignored."""
        self._documents.pop(run_id, None)

    async def moved(self, run_id: str, old: str, new: str, without: Mapping[str, FileState | None]) -> None:
        """Record that a person has moved `old` to `new`. Nothing changes unless the run's document is that, or in it.

        `without`: the files of the run's folder without its agent's work.
        """
        document = self._documents.get(run_id)
        path = document and moved(document.path, old, new)
        if document is None or path is None:
            return
        document = document._replace(path=path)
        if document.present is None:
            present = await asyncio.to_thread(self._state, path)
            document = document._replace(present=present, without=without.get(path))
        self._documents[run_id] = document

    def former_path(self, record: ChangeRecord, old: str, new: str) -> tuple[FileRestore, ...] | None:
        """Return the steps that bring what the agent wrote at `old` into the run's document, which is now `new`.

        Empty if the agent has not written there; None if both files must stay. No file is written. Raises `Lost` if the
        listing before the run is gone. Blocks.
        """
        before = self._objects.listing(record.before)
        named: dict[str, FileState | None] = {**before, **record.amended}
        written, present = self._state(old), self._state(new)
        if written == named.get(old):
            return ()
        document = self._documents.get(record.id, RunDocument(new))
        if document.present is None:  # it was renamed before the run began: the CLI still knows the former path
            document = RunDocument(new, before.get(new), before.get(new))
        if (
            not {FILE_MODE, PROGRAM_MODE}.issuperset(state and state.mode for state in (written, present))
            or present != document.present
            or named.get(new) != document.without  # a person has saved it
            or named.get(old) is not None  # a person has created another file there
            or not {old, new}.isdisjoint(record.mixed)
            or not all(self._looks.compares(path, record.folder) for path in (old, new))
        ):
            return None
        assert written is not None and present is not None
        text = text_of_renamed(self._objects.content(present.blob), self._objects.content(written.blob))
        if text is None:
            return None
        state = FileState(mode=present.mode, blob=self._objects.put_content(text))
        return (
            FileRestore(path=new, old=present, new=state),
            FileRestore(path=old, old=written, new=None, file=new, keep=old.rpartition("/")[0]),
        )

    def _state(self, path: str) -> FileState | None:
        """Return the current state of a file; None also for one that cannot be read."""
        with suppress(OSError, CabinetError):
            return state_of(self._root, path, self._objects)
        return None
