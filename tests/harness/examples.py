"""How many examples hypothesis tries: few in the quick tier, many in the long one, which tries every property too."""

from __future__ import annotations

from hypothesis import settings

QUICK, LONG = 25, 500  # where a test names no number
TIMES = 10


def examples(quick: int) -> int:
    """So many in the quick tier, ten times as many in the long one."""
    return quick if settings.default is None or settings.default.max_examples == QUICK else TIMES * quick
