"""Starts the plays that wait for a file to change. There is no watcher while no play waits for one.

Changes by the server itself fire nothing. Neither do changes while the play itself works, because it probably makes
them. Changes while other plays work are attributed to those plays, so that a circle is detected.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from ...core.clock import Clock
from ...core.errors import CabinetError
from ...core.events import Event, Scope
from ...core.ids import new_id
from ...core.paths import resolve_below
from ...runs.model import Run, RunFinished
from ...runs.records import RunRecords
from ...runs.rules.trigger_chain import link_of, play_of
from ...storage.filesystem.folder_watch import FolderWatch
from ..playbook import PlayStanding
from ..triggers import AnyTrigger, FileChanged, fixed_folder, is_too_soon, is_watched, key_of, on_file
from .starter import FINAL, Happening, PlayStarter

log = logging.getLogger(__name__)

OWN_FOR = timedelta(seconds=5)  # for this time after its end, a play's late writes still count as its own
MOST_NAMED = 20


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A play and its triggers that wait for a changed file."""

    play: str
    triggers: tuple[AnyTrigger, ...]


class FileWatch:
    """Watches the folders below the root in which the triggers' globs can match."""

    def __init__(self, *, root: Path, records: RunRecords, starter: PlayStarter, clock: Clock) -> None:
        self._root = root.resolve()
        self._records = records
        self._starter = starter
        self._clock = clock
        self._waiting: tuple[Waiting, ...] = ()
        self._watch = FolderWatch(self._hear_changes, self._is_of_interest, clock=clock, recursive=True)
        self._ended: dict[str, tuple[datetime, Run]] = {}  # by play: when its last run ended, and that run
        self._fired: dict[
            tuple[str, str], datetime
        ] = {}  # by play and trigger: further changes soon after this are ignored

    @property
    def is_watching(self) -> bool:
        """Return whether there is a watcher now."""
        return self._watch.is_watching

    async def follow(self, standings: Iterable[PlayStanding]) -> None:
        """Watch for the file triggers of these plays, instead of those before.

        Plays that are not confirmed are left out.
        """
        self._waiting = tuple(waiting for each in standings if (waiting := _waiting_of(each)) is not None)
        await self._watch.follow(await asyncio.to_thread(self._find_folders))

    async def stop(self) -> None:
        """Stop watching."""
        await self._watch.stop()

    def hear(self, event: Event, scope: Scope) -> None:
        """Note when the run of a play ends. A listener of the event bus."""
        if isinstance(event, RunFinished) and (slug := play_of(event.run.path)) is not None:
            self._ended[slug] = (self._clock.now(), event.run)

    def _find_folders(self) -> frozenset[Path]:
        """Return the existing folders to watch, none of them inside another.

        For a missing folder, the nearest existing parent is watched.
        """
        globs = [each.path for waiting in self._waiting for each in waiting.triggers if isinstance(each, FileChanged)]
        found = {self._nearest(fixed_folder(glob)) for glob in globs}
        return frozenset(each for each in found if not any(parent in found for parent in each.parents))

    def _nearest(self, folder: str) -> Path:
        while folder:
            try:
                real = resolve_below(self._root, folder)
                if real.is_dir():
                    return real
            except (CabinetError, OSError):
                pass  # outside the root, or it does not exist: watch its parent
            folder = folder.rpartition("/")[0]
        return self._root

    async def _hear_changes(self, paths: Collection[str]) -> None:
        await self.changed(sorted({self._relative(path) for path in paths}))

    def _relative(self, path: str) -> str:
        return Path(path).relative_to(self._root).as_posix()

    def _is_of_interest(self, path: str) -> bool:
        try:
            relative = self._relative(path)
        except ValueError:
            return False
        return is_watched(relative) and any(on_file(each.triggers, relative) for each in self._waiting)

    async def changed(self, paths: list[str]) -> None:
        """Start the plays that wait for these files. `paths`: relative to the root.

        A play that works, or ended less than 5 seconds ago, is not started, and neither is one that the same trigger
        started less than 30 seconds ago. Raises nothing for a play that cannot be started: the reason is stored or
        logged.
        """
        chain = self._chain()
        for waiting in self._waiting:
            if not self._is_own_doing(waiting.play):
                fired: dict[str, list[str]] = {}
                for path in paths:
                    if (trigger := on_file(waiting.triggers, path)) is not None:
                        fired.setdefault(key_of(trigger), []).append(path)
                for key, found in fired.items():
                    if not is_too_soon(self._fired.get((waiting.play, key)), self._clock.now()):
                        self._fired[waiting.play, key] = self._clock.now()
                        await self._start(waiting.play, key, found, chain)

    async def _start(self, play: str, key: str, paths: list[str], chain: tuple[str, ...]) -> None:
        named = "\n".join(f"- {msgspec.json.encode(path).decode()}" for path in paths[:MOST_NAMED])
        more = f"\n- and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        source = "A file has changed." if len(paths) == 1 else f"{len(paths)} files have changed."
        happening = Happening(
            kind="event", trigger=key, cause=new_id(), source=source, chain=chain, about=f"{named}{more}"
        )
        try:
            await self._starter.start(play, happening)
        except FINAL:
            return  # the reason is stored
        except CabinetError as error:
            log.warning("The play %s was not started for a changed file: %s", play, error.message)

    def _is_own_doing(self, play: str) -> bool:
        at_work = (play_of(run.path) for run in self._records.working())
        ended = self._ended.get(play)
        return play in at_work or (ended is not None and self._clock.now() - ended[0] < OWN_FOR)

    def _chain(self) -> tuple[str, ...]:
        """Return the longest chain of the plays that work now or ended a moment ago."""
        lately = [run for at, run in self._ended.values() if self._clock.now() - at < OWN_FOR]
        plays = [run for run in (*self._records.working(), *lately) if run.kind == "play"]
        chains = [(*run.trigger.chain, link_of(run)) for run in plays]
        return max(chains, key=len, default=())


def _waiting_of(standing: PlayStanding) -> Waiting | None:
    play = standing.file.play
    if play is None or not standing.confirmed:
        return None
    found = tuple(each for each in play.triggers if isinstance(each, FileChanged))
    return Waiting(play=play.slug, triggers=found) if found else None
