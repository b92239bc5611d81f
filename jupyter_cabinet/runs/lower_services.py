"""The services of the rooms below that runs are carried out, talked about and asked through. Given in `backend.py`."""

from __future__ import annotations

from typing import NamedTuple

from ..approvals.service import Approvals
from ..execution.executor import Executor
from ..sessions.service import Sessions
from ..trust.service import Trust


class LowerServices(NamedTuple):
    """One of each."""

    sessions: Sessions
    approvals: Approvals
    executor: Executor
    trust: Trust
