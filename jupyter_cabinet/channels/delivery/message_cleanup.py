"""Deletes the messages of channels that are older than their owner wants them to be kept."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from functools import partial

from ...core.errors import CabinetError
from ...foundation import Foundation
from .. import store
from ..model import MAX_KEEP_DAYS, ChannelChanged
from ..records import scope_of
from ..setup.book import ChannelBook

log = logging.getLogger(__name__)

EVERY_SECONDS = 3600.0


class MessageCleanup:
    """Deletes old messages once an hour, except messages that are still to be sent or answered."""

    def __init__(self, foundation: Foundation, *, book: ChannelBook) -> None:
        self._book = book
        self._commits = foundation.commits
        self._bus = foundation.bus
        self._clock = foundation.clock
        self._changed = asyncio.Event()  # somebody has added or changed a channel
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the hourly cleanup, in the background."""
        self._task = asyncio.create_task(self._keep())

    def fit(self) -> None:
        """Clean up soon, and from now on as the channels say. Call this after adding or changing a channel."""
        self._changed.set()

    async def close(self) -> None:
        """Stop it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def delete_old(self) -> None:
        """Delete the messages that are too old now. Raises `Malformed` and `Unavailable`."""
        await self._book.refresh()
        for channel in self._book.configuration.channels:
            if 0 < channel.keep_days <= MAX_KEEP_DAYS:  # people may have edited the file
                before = self._clock.now() - timedelta(days=channel.keep_days)
                delete = partial(store.delete_older, channel_id=channel.id, before=before)
                if await self._commits.commit(delete):
                    self._bus.publish(ChannelChanged(channel_id=channel.id), scope_of(channel))

    async def _keep(self) -> None:
        while True:
            self._changed.clear()
            try:
                await self.delete_old()
            except CabinetError as error:
                log.warning("Old messages of channels could not be deleted. Trying again in an hour: %s", error.message)
            except Exception:
                log.exception("Old messages of channels could not be deleted. Trying again in an hour")
            if any(each.keep_days for each in self._book.configuration.channels):
                await self._clock.sleep(EVERY_SECONDS)
            else:  # a server without such channels never wakes up for them
                await self._changed.wait()
