"""Reads values from a CLI's JSON and ignores values of an unexpected type. Pure.

Used by every parser. Results go into records, which must be readable again: `true` is not a number of tokens, nor is
10**30.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...model import Usage

MOST = 2**53  # the largest number that a browser can count to
MOST_USD = 1e6
LONGEST_MILLISECONDS = 1e10


def string(values: dict[str, Any], name: str) -> str:
    """Return the text under a name; empty if it is missing or has another type."""
    value = values.get(name)
    return value if isinstance(value, str) else ""


def inner(values: Any, name: str) -> dict[str, Any]:
    """Return the object under a name; empty if it is missing or `values` is not an object."""
    value = values.get(name) if isinstance(values, dict) else None
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int:
    """Return a number of tokens or attempts; 0 for anything else, also for negative or huge numbers."""
    return value if _is_number(value, int) and 0 < value < MOST else 0


def dollars(value: Any) -> float | None:
    """Return an amount of money; None for anything else."""
    return float(value) if _is_number(value, int | float) and 0 <= value < MOST_USD else None


def milliseconds(value: Any) -> float | None:
    """Return a duration, given in milliseconds, in seconds; None for anything else."""
    return value / 1000 if _is_number(value, int | float) and 0 <= value < LONGEST_MILLISECONDS else None


def summed(usages: Iterable[Usage]) -> Usage | None:
    """Return the sum of the tokens of several answers of a model; None if there are none."""
    found = list(usages)
    if not found:
        return None
    return Usage(**{name: sum(getattr(each, name) for each in found) for name in Usage.__struct_fields__})


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
