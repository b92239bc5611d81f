"""A play: the validated front matter of its file, and its text. Pure. Called by `play_files.py`.

As for a persona, every field is checked, and all errors are reported at once. An invalid trigger or schedule does not
disable the play: it is left out and reported. Forms that other installations write are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ..agents.files.persona_fields import FieldError, Fields
from ..core.errors import CabinetError, Invalid
from ..core.paths import check
from ..schedules.hours import ActiveHours
from ..schedules.rules import Schedule
from ..schedules.schedule_parser import parse_active_hours, parse_heartbeat, parse_schedule
from . import triggers
from .triggers import AnyTrigger

DEFAULT_SECONDS = 300.0
MOST_SECONDS = 86_400
MAX_INPUTS = 50
NOT_GIVEN = "(not given)"

_INPUT = re.compile(r"\{\{[ \t]*([A-Za-z][A-Za-z0-9_-]{0,63})[ \t]*\}\}")
_KNOWN = (
    "name",
    "title",
    "category",
    "schedule",
    "triggers",
    "tools",
    "timeout_seconds",
    "agent",
    "post_to",
    "active_hours",
)
ALIASES = {"timeout": "timeout_seconds"}
_SCHEDULE_FIELDS = ("cron", "every", "at", "days", "timezone", "active_hours", "activeHours")
_TRIGGER_FIELDS = ("type", "play", "status", "metric", "agent", "path", *_SCHEDULE_FIELDS[:-1])
_FIELDS_OF = {
    "schedule": _SCHEDULE_FIELDS,
    "on_complete": ("play", "status"),
    "goal_behind": ("metric", "agent"),
    "file_changed": ("path",),
    "agent_message": ("agent",),
    "agent_started": ("agent",),
    "agent_stopped": ("agent",),
}
# The field that the short form `{file_changed: reports/}` sets.
_MAIN_FIELD = {
    "schedule": "cron",
    "on_complete": "play",
    "goal_behind": "metric",
    "file_changed": "path",
    "agent_message": "agent",
    "agent_started": "agent",
    "agent_stopped": "agent",
}


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """A valid play. `tools`: None for the tools of its agent. `body`: the instruction, with `{{inputs}}`."""

    slug: str
    name: str
    title: str = ""
    category: str = ""
    agent: str | None = None  # slug; None: the first active agent that lists the play
    tools: tuple[str, ...] | None = None
    timeout_seconds: float = DEFAULT_SECONDS
    post_to: str = ""  # name of the chats to which its answer goes
    schedule: Schedule | None = None
    hours: ActiveHours | None = None
    triggers: tuple[AnyTrigger, ...] = ()
    body: str = ""
    unknown: dict[str, Any] = {}  # fields without a meaning here; saving keeps them

    @property
    def shown(self) -> str:
        """Return the title of the play, else its name."""
        return self.title or self.name

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names that the text uses as `{{name}}`, each once, in order."""
        return tuple(dict.fromkeys(_INPUT.findall(self.body)))


class ValidatedPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The result of validating front matter: a play, or errors.

    `left_out`: errors of triggers and of the schedule, which were left out of the play. `notes`: sentences about
    problems that do not disable it.
    """

    play: Play | None
    errors: tuple[FieldError, ...] = ()
    left_out: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()


def validate(fields: Mapping[str, Any], body: str, *, slug: str, file: str, zone: str) -> ValidatedPlay:
    """Check the front matter that `front_matter.read` returned, and return the play or all errors. Never raises.

    `file`: its name in messages; `zone`: the default time zone. An empty `body` is an error too. An invalid schedule or
    trigger is left out of the play instead.
    """
    given = Fields(_with_plain_triggers(fields), known=_KNOWN, aliases=ALIASES, file=file)
    parts = Fields({}, known=(), aliases={}, file=file)  # collects the errors of triggers and of the schedule
    found = _triggers(given, parts)
    values: dict[str, Any] = {
        "name": given.text("name", slug, longest=200, least=1),
        "title": given.text("title", "", longest=200),
        "category": given.text("category", "", longest=100),
        "agent": given.slug("agent", {}),
        "post_to": given.slug("post_to", {}) or "",
        "tools": given.texts("tools") if given.has("tools") else None,
        "timeout_seconds": given.optional_number("timeout_seconds", least=1, most=MOST_SECONDS) or DEFAULT_SECONDS,
        **_schedule(given, parts, zone),
    }
    if not body.strip():
        given.refuse("body", "an instruction was expected below the fields")
    if triggers.Scheduled() in found and values["schedule"] is None:
        found = tuple(each for each in found if each != triggers.Scheduled())
        if not parts.errors:
            parts.refuse("triggers", "the trigger schedule needs the field schedule")
    left_out = tuple(parts.errors)
    notes = (
        *(f"{file}: {name} is not a field of a play here. It is kept." for name in given.unknown),
        *(f"{error.message} It is left out, and the rest of the play works." for error in left_out),
    )
    if given.errors:
        return ValidatedPlay(play=None, errors=(*given.errors, *left_out), notes=notes[: len(given.unknown)])
    play = Play(slug=slug, body=body, unknown=given.unknown, triggers=found, **values)
    return ValidatedPlay(play=play, left_out=left_out, notes=notes)


def filled_in(play: Play, inputs: Mapping[str, str]) -> str:
    """Return the text with its inputs filled in. Placeholders inside an input's value are not replaced.

    An input that is missing or blank becomes "(not given)". Inputs that the play does not have are ignored.
    """
    return _INPUT.sub(lambda found: inputs.get(found[1], "").strip() or NOT_GIVEN, play.body)


def check_inputs(play: Play, inputs: Mapping[str, str]) -> None:
    """Raise `Invalid` for an input that the play does not have. Inputs may be missing."""
    unknown = sorted(set(inputs) - set(play.inputs))
    if unknown:
        offered = f"It has: {', '.join(play.inputs)}." if play.inputs else "It has none."
        raise Invalid(f"This play has no input {unknown[0][:100]}. {offered}", field="inputs")


# --- the fields ------------------------------------------------------------------------------


def _with_plain_triggers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Expand the short forms `manual` and `{on_complete: {play: x}}` to `{type: …}`."""
    found = fields.get("triggers")
    return {**fields, "triggers": [plain_trigger(each) for each in found]} if isinstance(found, list) else dict(fields)


def plain_trigger(trigger: Any) -> Any:
    """Return a trigger as written, with a short form expanded.

    It is not checked: what is no trigger is returned unchanged.
    """
    if isinstance(trigger, str):
        return {"type": trigger}
    if isinstance(trigger, dict) and len(trigger) == 1 and "type" not in trigger:
        ((kind, inner),) = trigger.items()
        if isinstance(inner, dict):
            return {"type": kind, **inner}
        return {"type": kind} if inner is None else {"type": kind, _MAIN_FIELD.get(kind, "value"): inner}
    return trigger


def _triggers(given: Fields, parts: Fields) -> tuple[AnyTrigger, ...]:
    """Return the valid triggers, each once. Errors of the others, and of the list itself, are added to `parts`."""
    if given.has("triggers") and not isinstance(given.raw("triggers"), list):
        parts.refuse("triggers", "a list was expected, such as [manual, {on_complete: {play: collect}}]")
        return ()
    found: list[AnyTrigger] = []
    for group in given.mappings("triggers", _TRIGGER_FIELDS):
        trigger = _trigger(group)
        parts.errors.extend(group.errors)
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
    status = group.choice("status", "succeeded", ("succeeded", "failed"), {"completed": "succeeded"})
    return triggers.OnComplete(play=group.slug("play", {}), status=status)


def _goal_behind(group: Fields) -> AnyTrigger:
    return triggers.GoalBehind(
        metric=group.optional_text("metric", longest=100, least=1), agent=group.slug("agent", {})
    )


def _file_changed(group: Fields) -> AnyTrigger:
    path = group.required_text("path", longest=500)
    if group.errors:
        return triggers.FileChanged(path="")
    try:
        folder = "/" if path.endswith("/") else ""
        return triggers.FileChanged(path="/".join(check(path)) + folder)
    except CabinetError:
        group.refuse("path", "a path below the server's root folder was expected, such as docs/**/*.md or reports/")
        return triggers.FileChanged(path="")


_MAKERS: dict[str, Any] = {
    "manual": lambda group: triggers.Manual(),
    "schedule": lambda group: triggers.Scheduled(),
    "webhook": lambda group: triggers.Webhook(),
    "agent_message": lambda group: triggers.AgentMessage(agent=group.slug("agent", {})),
    "startup": lambda group: triggers.Startup(),
    "agent_started": lambda group: triggers.AgentStarted(agent=group.slug("agent", {})),
    "agent_stopped": lambda group: triggers.AgentStopped(agent=group.slug("agent", {})),
    "on_complete": _on_complete,
    "goal_behind": _goal_behind,
    "file_changed": _file_changed,
}


def _schedule(given: Fields, parts: Fields, zone: str) -> dict[str, Any]:
    """Return the schedule and its active hours.

    Other installations write them into a trigger, so that is accepted too.
    """
    found: dict[str, Any] = {"schedule": None, "hours": None}
    name, fields = _schedule_fields(given, parts)
    if fields is None:
        return found
    if not isinstance(fields, dict | str):
        parts.refuse(name, "a group of fields was expected, such as {type: daily, at: 08:30}")
        return found
    try:
        if isinstance(fields, str):
            return {"schedule": parse_heartbeat(fields, default_zone=zone), "hours": _hours(given, {}, zone)}
        return {"schedule": parse_schedule(fields, default_zone=zone), "hours": _hours(given, fields, zone)}
    except Invalid as error:
        parts.refuse(name, error.message.rstrip("."))
        return found


def _schedule_fields(given: Fields, parts: Fields) -> tuple[str, Any]:
    """Return the name and the value of the field that defines the schedule.

    If there are several, the first one counts.
    """
    raw = given.raw("triggers")
    timed = [
        (f"triggers[{number}]", {name: value for name, value in each.items() if name != "type"})
        for number, each in enumerate(raw if isinstance(raw, list) else [], 1)
        if isinstance(each, dict) and each.get("type") == "schedule" and len(each) > 1
    ]
    own = [("schedule", given.raw("schedule"))] if given.has("schedule") else []
    first, *others = [*own, *timed] or [("schedule", None)]
    for name, fields in others:
        if fields != first[1]:
            parts.refuse(name, f"a play has one schedule, which {first[0]} gives")
    return first


def _hours(given: Fields, fields: dict[str, Any], zone: str) -> ActiveHours | None:
    hours = fields.get("active_hours", fields.get("activeHours", given.raw("active_hours")))
    if hours is None:
        return None
    if not isinstance(hours, str):
        raise Invalid("“active_hours” is a text such as mon-fri 09:00-17:00.")
    own = fields.get("timezone")
    return parse_active_hours(hours, zone=own if isinstance(own, str) else "", default_zone=zone)
