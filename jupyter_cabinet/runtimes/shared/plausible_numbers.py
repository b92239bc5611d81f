"""Numbers as CLIs report them: whatever is not a plausible count or sum is not believed. Pure; used by the parsers.

What is kept here goes into records, which must be readable again: `true` is no number of tokens, 10**30 neither.
"""

from __future__ import annotations

from typing import Any

MOST = 2**53  # what a browser can still count
MOST_USD = 1e6
LONGEST_MILLISECONDS = 1e10


def count(value: Any) -> int:
    """A number of tokens, or of attempts; 0 for whatever is none."""
    return value if _is_number(value, int) and 0 < value < MOST else 0


def dollars(value: Any) -> float | None:
    """A sum of money; None for whatever is none."""
    return float(value) if _is_number(value, int | float) and 0 <= value < MOST_USD else None


def milliseconds(value: Any) -> float | None:
    """A span of time, in seconds."""
    return value / 1000 if _is_number(value, int | float) and 0 <= value < LONGEST_MILLISECONDS else None


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
