"""What follows from the end of an agent's run for the agent itself: failures in a row pause it. Pure."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..model import AgentRecord, AgentStatus

MOST_COUNTED = 50  # runs whose ids are kept
QUIET_HEARTBEATS = 10  # in a row: the dashboard offers `when_needed`


def ended(record: AgentRecord, run_id: str, state: str, *, reason: str, now: datetime, limit: int) -> AgentRecord:
    """A run has ended. `limit`: failed runs in a row that pause the agent. Each run counts once."""
    if run_id in record.counted or state not in ("succeeded", "failed", "timed_out"):
        return record
    counted = (*record.counted, run_id)[-MOST_COUNTED:]
    failures = 0 if state == "succeeded" else record.failures + 1
    after = msgspec.structs.replace(record, counted=counted, failures=failures)
    if failures < limit or record.paused:
        return after
    return paused(after, because=f"{failures} runs in a row have failed, the last one: {reason}", by="", now=now)


def heard(record: AgentRecord, *, quiet: bool, at: datetime) -> AgentRecord:
    """A heartbeat has succeeded. `quiet`: it had nothing to report. `at`: when it ended."""
    return msgspec.structs.replace(record, quiet=record.quiet + 1 if quiet else 0, last_heartbeat=at)


def paused(record: AgentRecord, *, because: str, by: str, now: datetime) -> AgentRecord:
    """It starts nothing from now on. Who has paused it first stays known."""
    if record.paused:
        return record
    return msgspec.structs.replace(record, paused=True, paused_because=because, paused_by=by, paused_at=now)


def resumed(record: AgentRecord) -> AgentRecord:
    """It works again, and nothing counts against it."""
    return msgspec.structs.replace(record, paused=False, paused_because="", paused_by="", paused_at=None, failures=0)


def status(
    record: AgentRecord, *, in_service: bool, confirmed: bool, active: bool, run_state: str | None
) -> AgentStatus:
    """What people see. `run_state`: of its run that works, else of one that is queued."""
    if not in_service:
        return "out_of_service"
    if not confirmed:
        return "unconfirmed"
    if run_state in ("starting", "running"):
        return "working"
    if run_state == "waiting":
        return "waiting"
    if record.paused:
        return "paused"
    if run_state == "queued":
        return "queued"
    return "idle" if active else "inactive"
