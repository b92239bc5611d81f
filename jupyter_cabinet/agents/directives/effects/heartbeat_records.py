"""Records a heartbeat in an agent's files: its output, a line of history, and the count.

Called under the agent's lock.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from .agent_data import AgentData, malformed

MAX_SUMMARY_CHARACTERS = 500
MAX_COUNTED_RUNS = 50  # ids that are kept, so that no run counts twice


class HeartbeatRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A heartbeat that has ended. `output`: the answer of the CLI; None: do not store it."""

    run_id: str
    at: datetime
    duration_seconds: float
    completed: bool
    summary: str
    output: str | None = None


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line of `.history/<slug>.jsonl`. `duration`: in milliseconds. `status`: `completed` or `failed`."""

    agent_slug: str
    timestamp: str
    duration: int
    status: str
    summary: str
    run_id: str


def record_heartbeat(places: AgentData, agent: str, record: HeartbeatRecord, *, zone: ZoneInfo) -> None:
    """Store the output, the line of history and the count, each once for the run.

    A malformed `stats.json` is left as it is; `Malformed` is then raised after the rest is written. Also raises
    `OutsideRoot`, `NoRoom`, `Unavailable`.
    """
    _keep_output(places, agent, record)
    line = HistoryLine(
        agent_slug=agent,
        timestamp=_timestamp(record.at),
        duration=round(record.duration_seconds * 1000),
        status="completed" if record.completed else "failed",
        summary=record.summary[:MAX_SUMMARY_CHARACTERS].encode(errors="replace").decode(),
        run_id=record.run_id,
    )
    places.append(f".history/{agent}.jsonl", line, key="runId", value=record.run_id)
    _count(places, agent, record, zone)


def _keep_output(places: AgentData, agent: str, record: HeartbeatRecord) -> None:
    """Store the output.

    The file's name contains the run's id, because two heartbeats may end within the same second.
    """
    name = f"{record.at.astimezone(UTC).strftime('%Y-%m-%dT%H-%M-%SZ')}-{record.run_id}.txt"
    file = f"{agent}/sessions/{name}"
    if record.output is not None and not places.exists(file):
        places.write(file, record.output)


def _count(places: AgentData, agent: str, record: HeartbeatRecord, zone: ZoneInfo) -> None:
    """Count one more heartbeat in the calendar month in which it ended, in the agent's time zone."""
    file = f"{agent}/memory/stats.json"
    stats = places.read_object(file) or {}
    runs, used = stats.get("countedRuns", []), stats.get("heartbeatsUsed", 0)
    if not isinstance(runs, list) or isinstance(used, bool) or not isinstance(used, int | float):
        problem = "expected a number as heartbeatsUsed, and a list as countedRuns"
        raise malformed(file, problem)
    if record.run_id in runs:
        return
    same_month = _month(stats.get("lastHeartbeat"), zone) in (None, _month(_timestamp(record.at), zone))
    counted = {
        "heartbeatsUsed": (used if same_month else 0) + 1,
        "lastHeartbeat": _timestamp(record.at),
        "countedRuns": [*runs, record.run_id][-MAX_COUNTED_RUNS:],
    }
    places.write_object(file, {**stats, **counted})


def _month(timestamp: Any, zone: ZoneInfo) -> tuple[int, int] | None:
    try:
        time = datetime.fromisoformat(timestamp).astimezone(zone)
    except (TypeError, ValueError, OverflowError):
        return None
    return time.year, time.month


def _timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
