"""Completes futures for which several events may come, and work that must not be left half done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def settle(future: asyncio.Future[Any], value: Any) -> None:
    """Set the result of a future. Without effect if the future already has a result or an error, or was cancelled."""
    if not future.done():
        future.set_result(value)


def fail(future: asyncio.Future[Any], error: Exception) -> None:
    """Let a future raise an error for whoever waits for it, if anybody does.

    Without effect if the future already has a result or an error, or was cancelled.
    """
    if not future.done():
        future.set_exception(error)
        future.exception()  # nobody need be waiting: no complaint then


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work that must not be left half done, or raise its error.

    If the caller is cancelled, the work continues, and `CancelledError` is raised only after the work has ended. An
    error of the work is lost then.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # nobody waits for it any more: no complaint then
        raise
