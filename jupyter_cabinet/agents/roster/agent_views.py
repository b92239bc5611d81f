"""Agents as people see them: a row of the list, all details of one agent, and its goals.

It changes nothing. Called by `service.py`; `card.py` computes the fields of a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from ...core.errors import CabinetError
from ...core.natural_order import natural_key
from ...core.people import Principal
from ...schedules.scheduler import Scheduler
from ..directives.effects.doer import DirectiveDoer
from ..files import front_matter, persona, powers
from ..files.safe_files import PERSONA
from ..goals.views import goal_view
from ..model import AgentDetail, AgentView, GoalView
from ..prompts.briefing import as_known
from ..run_kinds.agent_runs import AgentRuns
from ..run_kinds.run_terms import budget_of
from .card import UsedBy, view_of
from .heartbeat_schedule import key_of
from .last_run import last_runs
from .roster import Roster, RosterEntry

SHOWN_HEARTBEATS = 5  # of those that are scheduled next


class AgentViews:
    """The views of all agents. The caller makes sure that the principal may see the entries that it passes."""

    def __init__(self, *, roster: Roster, runs: AgentRuns, doer: DirectiveDoer, scheduler: Scheduler) -> None:
        self._roster = roster
        self._runs = runs
        self._doer = doer
        self._scheduler = scheduler

    async def rows(self, entries: Sequence[RosterEntry], principal: Principal) -> list[AgentView]:
        """Return the rows of these agents, in the natural order of their names. Goals that cannot be read are left out.

        `principal`: decides whether `last_run` is shown.
        """
        used = await self._used_by(entries, principal)
        views = (view_of(entry, used[entry.slug], self.next_heartbeat(entry.slug)) for entry in entries)
        return sorted(views, key=lambda view: (natural_key(view.name), natural_key(view.slug)))

    async def detail(self, entry: RosterEntry, principal: Principal) -> AgentDetail:
        """Return an agent with its permissions and how they differ from the confirmed version."""
        (row,) = await self.rows([entry], principal)
        persona = entry.files.persona
        before = await self._roster.confirmed_powers(entry.slug)
        upcoming = self._scheduler.upcoming(key_of(entry.slug), SHOWN_HEARTBEATS)
        text = await asyncio.to_thread(self._persona_text, entry.slug)
        return AgentDetail(
            **msgspec.structs.asdict(row),
            etag=entry.files.etag,
            hash=entry.hash,
            confirmed=entry.confirmed,
            difference=() if entry.confirmed else tuple(powers.difference(before, entry.powers)),
            errors=entry.errors,
            notes=entry.files.notes,
            persona=text,
            fields=_fields_of(text),
            upcoming=tuple(upcoming),
            tools=persona.tools() if persona else (),
            own_tools=tuple(sorted(persona.own_tools())) if persona else (),
            unenforced=await self._runs.unenforced(persona) if persona and not entry.errors else (),
            plays=persona.plays if persona else (),
        )

    def next_heartbeat(self, slug: str) -> datetime | None:
        """Return when the agent's schedule fires next, in UTC.

        None if nothing is scheduled, or if the schedule is not stored yet.
        """
        return self._scheduler.next_due(key_of(slug))

    def goals(self, entry: RosterEntry) -> list[GoalView]:
        """Return the goals of an agent with their progress in the current period. Blocks.

        Raises `OutOfService` if the agent has errors, and `Malformed` if its `goals.json` cannot be read.
        """
        known, now = as_known(entry.persona, self._roster.settings), self._roster.clock.now()
        goals = self._doer.goals(entry.slug, now=now, known=known)
        specs = {goal.metric: goal for goal in entry.persona.goals}
        return [goal_view(goal, specs.get(metric), now=now, zone=known.zone) for metric, goal in goals.goals.items()]

    def _goals_or_none(self, entry: RosterEntry) -> tuple[GoalView, ...]:
        try:
            return tuple(self.goals(entry))
        except CabinetError:
            return ()  # `errors`, or the route of the goals, gives the reason

    async def _used_by(self, entries: Sequence[RosterEntry], principal: Principal) -> dict[str, UsedBy]:
        """Return the activity, budget and goals of these agents, by slug."""
        ended = last_runs(await self._runs.newest([entry.slug for entry in entries]), principal)
        personas = {entry.slug: entry.files.persona for entry in entries if entry.files.persona is not None}
        active = await self._runs.all_at_work()
        spent = await self._runs.spent_by_all(personas.values())
        goals = await asyncio.to_thread(lambda: {entry.slug: self._goals_or_none(entry) for entry in entries})
        budgets = {slug: budget_of(persona, self._roster.settings) for slug, persona in personas.items()}
        return {
            entry.slug: UsedBy(
                run=active.get(entry.slug),
                spent=spent.get(entry.slug),
                cost_limit_usd=budgets[entry.slug].cost_per_day_usd if entry.slug in budgets else None,
                goals=goals[entry.slug],
                last_run=ended.get(entry.slug),
            )
            for entry in entries
        }

    def _persona_text(self, slug: str) -> str:
        try:
            return self._roster.folders.read_file(slug, PERSONA).content.decode(errors="replace")
        except CabinetError:
            return ""


def _fields_of(text: str) -> dict[str, Any]:
    try:
        return persona.expanded(front_matter.read(text, file=PERSONA).fields)
    except CabinetError:
        return {}  # `errors` says what is wrong
