"""The events for an operator's log: which schema and which data each has. Pure.

Other people read such a log: texts of people and agents (`texts`) are included only if the operator has enabled that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from ..approvals.model import Approval, ApprovalClosed, ApprovalRequested
from ..changes.model import ChangesUpdated
from ..core.events import Event
from ..runs.model import Run, RunFinished, RunStarted
from ..runs.rules.lifecycle import is_final
from .entries import what_is_asked

SCHEMAS = "https://schema.jupyter.org/jupyter_cabinet"
NAMES = ("run_started", "run_finished", "approval_requested", "approval_closed", "changes_decided")


class OperatorEvent(NamedTuple):
    """`schema`: one of `NAMES`. `data` is JSON."""

    schema: str
    data: Mapping[str, Any]


def schema_id(name: str) -> str:
    """Return the address under which events are registered and emitted. `name`: one of `NAMES`."""
    return f"{SCHEMAS}/{name}/v1"


def operator_event(event: Event, *, texts: bool) -> OperatorEvent | None:
    """Return what an operator's log receives for an event; None for an event that it does not receive.

    `texts`: whether to include the texts of people and agents. Fields whose value is unknown are left out.
    """
    match event:
        case RunStarted(run=run):
            return _made("run_started", _run(run), _run_texts(run), texts)
        case RunFinished(run=run):
            return _made("run_finished", _run(run), _run_texts(run), texts)
        case ApprovalRequested(approval=approval):
            return _made("approval_requested", _approval(approval), _approval_texts(approval), texts)
        case ApprovalClosed(approval=approval):
            return _made("approval_closed", _approval(approval), _approval_texts(approval), texts)
        case ChangesUpdated(run_id=run_id, paths=paths, decision=decision, by=by):
            told = {"run_id": run_id, "files": len(paths), "decision": decision, "by": by and by.username}
            return _made("changes_decided", told, {"paths": list(paths)}, texts)
    return None


def _made(name: str, told: dict[str, Any], words: dict[str, Any], texts: bool) -> OperatorEvent:
    """Unknown values are left out."""
    data = {**told, **(words if texts else {})}
    return OperatorEvent(name, {key: value for key, value in data.items() if value is not None})


def _run(run: Run) -> dict[str, Any]:
    tokens = run.usage and run.usage.input_tokens + run.usage.output_tokens
    return {
        "run_id": run.id,
        "kind": run.kind,
        "state": run.state,
        "failure": run.failure and run.failure.kind,
        "asked_by": run.trigger.username,
        "trigger": run.trigger.kind,
        "owner": run.owner,
        "agent": run.agent,
        "runtime": run.runtime,
        "model": run.model,
        "permission_mode": run.permission_mode,
        "isolated": run.isolated,
        "queued_at": run.queued_at.isoformat(),
        "duration_seconds": run.duration_seconds,
        "cost_usd": run.cost_usd,
        "tokens": tokens,
        "changed": run.changed and msgspec.structs.asdict(run.changed),
    }


def _run_texts(run: Run) -> dict[str, Any]:
    answer = run.result.text if run.result and is_final(run) else None
    return {"instruction": run.instruction, "path": run.path, "reason": run.reason, "answer": answer}


def _approval(approval: Approval) -> dict[str, Any]:
    return {
        "approval_id": approval.id,
        "run_id": approval.run_id,
        "kind": approval.kind,
        "state": approval.state,
        "option": approval.option,
        "by": approval.answered_by and approval.answered_by.username,
        "rule_id": approval.rule_id,
        "risks": list(approval.risks),
    }


def _approval_texts(approval: Approval) -> dict[str, Any]:
    return {
        "title": approval.title,
        "what": what_is_asked(approval),
        "outcome": approval.outcome,
        "note": approval.note,
        "rule": approval.rule,
    }
