"""Durations as text for people. Pure."""

from __future__ import annotations


def spelled(seconds: float) -> str:
    """Return a duration in minutes from 60 seconds on, else in seconds: `90` is "1.5 min", `5` is "5 s".

    Hours are not used.
    """
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def short(seconds: float | None) -> str:
    """Return a duration rounded to seconds, as "12 s" or "3 min 5 s"; empty for None. Hours are not used."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
