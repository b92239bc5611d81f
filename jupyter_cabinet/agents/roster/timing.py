"""Checks whether the schedule, the active hours and the runtime of a valid persona can be used here. Reads no files.

Called by `roster.py`, and by `jupyter cabinet doctor`, which runs without a server.
"""

from __future__ import annotations

import msgspec

from ...core.errors import CabinetError, Invalid
from ...runtimes.registry import Runtimes
from ...schedules.hours import ActiveHours
from ...schedules.rules import Schedule
from ...schedules.schedule_parser import parse_active_hours, parse_heartbeat
from ..files.persona import Persona
from ..files.persona_fields import FieldError


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """When an agent's heartbeats start.

    `schedule` and `hours` are None if they are wrong, which `errors` explains; `hours` is also None if the persona has
    none.
    """

    schedule: Schedule | None = None
    hours: ActiveHours | None = None
    errors: tuple[FieldError, ...] = ()


def read_timing(persona: Persona, *, default_zone: str) -> Timing:
    """Parse a persona's schedule and active hours. Never raises: wrong ones are explained in `errors`.

    `default_zone`: IANA name for a persona without a time zone.
    """
    zone, errors = persona.timezone or "", []
    schedule = hours = None
    try:
        schedule = parse_heartbeat(persona.heartbeat, zone=zone, default_zone=default_zone)
    except Invalid as error:
        errors.append(_field_error(persona.slug, "heartbeat", error))
    try:
        if persona.active_hours:
            hours = parse_active_hours(persona.active_hours, zone=zone, default_zone=default_zone)
    except Invalid as error:
        errors.append(_field_error(persona.slug, "active_hours", error))
    return Timing(schedule=schedule, hours=hours, errors=tuple(errors))


def runtime_errors(persona: Persona, runtimes: Runtimes) -> list[FieldError]:
    """Return why the persona's runtime cannot be used; empty if it can."""
    try:
        if persona.runtime is not None:
            runtimes.get(persona.runtime)
    except CabinetError as error:
        return [_field_error(persona.slug, "runtime", error)]
    return []


def _field_error(slug: str, field: str, error: CabinetError) -> FieldError:
    return FieldError(field=field, message=f".agents/{slug}/persona.md: {field}: {error.message}")
