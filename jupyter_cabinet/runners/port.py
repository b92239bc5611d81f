"""The port for starting programs on other machines. Callers: `execution/` and `web/`. `dask_cluster.py` implements it.

A sandbox says what a program can reach; a runner says where it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from ..sandboxes.port import Sandbox

RunnerName = Literal["local", "dask"]

NO_CLUSTER: Final = "This server has no cluster. Its operator can set CabinetApp.cluster."
NO_TERMINAL: Final = "A run on a cluster cannot work in a terminal. Let it work without one, or on this machine."
NOT_ISOLATED: Final = "A run on a cluster cannot be isolated. Let it work on this machine, or without isolation."


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where the program of a run was started. On this machine, only `runner` and `machine` are set."""

    runner: RunnerName
    worker: str = ""  # the worker's name in its cluster
    machine: str = ""  # host name


class RunnerState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a runner can start programs now. If not: why, and what to do, as sentences."""

    works: bool
    reason: str = ""
    remedy: str = ""


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about one run that decide on which worker it can start.

    `waits` is called with a sentence while the run waits for a worker, `placed` when one has been found: with where it
    is, and whether its processes use the server's run directory itself, and not a copy.
    """

    run_id: str
    folder: Path  # the worker must see it, at this path
    state_folder: Path  # in that folder; the server proves with a file in it that the worker sees the folder
    run_directory: Path | None = None  # with the socket to the server; None: the run has none
    waits: Callable[[str], None]
    placed: Callable[[Where, bool], None]


class Runner(Protocol):
    """A way to start programs elsewhere."""

    async def state(self) -> RunnerState:
        """Check whether the runner can start programs now."""

    def sandbox(self, placement: Placement) -> Sandbox:
        """Return the sandbox for one program of a run. It waits for a worker when the program is started."""

    async def close(self) -> None:
        """Close the connection. Programs that still run are ended by their workers."""
