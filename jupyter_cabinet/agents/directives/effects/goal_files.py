"""Changes an agent's `goals.json`. Called under the agent's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ...goals.progress import BadGoals, Goals, RefusedUpdate, read, updated, with_floor_alerts, written
from ..answer_block import GoalUpdate
from .agent_data import AgentData, goals_file, malformed
from .model import DirectiveRefused, KnownAgent


def update_goal(
    places: AgentData, agent: str, update: GoalUpdate, *, known: KnownAgent, key: str, at: datetime
) -> None:
    """Apply a change of a goal once for each key.

    Raises `DirectiveRefused` if there is no such goal or it cannot have this value, `Malformed`, `OutsideRoot`,
    `NoRoom`, `Unavailable`.
    """
    try:
        _change(places, agent, known, at, lambda goals: updated(goals, update, key=key))
    except RefusedUpdate as refusal:
        raise DirectiveRefused(str(refusal)) from None


def read_goals(places: AgentData, agent: str, *, known: KnownAgent, now: datetime) -> Goals:
    """Return the goals in their current periods; periods that have ended are in the history. Raises `Malformed`.

    The caller needs no lock.
    """
    try:
        return read(places.read_goals(agent), known.goals, now=now, zone=known.zone)
    except BadGoals as error:
        raise malformed(goals_file(agent), str(error).rstrip(".")) from None


def alert_floors(places: AgentData, agent: str, *, known: KnownAgent, now: datetime) -> Sequence[str]:
    """Mark and return the metrics that are below their floor near the end of their period, each once in a period.

    Raises `Malformed`, `OutsideRoot`, `NoRoom`, `Unavailable`.
    """
    metrics: list[str] = []

    def mark(goals: Goals) -> Goals:
        marked, found = with_floor_alerts(goals, now=now, zone=known.zone)
        metrics.extend(found)
        return marked

    _change(places, agent, known, now, mark)
    return metrics


def _change(places: AgentData, agent: str, known: KnownAgent, now: datetime, change: Callable[[Goals], Goals]) -> None:
    before = read_goals(places, agent, known=known, now=now)
    after = change(before)
    if after is not before:
        places.write_object(goals_file(agent), written(after))
