"""The settings of the room, and the folders that every execution needs. Made in `backend.py`."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from ..core.clock import Clock
from ..core.errors import NotFound
from ..core.ids import is_foreign_id
from ..core.people import Visibility
from ..core.redaction import Redactor
from ..storage.filesystem.private_folders import private_folder


class ExecutionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for an operator."""

    max_turns: int = 25  # the default for orders, for CLIs that can enforce it
    idle_cli_seconds: float = 30 * 60  # an open CLI without a viewer or a key is closed


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Where executions take place. `environment` is the server's; a child process gets a built one."""

    root: Path
    state_folder: Path  # .cabinet
    run_directories: Path
    environment: Mapping[str, str]
    kept_environment: tuple[str, ...] = ()  # CabinetApp.runtime_env
    private_paths: tuple[str, ...] = ()  # of Jupyter, this server and the CLIs: hidden in sandboxes; `PREFIX*` allowed
    redactor: Redactor
    clock: Clock

    def run_folder(self, run_id: str) -> Path:
        """Return the folder of a run, whose parent is created; it may not exist yet.

        Raises `NotFound` for an id that is not a valid name, because a record may come from another installation, and
        `Unavailable` if the parent cannot be created or belongs to another user.
        """
        return private_folder(self.state_folder / "runs") / _name(run_id)

    def raw_path(self, run_id: str, terminal_id: str | None, *, owner: str, visibility: Visibility) -> Path:
        """Return the path of the CLI's raw output; the file may not exist.

        Without a terminal, it is in the folder of the run. A CLI that stays open writes for several runs, so a terminal
        has one file for all runs that are visible to the server, and one for the private runs of each owner: nobody
        else may read what the CLI writes for them. Raises `NotFound` like `run_folder`.
        """
        if terminal_id is not None:
            private_to = (
                f"-{sha256(owner.encode(errors='replace')).hexdigest()[:16]}" if visibility == "private" else ""
            )
            return private_folder(self.state_folder / "terminals") / f"{_name(terminal_id)}{private_to}"
        return self.run_folder(run_id) / "raw"


def _name(id: str) -> str:
    if not is_foreign_id(id):
        raise NotFound("There are no files of this run.")
    return id
