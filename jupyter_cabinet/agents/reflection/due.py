"""Decides when an agent reflects by itself: after several runs, or after a day with a few. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from ..model import AgentRecord

RUNS = 10  # successful heartbeats and plays since the last reflection
RUNS_OF_A_DAY = 3  # the same, if the last reflection was at least a day ago
DAY = timedelta(hours=24)


def counted(record: AgentRecord, *, reflection: bool, succeeded: bool, at: datetime) -> AgentRecord:
    """Return the record after a run that has ended is counted.

    A reflection starts the count over, whatever its outcome. Otherwise only runs that have succeeded count. Nothing is
    stored.
    """
    if reflection:
        return msgspec.structs.replace(record, finished=0, finished_since=at)
    if not succeeded:
        return record
    return msgspec.structs.replace(record, finished=record.finished + 1, finished_since=record.finished_since or at)


def is_due(record: AgentRecord, now: datetime) -> bool:
    """Return whether the agent should reflect now: after 10 runs, or after 3 if the count began at least a day ago."""
    if record.finished >= RUNS:
        return True
    since = record.finished_since
    return record.finished >= RUNS_OF_A_DAY and since is not None and now - since >= DAY
