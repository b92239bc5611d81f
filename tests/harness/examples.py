"""How many examples and cases each tier tries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

QUICK, LONG = 25, 500  # if a test sets no number
LONG_FACTOR = 10
REST = pytest.mark.long(reason="the first cases of its table are tried in the quick tier")


def examples(quick: int) -> int:
    """Return `quick` in the quick tier, and ten times as many in the long tier."""
    return quick if settings.default is None or settings.default.max_examples == QUICK else LONG_FACTOR * quick


def cases(*values: Any, quick: int = 1) -> list[Any]:
    """Return the argument values of `parametrize`: only the first `quick` of them belong to the quick tier.

    A tuple stands for several arguments, so the value of a single argument cannot be a tuple.
    """
    rest = [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=REST) for value in values[quick:]]
    return [*values[:quick], *rest]
