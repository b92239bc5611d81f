"""Which tool servers a run gets. Implements the port `RunToolServers` of `runs/`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from ..agents.roster.roster import Roster
from ..core.errors import CabinetError, Invalid, Malformed
from ..execution.tools.tool_server_file import GivenServer
from ..runs.model import Run
from ..runs.tools.run_tool_servers import GivenToolServers, RunToolServers
from . import rules
from .model import ToolServer
from .store import Stored, ToolServerStore

MOST_SERVERS = 20  # of an agent
NOT_GIVEN = "The agent did not get the tool server {name}: {why}"
NO_SUCH = "there is none of this name that works for it."
NOTHING_APPROVED = "nobody has approved a tool of it. Look at it in Skills and Tools."
DAMAGED = "its file cannot be read."
TOO_MANY = f"An agent can have {MOST_SERVERS} tool servers. The agent did not get the others of its list."


class ToolServersInRuns(RunToolServers):
    """The tool servers of all agents of a root."""

    def __init__(
        self, *, store: ToolServerStore, roster: Roster, shared_login: bool, given: Callable[[Stored], GivenServer]
    ) -> None:
        """`shared_login`: whether everybody who is logged in here is the owner. `given`: as in `Inspection`."""
        self._store = store
        self._given = given
        self._roster = roster
        self._shared_login = shared_login

    async def of(self, run: Run) -> GivenToolServers:
        """Return the tool servers that the persona of the run's agent lists, each with its approved tools; at most 20.

        A tool server works for the runs of the person who has added it. If it is shared, it works for all runs. For
        each one that the agent does not get, `warnings` has a sentence with the reason. A run without an agent gets
        nothing, and neither does an agent that no longer exists or is not confirmed as it is now; then there is no
        warning.
        """
        names = await self._listed(run.agent)
        servers: list[GivenServer] = []
        warnings = [TOO_MANY] if len(names) > MOST_SERVERS else []
        for name in names[:MOST_SERVERS]:
            server, why = await asyncio.to_thread(self._server, name, run.owner)
            if server is not None:
                servers.append(server)
            else:
                warnings.append(NOT_GIVEN.format(name=name, why=why))
        return GivenToolServers(tuple(servers), tuple(warnings))

    async def _listed(self, agent: str | None) -> tuple[str, ...]:
        if agent is None:
            return ()
        try:
            return tuple(dict.fromkeys((await self._roster.get(agent)).require().tool_servers))
        except CabinetError:
            return ()  # it is gone, or nobody has confirmed it as it is now: it gets nothing

    def _server(self, name: str, owner: str) -> tuple[GivenServer | None, str]:
        """Return the tool server, else None and why the agent does not get it."""
        try:
            stored = self._store.load(rules.known_name(name))
        except CabinetError as error:
            return None, DAMAGED if isinstance(error, Malformed) else NO_SUCH
        if stored is None or not self._works_for(stored.server, owner):
            return None, NO_SUCH
        server = stored.server
        if not server.approved:
            return None, NOTHING_APPROVED
        try:
            return msgspec.structs.replace(self._given(stored), tools=server.approved), ""
        except Invalid as error:
            return None, error.message

    def _works_for(self, server: ToolServer, owner: str) -> bool:
        """Return whether a run of this owner may use it. One that was added by a shared login needs a shared login."""
        if server.shared_login != self._shared_login:
            return False
        return server.shared or self._shared_login or server.owner == owner
