"""Changes an agent's record after its run has ended: several failed runs in a row pause it. Pure."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..model import AgentRecord, AgentStatus
from ..prompts.checks import MAX_CHECKS

MOST_COUNTED = 50  # runs whose ids are kept
QUIET_HEARTBEATS = 10  # in a row, after which the dashboard suggests `when_needed`


def ended(record: AgentRecord, run_id: str, state: str, *, reason: str, now: datetime, limit: int) -> AgentRecord:
    """Return the record after a run that has ended is counted, once. Several failed runs in a row pause the agent.

    `limit`: the number of failed runs in a row that does so. Runs that were cancelled, skipped or interrupted do not
    count.
    """
    if run_id in record.counted or state not in ("succeeded", "failed", "timed_out"):
        return record
    counted = (*record.counted, run_id)[-MOST_COUNTED:]
    failures = 0 if state == "succeeded" else record.failures + 1
    after = msgspec.structs.replace(record, counted=counted, failures=failures)
    if failures < limit or record.paused:
        return after
    return paused(after, because=f"{failures} runs in a row have failed, the last one: {reason}", by="", now=now)


def heard(
    record: AgentRecord, *, quiet: bool, at: datetime, checks: tuple[str, ...] = (), began: datetime | None = None
) -> AgentRecord:
    """Return the record after a successful heartbeat is counted.

    `quiet`: it had nothing to report. `at`: when it ended. `checks`: those that it has received. `began`: when; None:
    at its end.
    """
    received = {**record.checks, **dict.fromkeys(checks, began or at)}
    newest = sorted(received, key=lambda name: received[name])[-MAX_CHECKS:]
    return msgspec.structs.replace(
        record,
        quiet=record.quiet + 1 if quiet else 0,
        last_heartbeat=at,
        checks={name: received[name] for name in newest},
    )


def paused(record: AgentRecord, *, because: str, by: str, now: datetime) -> AgentRecord:
    """Return the record of a paused agent. If it is paused already, keep who paused it first, and why."""
    if record.paused:
        return record
    return msgspec.structs.replace(record, paused=True, paused_because=because, paused_by=by, paused_at=now)


def resumed(record: AgentRecord) -> AgentRecord:
    """Return the record of a resumed agent, with its count of failed runs reset."""
    return msgspec.structs.replace(record, paused=False, paused_because="", paused_by="", paused_at=None, failures=0)


def status(
    record: AgentRecord, *, in_service: bool, confirmed: bool, active: bool, run_state: str | None
) -> AgentStatus:
    """Return the status that people see. `run_state`: state of the active run, else of a queued one, else None.

    The first of these that fits counts: `out_of_service`, `unconfirmed`, `working`, `waiting`, `paused`, `queued`,
    `idle` or `inactive`.
    """
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
