"""Values as CLIs report them in JSON: whatever is not the kind that is looked for is not believed. Pure.

Under every parser. What is kept goes into records, which must be readable again: `true` is no number of tokens, 10**30
neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..model import Usage

MOST = 2**53  # what a browser can still count
MOST_USD = 1e6
LONGEST_MILLISECONDS = 1e10


def string(values: dict[str, Any], name: str) -> str:
    """The text under a name; empty where there is none, or something else."""
    value = values.get(name)
    return value if isinstance(value, str) else ""


def inner(values: Any, name: str) -> dict[str, Any]:
    """The object under a name; empty where there is none, or where `values` is no object itself."""
    value = values.get(name) if isinstance(values, dict) else None
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int:
    """A number of tokens, or of attempts; 0 for whatever is none."""
    return value if _is_number(value, int) and 0 < value < MOST else 0


def dollars(value: Any) -> float | None:
    """A sum of money; None for whatever is none."""
    return float(value) if _is_number(value, int | float) and 0 <= value < MOST_USD else None


def milliseconds(value: Any) -> float | None:
    """A span of time, in seconds."""
    return value / 1000 if _is_number(value, int | float) and 0 <= value < LONGEST_MILLISECONDS else None


def summed(usages: Iterable[Usage]) -> Usage | None:
    """The tokens of several answers of a model; None where there are none."""
    found = list(usages)
    if not found:
        return None
    return Usage(**{name: sum(getattr(each, name) for each in found) for name in Usage.__struct_fields__})


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
