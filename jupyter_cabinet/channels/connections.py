"""The connections of this server: opened and closed so that they fit the configuration.

Of several servers on a folder, one is connected. Another one takes over within `LOOK_AGAIN_SECONDS` after it has ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ..core.errors import CabinetError
from ..foundation import Foundation
from .connection import ChannelConnection, Receive
from .model import Channel, ConnectionStatus
from .platforms import PLATFORMS, Build
from .setup.book import ChannelBook

log = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 30.0  # for the lock that another server holds, and for changes that it has made


class Connections:
    """Keeps `ChannelBook.connections` up to date."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        book: ChannelBook,
        receive: Receive,
        build: Build,
        answer_left: Callable[[], Awaitable[None]],
    ) -> None:
        """`answer_left`: called once, before anything is received. It answers what an earlier server has left."""
        self._foundation = foundation
        self._book = book
        self._receive = receive
        self._build = build
        self._answer_left: Callable[[], Awaitable[None]] | None = answer_left
        self._changing = asyncio.Lock()
        self._has_lock = False
        self._changed = asyncio.Event()  # somebody has changed a channel
        self._follower: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Connect in the background, as soon as no other server holds the lock. Call it once."""
        self._follower = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Disconnect, and let another server connect."""
        if self._follower is not None:
            self._follower.cancel()
            await asyncio.gather(self._follower, return_exceptions=True)
        async with self._changing:
            await asyncio.gather(*(each.close() for each in self._book.connections.values()))
            self._book.connections.clear()
            self._book.file.release_connections()

    async def fit(self) -> None:
        """Open and close connections to fit the configuration. Call this after changing it.

        Does nothing if another server holds the lock for connections. Waits until old connections are closed, but not
        until new ones are established.
        """
        self._changed.set()
        await self._fit()

    async def _fit(self) -> None:
        async with self._changing:
            wanted = {each.id: each for each in self._book.configuration.channels if each.enabled}
            if wanted and not self._has_lock:
                self._has_lock = await asyncio.to_thread(self._book.file.take_connections)
            if not self._has_lock:
                return
            for channel_id, connection in list(self._book.connections.items()):
                if wanted.get(channel_id) != connection.channel:
                    await connection.close()
                    del self._book.connections[channel_id]
            for channel_id in wanted.keys() - self._book.connections.keys():
                await self._open(wanted[channel_id])

    async def reopen(self, channel_id: str) -> None:
        """Close a channel's connection and begin to open it again, because a person has saved the channel.

        If it is disabled, or if this server may not connect, it stays closed. It does not wait until the new one is
        established.
        """
        async with self._changing:
            if (connection := self._book.connections.pop(channel_id, None)) is not None:
                await connection.close()
        await self.fit()

    def status(self, channel: Channel) -> ConnectionStatus:
        """Return the state of a channel's connection.

        `elsewhere`: another server holds the lock for all connections.
        """
        connection = self._book.connections.get(channel.id)
        if connection is not None:
            return connection.state
        if not channel.enabled:
            return ConnectionStatus(state="off")
        return ConnectionStatus(state="connecting" if self._has_lock else "elsewhere")

    async def _follow(self) -> None:
        while True:
            self._changed.clear()
            try:
                await self._book.refresh()
                await self._answer()
                await self._fit()
            except CabinetError as error:
                log.error("Channels do not work: %s", error.message)
            except Exception:
                log.exception("Channels do not work")
            if any(each.enabled for each in self._book.configuration.channels):
                await self._foundation.clock.sleep(LOOK_AGAIN_SECONDS)
            else:  # a server without channels never wakes up for them
                await self._changed.wait()

    async def _answer(self) -> None:
        if self._answer_left is not None:
            answer_left, self._answer_left = self._answer_left, None
            await answer_left()

    async def _open(self, channel: Channel) -> None:
        names = [secret.name for secret in PLATFORMS[channel.platform].secrets]
        secrets = await asyncio.to_thread(self._book.file.secrets, channel.id, names)
        connection = ChannelConnection(self._foundation, channel, secrets, build=self._build, receive=self._receive)
        self._book.connections[channel.id] = connection
        connection.open()
