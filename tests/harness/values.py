"""Values that several tests begin with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from jupyter_cabinet.approvals.model import Approval
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


def example_approval(**fields: object) -> Approval:
    values: dict[str, object] = {
        "id": "q1",
        "run_id": "01",
        "question_id": "1",
        "session_id": "s",
        "runtime_title": "Demo agent",
        "instruction": "x",
        "kind": "command",
        "title": "Demo agent asks to run a command",
        "question": "May it?",
        "tool": "Bash",
        "folder": "/secret/place",
        "options": (),
        "owner": "ada",
        "owner_name": "Ada",
        "visibility": "private",
        "asked_at": NOW,
        "expires_at": NOW + timedelta(minutes=10),
    }
    return Approval(**{**values, **fields})  # type: ignore[arg-type]
