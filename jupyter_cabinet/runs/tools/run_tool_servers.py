"""The port through which a run gets its agent's tool servers. Implemented by `tool_servers/in_runs.py`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ...execution.tools.tool_server_file import GivenServer
from ..model import Run


class GivenToolServers(NamedTuple):
    """The tool servers of a run. `warnings`: sentences about those that its agent lists and does not get."""

    servers: tuple[GivenServer, ...] = ()
    warnings: tuple[str, ...] = ()


class RunToolServers(Protocol):
    """Knows which tool servers a run gets."""

    async def of(self, run: Run) -> GivenToolServers:
        """Return the tool servers for an attempt that starts now, with the tools that a person has approved.

        The others lead to warnings.
        """


class NoToolServers(RunToolServers):
    """The port of a server without tool servers."""

    async def of(self, run: Run) -> GivenToolServers:
        return GivenToolServers()
