"""When a person is notified in their chat: now, later, or not at all. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ...schedules.hours import ActiveHours, window_at
from ..model import Least, NotifyFields, Severity

SEVERITIES: tuple[Severity, ...] = ("info", "warn", "error", "critical")
LONGEST_DIGEST = 24 * 60  # minutes
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)
_A_MINUTE = timedelta(minutes=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def reaches(severity: Severity, least: Least) -> bool:
    """Return whether something is severe enough for a person."""
    return least != "off" and SEVERITIES.index(severity) >= SEVERITIES.index(least)


def send_at(severity: Severity, wanted: NotifyFields, now: datetime) -> datetime | None:
    """Return when a person is notified: `now`, a later time, or None for never.

    What is critical passes the quiet hours. Information waits until the next full interval of the digest, counted since
    1970, so that all of an interval arrives together. If that time is within the quiet hours, it waits until their end.
    """
    if not reaches(severity, wanted.notify):
        return None
    due = now
    if severity == "info" and wanted.digest_minutes > 0:
        interval = wanted.digest_minutes * _A_MINUTE
        due = (_EPOCH + ((now - _EPOCH) // interval + 1) * interval).astimezone(now.tzinfo)
    if severity == "critical":
        return due
    return end_of_quiet(wanted, due) or due


def end_of_quiet(wanted: NotifyFields, instant: datetime) -> datetime | None:
    """Return when the quiet hours end that contain this time; None if it is in none."""
    if not wanted.quiet_from or not wanted.quiet_until:
        return None
    hours = ActiveHours(start=wanted.quiet_from, end=wanted.quiet_until, zone=wanted.zone or "UTC")
    window = window_at(hours, instant)
    return window.closes.astimezone(instant.tzinfo) if window else None


def is_time(text: str) -> bool:
    """Return whether a text is a time of day such as "09:30"."""
    return _TIME.fullmatch(text) is not None
