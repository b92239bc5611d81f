"""The services that runs are carried out, talked about and asked through. Given in `backend.py`."""

from __future__ import annotations

from typing import NamedTuple

from ..approvals.service import Approvals
from ..changes.service import RunChanges
from ..execution.executor import Executor
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from ..terminals.service import Terminals
from ..trust.service import Trust
from .run_tools import NoTools, RunTools


class RequiredServices(NamedTuple):
    """One of each room below; `tools` is the port of those above."""

    sessions: Sessions
    approvals: Approvals
    executor: Executor
    trust: Trust
    changes: RunChanges
    runtimes: Runtimes
    terminals: Terminals
    tools: RunTools = NoTools()
