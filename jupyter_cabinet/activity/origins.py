"""Describes who or what has started a run: "Ada asked iris", or "iris, by schedule". Pure.

The page uses the same texts (`labextension/src/runs/stores/labels.ts`).
"""

from __future__ import annotations

from ..runs.model import Run, Trigger


def asked_line(run: Run, agent_name: str = "") -> str:
    """Return a line about a run, without a full stop: "Ada asked iris" if a person did, else "iris, by schedule".

    `agent_name`: how to name the agent; by default its slug, or the title of the runtime.
    """
    asked = agent_name or run.agent or run.runtime_title
    trigger = run.trigger
    if trigger.kind in ("person", "terminal"):
        return f"{trigger.display_name} asked {asked}"
    return f"{asked}, {started_by(trigger)}"


def started_by(trigger: Trigger) -> str:
    """Return who or what has started a run, as in "by Ada", "by schedule", "after the play Collect"."""
    match trigger.kind:
        case "schedule":
            return "by schedule"
        case "run":
            return _in_sentence(trigger.source) or "by a run"
        case "event":
            return "by an event"
        case "webhook":
            return "by a webhook"
        case "message":
            return f"by {_in_sentence(trigger.source) or 'a message'}"
        case "program":
            return f"by a program of {trigger.display_name}"
    return f"by {trigger.display_name}"


def _in_sentence(source: str) -> str:
    """Return the sentence "A message from Ben to Ada." as a part of another one."""
    return source[:1].lower() + source[1:].rstrip(".")
