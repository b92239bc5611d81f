"""Completes futures for which several events may come, and work that must not be left half done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def settle(future: asyncio.Future[Any], value: Any) -> None:
    """Set the result of a future that has none yet."""
    if not future.done():
        future.set_result(value)


def fail(future: asyncio.Future[Any], error: Exception) -> None:
    """Let a future that has no result yet raise an error for whoever waits for it, if anybody does."""
    if not future.done():
        future.set_exception(error)
        future.exception()  # nobody need be waiting: no complaint then


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work that must not be left half done: if this is cancelled, only after the work has ended."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody waits for it any more: no complaint then
        raise
