"""The port for starting programs elsewhere than beside the server. Callers: `execution/` and `web/`.

`dask_cluster.py` implements it for other machines, `docker_runner.py` for containers on this one.

A sandbox says what a program can reach; a runner says where it starts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from ..sandboxes.port import PipesSandbox

RunnerName = Literal["local", "dask", "docker"]

NOT_SET_UP: Final[dict[str, str]] = {
    "dask": "This server has no cluster. Its operator can set CabinetApp.cluster.",
    "docker": "This server has no image for containers. Its operator can set CabinetApp.docker_image.",
}
NO_TERMINAL: Final[dict[str, str]] = {
    "dask": "A run on a cluster cannot work in a terminal. Let it work without one, or on this machine."
}
NOT_ISOLATED: Final = "A run on a cluster cannot be isolated. Let it work on this machine, or without isolation."


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """Where the program of a run was started. On this machine itself, only `runner` and `machine` are set."""

    runner: RunnerName
    worker: str = ""  # the worker's name in its cluster
    image: str = ""  # of its container
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

    @property
    def image(self) -> str | None:
        """Return the image of its containers, which isolate programs; None: it starts programs on other machines."""

    def with_image(self, image: str) -> Runner:
        """Return the same runner with containers of another image. Without containers, the image does not matter."""

    async def state(self) -> RunnerState:
        """Return whether the runner can start programs now. May wait for an answer for several seconds.

        Never raises `Unavailable`.
        """

    def sandbox(self, placement: Placement) -> PipesSandbox:
        """Return the sandbox for one program of a run, at once.

        Starting the program there may wait for a worker without a limit.
        """

    async def close(self) -> None:
        """Close the connection. Programs that still run are ended by their workers."""
