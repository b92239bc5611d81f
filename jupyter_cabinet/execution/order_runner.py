"""Where the program of one order starts: on this machine, in a container, or on a worker of the cluster.

Called by `executor.py`.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ..core.errors import Unavailable
from ..core.paths import folder_below
from ..runners.port import NO_TERMINAL, NOT_ISOLATED, NOT_SET_UP, Placement, Runner, RunnerName, RunnerState, Where
from ..sandboxes.port import PipesSandbox, PtySandbox, Sandbox
from ..sandboxes.probe import SandboxCheck, SandboxState
from .model import Order
from .settings import Surroundings

HERE: Final = Where(runner="local", machine=socket.gethostname())


class OrderRunner:
    """Made by `choose`. `where` is set when the program's place is known, which is before it is released."""

    def __init__(self, order: Order, here: Sandbox, runner: Runner | None, places: Surroundings) -> None:
        self.where = HERE
        self._uses_directory = True
        self._order = order
        self._here = here
        self._runner = runner
        self._places = places

    @classmethod
    def choose(
        cls, order: Order, here: Sandbox, runners: Mapping[RunnerName, Runner], places: Surroundings
    ) -> OrderRunner:
        """Return the runner of an order. Starts nothing.

        Raises `Unavailable` if that runner cannot do what the order needs. That is one that the server does not have,
        one without terminals, or one without isolation.
        """
        if order.runner == "local":
            return cls(order, here, None, places)
        if order.runner not in runners:
            raise Unavailable(NOT_SET_UP[order.runner])
        if order.mode == "terminal" and order.runner in NO_TERMINAL:
            raise Unavailable(NO_TERMINAL[order.runner])
        if order.isolate == "required" and runners[order.runner].image is None:
            raise Unavailable(f"This run has to be isolated. {NOT_ISOLATED}")
        runner = runners[order.runner]
        return cls(order, here, runner if order.image is None else runner.with_image(order.image), places)

    @property
    def is_here(self) -> bool:
        """Return whether the program starts on this machine, directly or in a container."""
        return self._runner is None or self._runner.image is not None

    async def isolation_state(self, check: SandboxCheck) -> SandboxState | RunnerState:
        """Return whether the program can be isolated there. May wait for a test.

        `check`: that of this machine's own sandbox.
        """
        return await (check if self._runner is None else self._runner).state()

    @property
    def image(self) -> str | None:
        """Return the image of its container; None if it works in none."""
        return None if self._runner is None else self._runner.image

    def sandbox(self, waits: Callable[[str], None], run_directory: Path | None) -> PipesSandbox:
        """Return the sandbox in which to start the program. `waits` receives why it does not start yet. Starts nothing.

        Raises what `folder_below` raises, if the folder of the order is no longer valid and a runner other than `local`
        is used.
        """
        if self._runner is None:
            return self._here
        placement = Placement(
            run_id=self._order.run_id,
            folder=folder_below(self._places.root, self._order.cwd),
            state_folder=self._places.state_folder,
            run_directory=run_directory,
            waits=waits,
            placed=self._placed,
        )
        return self._runner.sandbox(placement)

    def pty_sandbox(self, waits: Callable[[str], None], run_directory: Path) -> PtySandbox:
        """Return the sandbox in which to start the program on a PTY: see `sandbox`.

        `choose` has refused a runner that has none.
        """
        sandbox = self.sandbox(waits, run_directory)
        assert isinstance(sandbox, PtySandbox)
        return sandbox

    def launcher(self, pid: int) -> int:
        """Return the pid above all processes that may connect to the run directory. `pid`: of the launcher.

        If a worker has a copy of the run directory, it checks that there, and this process passes on what it accepts.
        """
        return pid if self._uses_directory else os.getpid()

    def _placed(self, where: Where, uses_directory: bool) -> None:
        self.where, self._uses_directory = where, uses_directory
