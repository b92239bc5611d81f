"""Values that several tests begin with."""

from __future__ import annotations

from datetime import UTC, datetime

from jupyter_cabinet.runs.model import Run, Trigger

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def example_run(**fields: object) -> Run:
    values: dict[str, object] = {
        "id": "01",
        "kind": "manual",
        "state": "queued",
        "instruction": "x",
        "runtime": "demo",
        "runtime_title": "Demo agent",
        "permission_mode": "edit",
        "mode": "headless",
        "session_id": "s",
        "trigger": Trigger(kind="person", username="ada", display_name="Ada"),
        "owner": "ada",
        "visibility": "private",
        "queued_at": NOW,
    }
    return Run(**{**values, **fields})  # type: ignore[arg-type]
