"""Examines a server's folder without a server, read-only. Called by `doctor.py`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ...agents.files.agent_reader import AgentReader
from ...agents.files.safe_files import SafeFolder
from ...agents.roster.timing import read_timing, runtime_errors
from ...core.errors import NotFound
from ...plays.play_files import PlayFiles
from ...runtimes.registry import Runtimes
from ...storage.database_diagnosis import damage
from ...storage.filesystem.file_cache import FileCache
from ...storage.filesystem.private_folders import size_of


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """An agent or a play. `errors`: why it is disabled, with file, field and the expected value."""

    name: str
    errors: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the folder.

    `problems`: sentences about files that look like an agent or a play but are not valid, and about the database.
    """

    root: str
    agents: tuple[Examined, ...] = ()
    plays: tuple[Examined, ...] = ()
    problems: tuple[str, ...] = ()
    changes_bytes: int = 0  # disk usage of the runs' changes
    recordings_bytes: int = 0

    @property
    def is_in_order(self) -> bool:
        """Whether nothing is disabled and there are no problems."""
        return not self.problems and not any(each.errors for each in (*self.agents, *self.plays))


def look_at(root: Path, *, runtimes: Runtimes, zone: str, own_database: bool) -> Workspace:
    """Examine. `zone`: of schedules without one. `own_database`: whether the records are in `.cabinet/`."""
    reader = AgentReader(SafeFolder(root), FileCache())
    plays = PlayFiles(root, root / ".cabinet", zone=zone)
    damaged = damage(root / ".cabinet" / "cabinet.db") if own_database else ""
    return Workspace(
        root=str(root),
        agents=tuple(_agent(reader, slug, runtimes, zone) for slug in reader.slugs()),
        plays=tuple(_play(plays, slug) for slug in plays.slugs()),
        changes_bytes=size_of(root / ".cabinet" / "changes"),
        recordings_bytes=size_of(root / ".cabinet" / "recordings"),
        problems=(*reader.problems(), *plays.problems(), *([damaged] if damaged else [])),
    )


def _agent(reader: AgentReader, slug: str, runtimes: Runtimes, zone: str) -> Examined:
    try:
        files = reader.read(slug)
    except NotFound as error:  # it was removed meanwhile
        return Examined(name=slug, errors=(error.message,))
    errors = list(files.errors)
    if files.persona is not None:
        errors += [*read_timing(files.persona, default_zone=zone).errors, *runtime_errors(files.persona, runtimes)]
    return Examined(name=slug, errors=tuple(error.message for error in errors), notes=files.notes)


def _play(plays: PlayFiles, slug: str) -> Examined:
    try:
        file = plays.read(slug)
    except NotFound as error:
        return Examined(name=slug, errors=(error.message,))
    return Examined(name=slug, errors=tuple(error.message for error in file.errors), notes=file.notes)
