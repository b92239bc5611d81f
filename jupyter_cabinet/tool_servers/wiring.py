"""Builds the services of tool servers. Called by `backend.py`."""

from __future__ import annotations

from ..agents.wiring import AgentRoom
from ..execution.settings import Surroundings
from ..foundation import Foundation
from ..runtimes.registry import Runtimes
from ..sandboxes.port import Sandbox
from .in_runs import ToolServersInRuns
from .inspection import Inspection
from .of_clis import ToolServersOfClis
from .service import ToolServers
from .store import ToolServerStore


class ToolServerRoom:
    """All services of tool servers. `in_runs`: what runs get; `tool_servers`: what people do."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        agents: AgentRoom,
        sandbox: Sandbox,
        surroundings: Surroundings,
        runtimes: Runtimes,
        shared_login: bool,
    ) -> None:
        store = ToolServerStore(foundation.data, foundation.root)
        inspection = Inspection(sandbox=sandbox, environment=surroundings.environment)
        self.in_runs = ToolServersInRuns(
            store=store, roster=agents.roster, shared_login=shared_login, given=inspection.given
        )
        self.of_clis = ToolServersOfClis(runtimes=runtimes, environment=surroundings.environment, root=foundation.root)
        self.tool_servers = ToolServers(
            store=store,
            inspection=inspection,
            roster=agents.roster,
            bus=foundation.bus,
            clock=foundation.clock,
            root=foundation.root,
        )
        agents.tool_server_tools.open(self.tool_servers.propose, self.tool_servers.known_to)
