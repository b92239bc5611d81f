"""How a plan has stopped by itself, so that its owner can be notified. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..model import Plan
from .mutations import open_proposals
from .rest import PAUSED_BY
from .waiting import startable


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """How a plan has stopped. `waits`: a person must decide or start something.

    `key`: the same until something of the plan has run again. `reason`: a sentence, or empty.
    """

    how: Literal["done", "waits", "failed"]
    key: str
    reason: str


def stop_of(plan: Plan) -> Stop | None:
    """Return how a plan has stopped; None if it has not, if a person has paused it, or if it is archived or a draft."""
    if any(step.state == "running" for step in plan.steps) or plan.archived:
        return None
    began = int(plan.begun_at.timestamp()) if plan.begun_at is not None else 0
    key = f"{plan.id}/{plan.state}/{began}/{plan.begun_runs}"
    match plan.state:
        case "done":
            return Stop(how="done", key=key, reason=plan.reason)
        case "failed":
            return Stop(how="failed", key=key, reason=plan.reason)
        case "blocked":
            return Stop(how="waits", key=key, reason=plan.reason)
        case "paused" if not plan.reason.startswith(PAUSED_BY):
            return Stop(how="waits", key=key, reason=plan.reason)
        case "running" if open_proposals(plan) and not startable(plan, ()):
            return Stop(
                how="waits", key=f"{key}/{len(open_proposals(plan))}", reason="Decide on a proposal to continue."
            )
    return None
