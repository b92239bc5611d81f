"""Plain settings of the room, and the places that every execution needs. Made by `app.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..core.clock import Clock
from ..core.errors import NotFound
from ..core.ids import is_foreign_id
from ..core.redaction import Redactor
from ..runtimes.model import PermissionMode
from ..storage.places import private_folder
from .model import Run
from .queue import DEFAULT_MAX_CONCURRENT_RUNS
from .watchdog import Limits


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator can set."""

    max_concurrent_runs: int = DEFAULT_MAX_CONCURRENT_RUNS
    default_permission_mode: PermissionMode = "edit"
    allow_bypass: bool = False  # whether anybody may choose "No questions"
    limits: Limits = Limits()
    max_turns: int = 25  # where a run names none, for CLIs that keep it
    approval_seconds: float = 10 * 60  # a question that nobody answers in this time is answered with no
    idle_cli_seconds: float = 30 * 60  # an open CLI without a viewer or a key is closed
    stop_seconds: float = 10


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What every part of the room needs. `environment` is the server's; a child gets a built one."""

    root: Path
    state_folder: Path  # .cabinet
    run_directories: Path
    environment: Mapping[str, str]
    kept_environment: tuple[str, ...] = ()  # CabinetApp.runtime_env
    settings: RunSettings
    redactor: Redactor
    clock: Clock

    def run_folder(self, run_id: str) -> Path:
        """Raises `NotFound` for an id that is no name: a record may be somebody else's."""
        return private_folder(self.state_folder / "runs") / _name(run_id)

    def raw_path(self, run: Run) -> Path:
        """What the CLI wrote. One that stays open wrote for several runs: its screen is only whole from its start."""
        if run.terminal_id is not None:
            return private_folder(self.state_folder / "terminals") / _name(run.terminal_id)
        return self.run_folder(run.id) / "raw"


def _name(id: str) -> str:
    if not is_foreign_id(id):
        raise NotFound("There are no files of this run.")
    return id
