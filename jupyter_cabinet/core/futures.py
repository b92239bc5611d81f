"""Completes futures for which several events may come."""

from __future__ import annotations

import asyncio
from typing import Any


def settle(future: asyncio.Future[Any], value: Any) -> None:
    """Set the result of a future that has none yet."""
    if not future.done():
        future.set_result(value)


def fail(future: asyncio.Future[Any], error: Exception) -> None:
    """Let a future that has no result yet raise an error for whoever waits for it, if anybody does."""
    if not future.done():
        future.set_exception(error)
        future.exception()  # nobody need be waiting: no complaint then
