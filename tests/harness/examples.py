"""The number of examples that Hypothesis tries in each tier."""

from __future__ import annotations

from hypothesis import settings

QUICK, LONG = 25, 500  # if a test sets no number
LONG_FACTOR = 10


def examples(quick: int) -> int:
    """Return `quick` in the quick tier, and ten times as many in the long tier."""
    return quick if settings.default is None or settings.default.max_examples == QUICK else LONG_FACTOR * quick
