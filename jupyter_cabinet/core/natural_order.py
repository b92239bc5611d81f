"""The order in which people expect names: numbers by value, and case ignored. Pure."""

from __future__ import annotations

import re

_NUMBER = re.compile("([0-9]+)")

NaturalKey = tuple[tuple[int, str], ...]


def natural_key(name: str) -> NaturalKey:
    """Return a key for sorting names as people expect: “agent 2” comes before “Agent 10”. Case is ignored.

    Names that differ only in case have equal keys.
    """
    return tuple(_part(part) for part in _NUMBER.split(name.casefold()))


def _part(part: str) -> tuple[int, str]:
    """Numbers are compared by their length first, so that digits of any length can be compared."""
    digits = part.lstrip("0") if part.isascii() and part.isdigit() else ""
    return len(digits), digits or part
