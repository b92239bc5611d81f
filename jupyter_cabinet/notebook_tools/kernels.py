"""The port to the kernels of notebooks. Implemented by `jupyter_kernels.py`."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Executed(NamedTuple):
    """The end of a cell. `outputs`: as a notebook stores them. `number`: the one that the kernel gave to it."""

    outputs: list[dict[str, Any]]
    number: int | None
    failed: bool = False


class Kernel(Protocol):
    """The kernel in which a notebook runs."""

    name: str  # of its kernel spec, such as python3
    language: str  # empty: unknown

    async def state(self) -> str:
        """Return "idle", "busy" if it works on a cell, "starting" and others, or "unknown"."""

    async def execute(self, source: str) -> Executed:
        """Run a cell and return its outputs, at most 10 MiB. There is no time limit once the kernel has answered.

        A cell that fails raises nothing: its error is among the outputs. Raises `Unavailable` if the kernel does not
        answer for 30 seconds at the beginning, also because it is busy with other cells, dies or is restarted. If the
        caller is cancelled, the kernel is interrupted.
        """

    async def evaluate(self, expression: str) -> object:
        """Return the value of a Python expression whose value is a literal. The notebook's history does not contain it.

        Raises `Unavailable` if the kernel dies, is busy for too long, or cannot compute the value.
        """


class Kernels(Protocol):
    """The kernels of this server."""

    async def of(self, path: str) -> Kernel | None:
        """Return the kernel of the notebook, a path relative to the root; None if it has none."""


class NoKernels(Kernels):
    """A server without Jupyter's kernels."""

    async def of(self, path: str) -> Kernel | None:
        return None
