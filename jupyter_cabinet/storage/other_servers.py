"""Notices that another server on the same PostgreSQL database has committed events. It does not read them.

A notification only wakes, so a lost one delays events but loses none: `event_log.py` reads the table, and does so every
second in any case. A connection pooler may pass on no notifications at all, and nothing tells that from silence. SQLite
has no notifications; there is no `OtherServers` for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from sqlalchemy import URL, make_url

from ..core.clock import Clock
from . import dialects

log = logging.getLogger(__name__)

LOOK_EVERY_SECONDS = 1.0
CONNECT_AGAIN_SECONDS = 2.0

# Receives the greatest number of the events that were committed; None if there may be new ones.
Heard = Callable[[int | None], None]


def other_servers(url: str | URL, clock: Clock, heard: Heard) -> OtherServers | None:
    """Return what notices other servers on this database; None for SQLite. Raises `ArgumentError`."""
    parsed = make_url(url)
    return None if dialects.is_sqlite(parsed) else OtherServers(parsed, clock, heard)


class OtherServers:
    """A connection that listens, and a timer. Both call `heard`, also if there is nothing new."""

    def __init__(self, url: URL, clock: Clock, heard: Heard) -> None:
        self._url = url
        self._clock = clock
        self._heard = heard
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Listen, and call `heard` with None every second.

        With a driver other than `psycopg` there is only the timer.
        """
        self._tasks = [asyncio.create_task(self._look_every_second())]
        if self._url.get_driver_name() == "psycopg":
            self._tasks.append(asyncio.create_task(self._listen_on()))

    async def stop(self) -> None:
        """Stop the timer, and close the connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _look_every_second(self) -> None:
        while True:
            await self._clock.sleep(LOOK_EVERY_SECONDS)
            self._heard(None)

    async def _listen_on(self) -> None:
        while True:
            try:
                await self._listen()
            except Exception as error:  # refused, broken, or not there: the timer continues
                log.debug("The connection for notifications ended. Connecting again: %s", type(error).__name__)
            await self._clock.sleep(CONNECT_AGAIN_SECONDS)

    async def _listen(self) -> None:
        from psycopg import AsyncConnection

        _, arguments = self._url.get_dialect()().create_connect_args(self._url)
        options: dict[str, Any] = {**dialects.network_limits(self._url), **arguments}
        async with await AsyncConnection.connect(**options, autocommit=True) as connection:
            await connection.execute(f"LISTEN {dialects.CHANNEL}")
            self._heard(None)  # something may have been committed while nobody listened
            async for notification in connection.notifies():
                self._heard(_number(notification.payload))


def _number(payload: str) -> int | None:
    """Return the number; None for anything that another program has sent on this channel."""
    return int(payload) if payload.isascii() and payload.isdigit() and len(payload) < 20 else None
