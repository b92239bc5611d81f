"""A play: the validated front matter of its file, and its text. Pure.

Every field is checked, and all that is wrong is told at once, as for a persona. Called by `playbook.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ...core.errors import CabinetError, Invalid
from ...core.paths import check
from ...schedules.hours import ActiveHours
from ...schedules.reading import parse_active_hours, parse_schedule
from ...schedules.rules import Schedule
from ..persona_fields import FieldError, Fields
from . import triggers
from .triggers import AnyTrigger

DEFAULT_SECONDS = 300.0
MOST_SECONDS = 86_400
MAX_INPUTS = 50
NOT_GIVEN = "(not given)"

_INPUT = re.compile(r"\{\{[ \t]*([A-Za-z][A-Za-z0-9_-]{0,63})[ \t]*\}\}")
_KNOWN = ("name", "title", "category", "schedule", "triggers", "tools", "timeout_seconds", "agent")
_TRIGGER_FIELDS = ("type", "play", "status", "metric", "agent", "path")
_FIELDS_OF = {
    "on_complete": ("play", "status"),
    "goal_behind": ("metric", "agent"),
    "file_changed": ("path",),
    "agent_message": ("agent",),
}


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """A valid play. `tools` None: those of its agent. `body`: the instruction, with `{{inputs}}`."""

    slug: str
    name: str
    title: str = ""
    category: str = ""
    agent: str | None = None  # slug; None: the first active agent that lists the play
    tools: tuple[str, ...] | None = None
    timeout_seconds: float = DEFAULT_SECONDS
    schedule: Schedule | None = None
    hours: ActiveHours | None = None
    triggers: tuple[AnyTrigger, ...] = ()
    body: str = ""
    unknown: dict[str, Any] = {}  # fields that mean nothing here; they survive a save

    @property
    def shown(self) -> str:
        """What people call it."""
        return self.title or self.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names that stand in its text as `{{name}}`, each once, in their order."""
        return tuple(dict.fromkeys(_INPUT.findall(self.body)))


class ValidatedPlay(msgspec.Struct, frozen=True, kw_only=True):
    """What came of some front matter: a play, or errors. `notes` are sentences that hinder nothing."""

    play: Play | None
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()


def validate(fields: Mapping[str, Any], body: str, *, slug: str, file: str, zone: str) -> ValidatedPlay:
    """Check front matter as `front_matter.read` gives it. `file`: its name in errors; `zone`: where it names none."""
    given = Fields(_with_plain_triggers(fields), known=_KNOWN, aliases={}, file=file)
    values: dict[str, Any] = {
        "name": given.text("name", slug, longest=200, least=1),
        "title": given.text("title", "", longest=200),
        "category": given.text("category", "", longest=100),
        "agent": given.slug("agent", {}),
        "tools": given.texts("tools") if given.has("tools") else None,
        "timeout_seconds": given.optional_number("timeout_seconds", least=1, most=MOST_SECONDS) or DEFAULT_SECONDS,
        "triggers": _triggers(given),
        **_schedule(given, zone),
    }
    if not body.strip():
        given.refuse("body", "an instruction was expected below the fields")
    if triggers.Scheduled() in values["triggers"] and values["schedule"] is None and not given.errors:
        given.refuse("triggers", "the trigger schedule needs the field schedule")
    notes = tuple(f"{file}: {name} is not a field of a play here. It is kept." for name in given.unknown)
    if given.errors:
        return ValidatedPlay(play=None, errors=tuple(given.errors), notes=notes)
    return ValidatedPlay(play=Play(slug=slug, body=body, unknown=given.unknown, **values), notes=notes)


def filled_in(play: Play, inputs: Mapping[str, str]) -> str:
    """The text with its inputs. What an input's value looks like is not read again."""
    return _INPUT.sub(lambda found: inputs.get(found[1], "").strip() or NOT_GIVEN, play.body)


def check_inputs(play: Play, inputs: Mapping[str, str]) -> None:
    """Raise `Invalid` for an input that the play does not have."""
    unknown = sorted(set(inputs) - set(play.inputs))
    if unknown:
        offered = f"It has: {', '.join(play.inputs)}." if play.inputs else "It has none."
        raise Invalid(f"This play has no input {unknown[0][:100]}. {offered}", field="inputs")


# --- the fields ------------------------------------------------------------------------------


def _with_plain_triggers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`manual` and `{on_complete: {play: x}}` are short for `{type: …}`."""
    found = fields.get("triggers")
    return {**fields, "triggers": [_plain(each) for each in found]} if isinstance(found, list) else dict(fields)


def _plain(trigger: Any) -> Any:
    if isinstance(trigger, str):
        return {"type": trigger}
    if isinstance(trigger, dict) and len(trigger) == 1 and "type" not in trigger:
        ((kind, inner),) = trigger.items()
        if isinstance(inner, dict):
            return {"type": kind, **inner}
        return {"type": kind} if inner is None else {"type": kind, "value": inner}
    return trigger


def _triggers(given: Fields) -> tuple[AnyTrigger, ...]:
    found: list[AnyTrigger] = []
    for group in given.mappings("triggers", _TRIGGER_FIELDS):
        trigger = _trigger(group)
        given.errors.extend(group.errors)
        if trigger is not None and not group.errors and trigger not in found:
            found.append(trigger)
    return tuple(found)


def _trigger(group: Fields) -> AnyTrigger | None:
    kind = group.choice("type", None, triggers.TYPES)
    if kind is None:
        if not group.errors:
            group.refuse("type", f"one of {', '.join(triggers.TYPES)} was expected")
        return None
    for name in (*group.unknown, *(each for each in _TRIGGER_FIELDS[1:] if group.has(each))):
        if name not in _FIELDS_OF.get(kind, ()):
            group.refuse(name, f"the trigger {kind} has no such field")
    made: AnyTrigger = _MAKERS[kind](group)
    return made


def _on_complete(group: Fields) -> AnyTrigger:
    if not group.has("play"):
        group.refuse("play", "it must be there")
    status = group.choice("status", "succeeded", ("succeeded", "failed"))
    return triggers.OnComplete(play=group.slug("play", {}) or "", status=status)


def _goal_behind(group: Fields) -> AnyTrigger:
    return triggers.GoalBehind(metric=group.required_text("metric", longest=100), agent=group.slug("agent", {}))


def _file_changed(group: Fields) -> AnyTrigger:
    path = group.required_text("path", longest=500)
    try:
        return triggers.FileChanged(path="/".join(check(path)))
    except CabinetError:
        group.refuse("path", "a path below the server's folder was expected, such as docs/**/*.md")
        return triggers.FileChanged(path="")


_MAKERS: dict[str, Any] = {
    "manual": lambda group: triggers.Manual(),
    "schedule": lambda group: triggers.Scheduled(),
    "webhook": lambda group: triggers.Webhook(),
    "agent_message": lambda group: triggers.AgentMessage(agent=group.slug("agent", {})),
    "on_complete": _on_complete,
    "goal_behind": _goal_behind,
    "file_changed": _file_changed,
}


def _schedule(given: Fields, zone: str) -> dict[str, Any]:
    fields, found = given.raw("schedule"), {"schedule": None, "hours": None}
    if fields is None:
        return found
    if not isinstance(fields, dict):
        given.refuse("schedule", "a group of fields was expected, such as {type: daily, at: 08:30}")
        return found
    try:
        schedule = parse_schedule(fields, default_zone=zone)
        return {"schedule": schedule, "hours": _hours(fields, zone)}
    except Invalid as error:
        given.refuse("schedule", error.message.rstrip("."))
        return found


def _hours(fields: dict[str, Any], zone: str) -> ActiveHours | None:
    hours = fields.get("active_hours", fields.get("activeHours"))
    if hours is None:
        return None
    if not isinstance(hours, str):
        raise Invalid("“active_hours” is a text such as mon-fri 09:00-17:00.")
    own = fields.get("timezone")
    return parse_active_hours(hours, zone=own if isinstance(own, str) else "", default_zone=zone)
