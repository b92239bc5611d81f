"""Waiting with a bound for what nothing reports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

BOUND_SECONDS = 30.0
LOOK_SECONDS = 0.01
# Between two queries of a database or a server: each uses the processor that the tests beside this one need.
QUERY_SECONDS = 0.03


async def holds(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(BOUND_SECONDS):
        while not condition():
            await asyncio.sleep(LOOK_SECONDS)
