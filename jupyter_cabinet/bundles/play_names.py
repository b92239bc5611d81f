"""Adapts a play to the names that agents and plays have on another server. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plays.play import Play, plain_trigger


def adapted(
    play: Play, fields: Mapping[str, Any], *, agent: str, before: str, plays: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of a play that differ for an agent that had the slug `before` and now has the slug `agent`.

    `play`, `fields`: the play as it was read, and its front matter. `plays`: the new slugs of plays by their old ones.
    The play always names this agent afterwards: otherwise an agent of somebody else that lists it could carry it out.
    """
    changes: dict[str, Any] = {}
    if play.agent != agent:
        changes["agent"] = agent
    names = {"agent": {before: agent}, "play": dict(plays)}
    raw = fields.get("triggers")
    if isinstance(raw, list):
        triggers = [_trigger(each, names) for each in raw]
        if triggers != raw:
            changes["triggers"] = triggers
    return changes


def _trigger(raw: Any, names: Mapping[str, Mapping[str, str]]) -> Any:
    """Return a trigger with other names; one without such a name as it was written."""
    trigger = plain_trigger(raw)
    if not isinstance(trigger, dict):
        return raw
    new = {
        name: names[name].get(value, value)
        for name, value in trigger.items()
        if name in names and isinstance(value, str)
    }
    changed = {**trigger, **new}
    return raw if changed == trigger else changed
