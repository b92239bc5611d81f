"""The services that runs need for execution, approvals, changes and terminals. Given in `backend.py`."""

from __future__ import annotations

from typing import NamedTuple

from ..approvals.service import Approvals
from ..changes.service import RunChanges
from ..execution.executor import Executor
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from ..terminals.service import Terminals
from ..trust.service import Trust
from .remote_runs import RemoteRuns
from .tools.run_skills import NoSkills, RunSkills
from .tools.run_tool_servers import NoToolServers, RunToolServers
from .tools.run_tools import NoTools, RunTools


class RequiredServices(NamedTuple):
    """One service of each package that runs depend on. The last three are ports that packages above implement."""

    sessions: Sessions
    approvals: Approvals
    executor: Executor
    trust: Trust
    changes: RunChanges
    runtimes: Runtimes
    terminals: Terminals
    remote_runs: RemoteRuns
    tools: RunTools = NoTools()
    skills: RunSkills = NoSkills()
    tool_servers: RunToolServers = NoToolServers()
