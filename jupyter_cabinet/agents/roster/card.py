"""The view of an agent in a list. Pure."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ...runs.model import Run
from ...runs.rules.budgets import Spent
from ...schedules.words import in_words
from ..model import AgentView, GoalView, LastRun
from ..run_kinds.failure_streak import QUIET_HEARTBEATS, status
from .roster import RosterEntry


class UsedBy(msgspec.Struct, frozen=True):
    """An agent's activity, usage, limits and goals. None: unknown."""

    run: Run | None = None
    spent: Spent | None = None
    cost_limit_usd: float | None = None  # the limit for one day
    goals: tuple[GoalView, ...] = ()
    last_run: LastRun | None = None


def view_of(entry: RosterEntry, used: UsedBy, next_heartbeat: datetime | None) -> AgentView:
    """Return the view of an agent. `next_heartbeat`: when its schedule fires next; None: nothing is scheduled."""
    persona, record = entry.files.persona, entry.record
    shown = status(
        record,
        in_service=persona is not None and not entry.errors,
        confirmed=entry.confirmed,
        active=bool(persona and persona.active),
        run_state=used.run.state if used.run else None,
    )
    reasons = {"out_of_service": entry.obstacle, "unconfirmed": entry.unconfirmed, "paused": record.paused_because}
    view = AgentView(
        slug=entry.slug,
        name=entry.files.name,
        status=shown,
        reason=reasons.get(shown, ""),
        next_heartbeat=next_heartbeat,
        run_id=used.run.id if used.run else None,
        last_run=used.last_run,
        owner=record.owner,
        owner_name=record.owner_name or record.owner,
        visibility=record.visibility,
    )
    if persona is None:
        return view
    return msgspec.structs.replace(
        view,
        role=persona.role,
        emoji=persona.emoji,
        department=persona.department,
        type=persona.type,
        tags=persona.tags,
        runtime=persona.runtime,
        schedule=in_words(entry.schedule) if entry.schedule else "",
        heartbeats_used=used.spent.heartbeats if used.spent else 0,
        budget=persona.budget,
        cost_today_usd=used.spent.cost_usd if used.spent else 0.0,
        daily_cost_usd=used.cost_limit_usd,
        goals=used.goals,
        mostly_quiet=persona.heartbeat_mode == "always" and record.quiet >= QUIET_HEARTBEATS,
    )
