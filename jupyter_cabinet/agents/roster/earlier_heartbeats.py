"""Heartbeats in an agent's `.history/<slug>.jsonl` that have no run on this server.

They come from another installation, from an older server, or from a deleted run. Blocks: call it off the loop. Called
by `assignments.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...core.slugs import is_slug
from ...storage.filesystem import untrusted_files
from ..files.safe_files import AGENTS

HISTORY_BYTES = 1 << 20  # only this much of the end of the file is read
MAX_SUMMARY_CHARACTERS = 500
SUCCESSFUL = ("completed", "succeeded", "success", "ok")  # any other status counts as failed


class EarlierHeartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the history. `timestamp`: as in the file, usually ISO 8601; empty if the line has none."""

    timestamp: str
    duration_seconds: float | None
    status: Literal["completed", "failed"]
    summary: str
    run_id: str | None = None  # id of the run on the server that wrote the line


def read_history(root: Path, slug: str) -> list[EarlierHeartbeat]:
    """Return the heartbeats at the end of the agent's history, newest first. Other lines are skipped.

    Only the last MiB of the file is read. Empty if the file cannot be read or the slug is not valid.
    """
    if not is_slug(slug):
        return []
    path = root / AGENTS / ".history" / f"{slug}.jsonl"
    try:
        values = list(untrusted_files.last_values(path, limit=HISTORY_BYTES, beneath=root))
    except OSError:
        return []
    return [heartbeat_in(value) for value in reversed(values) if isinstance(value, dict) and "status" in value]


def without_runs(lines: Collection[EarlierHeartbeat], known: Collection[str]) -> list[EarlierHeartbeat]:
    """Return the heartbeats whose run is unknown. `known`: ids of runs."""
    return [line for line in lines if line.run_id is None or line.run_id not in known]


def heartbeat_in(line: dict[Any, Any]) -> EarlierHeartbeat:
    """Parse a line of the history. A value of an unexpected type counts as absent."""
    milliseconds = line.get("duration")
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool) and milliseconds >= 0
    return EarlierHeartbeat(
        timestamp=_text(line, "timestamp")[:64],
        duration_seconds=milliseconds / 1000 if is_number and milliseconds is not None else None,
        status="completed" if _text(line, "status").lower() in SUCCESSFUL else "failed",
        summary=_text(line, "summary")[:MAX_SUMMARY_CHARACTERS],
        run_id=_text(line, "runId") or None,
    )


def _text(line: dict[Any, Any], name: str) -> str:
    value = line.get(name)
    return value if isinstance(value, str) else ""
