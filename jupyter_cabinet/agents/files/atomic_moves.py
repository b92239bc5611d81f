"""Moves several files of an agent atomically: all or none, even if the server dies in the middle.

The moves are first written to a note (`<state folder>/moves/<slug>.json`). A server that finds such a note takes the
locks of its agents, continues where the dead server stopped, and removes the note. Called by `agent_folders.py`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from ...core.errors import Conflict, Unavailable
from ...storage.filesystem import files, untrusted_files
from ...storage.filesystem.private_folders import private_folder
from .agent_locks import AgentLocks

FOLDER = "moves"
MAX_NOTE_BYTES = 64 * 1024
FOLDER_MODE = 0o755
MAX_ATTEMPTS = 5  # to finish the moves of other servers, each of which may crash meanwhile

log = logging.getLogger(__name__)


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note of moves: pairs of old and new paths, relative to the folder of all agents.

    `slugs`: the locks to hold: of agents, and of other files that move along.
    """

    slugs: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]


class Moves:
    """Atomic moves below `agents`, the folder of all agents."""

    def __init__(self, agents: Path, state_folder: Path, locks: AgentLocks) -> None:
        self._agents = agents
        self._notes = state_folder / FOLDER
        self._locks = locks

    @contextmanager
    def holding(self, *slugs: str) -> Iterator[None]:
        """Hold the locks of these agents, after finishing all moves that other servers began with them.

        Blocks. The thread must not hold the lock of any agent yet: that is an `AssertionError`. Raises `Unavailable` if
        a move cannot be finished.
        """
        assert not self._locks.holds_any(), "two threads that lock agents in a different order would deadlock"
        for _attempt in range(MAX_ATTEMPTS):
            self.finish_begun()
            with self._locks.holding(*slugs):
                if not any(slug in note.slugs for note in self._unfinished() for slug in slugs):
                    yield
                    return
        raise Unavailable(
            f"An unfinished move of the agent {slugs[0]} could not be completed. The server's log shows the reason."
        )

    def finish_begun(self) -> None:
        """Finish the moves that a dead server began, after any process that is moving the same files now.

        A thread that holds a lock has done so already. If the disk refuses a move, it stays unfinished and is logged.
        """
        if self._locks.holds_any():
            return
        for note in self._unfinished():
            with self._locks.holding(*note.slugs):
                if note in self._unfinished():
                    self._finish(note)

    def move(self, slugs: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
        """Move the first path of each pair to the second, if the first exists. The caller holds the locks of `slugs`.

        Raises `Conflict` if a target exists, `OSError`, and `Unavailable` if the state folder cannot be used; nothing
        is moved then.
        """
        moves = tuple(pair for pair in pairs if os.path.lexists(self._agents / pair[0]))
        for _source, target in moves:
            if os.path.lexists(self._agents / target):
                what = os.path.normpath(f"{self._agents.name}/{target}")  # a target may be beside the folder of agents
                raise Conflict(f"{what} exists already. Choose another name, or move it away first.")
        if not moves:
            return
        note = Note(slugs=tuple(slugs), moves=moves)
        private_folder(self._notes)
        try:
            files.replace(self._notes / f"{slugs[0]}.json", msgspec.json.encode(note))
            self._carry_out(note)
        except OSError:
            self._carry_out(Note(slugs=note.slugs, moves=tuple((new, old) for old, new in reversed(moves))))
            self._forget(note)
            raise
        self._forget(note)

    def _unfinished(self) -> list[Note]:
        """Return the notes of moves that have begun and not ended, in dead servers or in active ones."""
        try:
            names = sorted(name for name in os.listdir(self._notes) if name.endswith(".json"))  # noqa: PTH208
        except FileNotFoundError:
            return []
        return [note for name in names if (note := self._read(name)) is not None]

    def _finish(self, note: Note) -> None:
        try:
            self._carry_out(note)
            self._forget(note)
        except OSError as error:
            log.warning("An unfinished move of the agent %s could not be completed: %s", note.slugs[0], error)

    def _carry_out(self, note: Note) -> None:
        for source, target in note.moves:
            old, new = self._agents / source, self._agents / target
            if os.path.lexists(new) or not os.path.lexists(old):
                continue  # done before
            new.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            old.rename(new)
            files.sync_folder(new.parent)
            files.sync_folder(old.parent)

    def _forget(self, note: Note) -> None:
        (self._notes / f"{note.slugs[0]}.json").unlink(missing_ok=True)
        with suppress(OSError):  # if a power cut restores the note, its moves are found done
            files.sync_folder(self._notes)

    def _read(self, name: str) -> Note | None:
        try:
            content = untrusted_files.read(self._notes / name, limit=MAX_NOTE_BYTES, beneath=self._notes)
            return msgspec.json.decode(content, type=Note)
        except (OSError, msgspec.DecodeError):
            return None  # another server has finished it
