"""The execution of an instruction that a person typed into an open CLI, which is already working on it.

It starts nothing. Made by `open_cli.py` when the listener accepts the instruction; the other executions are in
`executor.py` and `terminal_execution.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...runtimes.model import Outcome
from ...sandboxes.process_table.resources import kill_below
from ..model import Order, OrderListener
from ..sandbox.isolation import recorded

if TYPE_CHECKING:
    from .open_cli import OpenCli


class TypedExecution:
    """An order of an open CLI. From its creation on, everything that happens in the CLI belongs to it."""

    has_agent = True

    def __init__(self, cli: OpenCli, order: Order, listener: OrderListener) -> None:
        self._cli = cli
        self._order = order
        self._outcome = cli.expect(order, listener)

    async def work(self) -> Outcome:
        """Wait for the outcome, and return it. It is what the CLI has reported, possibly a failure."""
        async with recorded(self._cli.isolation, self._order.run_id):
            return await self._outcome

    @property
    def pid(self) -> int | None:
        """Return the process id of the CLI's launcher."""
        return self._cli.pid

    async def stop(self, *, at_once: bool = False) -> None:
        """Close the CLI. Returns when that is confirmed.

        `at_once`: kill its processes without giving them time to end.
        """
        if at_once and self.pid is not None:
            await kill_below(self.pid)
        await self._cli.close("The run was stopped.")

    async def interrupt(self) -> str:
        """End the turn; the CLI stays open. Return "", or the reason if that failed: see `OpenCli.interrupt`."""
        return await self._cli.interrupt()
