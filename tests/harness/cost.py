"""What a computation costs, measured against another one of the same moment.

A bound in seconds says more about the machine, and about what else it does, than about the code.
"""

from __future__ import annotations

import time
from collections.abc import Callable

ROUNDS = 3


def cost(work: Callable[[], object]) -> float:
    """Return the processor time of `work` as a multiple of that of a fixed computation, about a millisecond.

    The smallest of three figures: what disturbs a computation only makes it longer.
    """
    return min(_seconds(work) / min(_seconds(_peer), _seconds(_peer)) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _peer() -> int:
    words = 0
    for number in range(4_000):
        words += len(f"{number} and {words}".split())
    return words
