"""What the CLI of one order gets: Cabinet's own tools, the agent's tool servers and its skills.

Called by `executor.py` and `interactive/terminal_execution.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...runtimes.model import Request
from ...runtimes.port import Located, Runtime
from ..model import Order
from ..run_directory import RunDirectory
from ..settings import Surroundings
from . import agent_skills, own_tools, tool_servers


class OrderEquipment:
    """Made by `choose`."""

    def __init__(self, order: Order, places: Surroundings) -> None:
        self.own_tools = order.own_tools  # groups
        self.tool_servers = order.tool_servers
        self.skills = order.skills
        self._places = places

    @classmethod
    async def choose(
        cls, order: Order, runtime: Runtime, located: Located, places: Surroundings, warn: Callable[[str], None]
    ) -> OrderEquipment:
        """Return what the CLI can use. `warn` receives what it lacks, as sentences for people. Writes nothing.

        Groups of tools that nobody misses are left out without a warning.
        """
        made = cls(order, places)
        if why := await asyncio.to_thread(own_tools.missing, order, runtime, located):
            made.own_tools = ()
            if not set(order.own_tools) <= own_tools.OPTIONAL:
                warn(why)
        if why := await asyncio.to_thread(tool_servers.missing, order.tool_servers, runtime, located):
            made.tool_servers = ()
            warn(why)
        return made

    @property
    def needs_directory(self) -> bool:
        """Return whether there are files for it, or a tool server that connects to the run directory."""
        return bool(self.own_tools or self.tool_servers or self.skills)

    def remove_scripts(self) -> tuple[str, ...]:
        """Remove the scripts of skills, for a CLI that is not isolated. Return warnings for people."""
        self.skills, left_out = agent_skills.without_scripts(self.skills)
        return left_out

    async def given(self, request: Request, directory: RunDirectory) -> Request:
        """Write the files that belong to it into a run directory, and return the request that names them.

        Raises `OSError`.
        """
        given = own_tools.with_server(request, directory, self.own_tools)
        environment = self._places.environment
        given = await asyncio.to_thread(
            tool_servers.with_tool_servers, given, directory.path, self.tool_servers, environment
        )
        return await asyncio.to_thread(agent_skills.with_skills, given, directory.path, self.skills)
