"""The configuration of channels in memory, and the connections of this server. Other services look things up here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...core.people import CHANNEL, Principal
from ..connection import ChannelConnection
from ..model import Channel, ChannelMessage, Pairing
from .configuration import Configuration, ConfigurationFile


class ChannelBook:
    """Read by all services of the room; only `service.py` changes it."""

    def __init__(self, file: ConfigurationFile, *, shared_login: bool) -> None:
        """`shared_login`: whether everybody who is logged in here is the owner."""
        self.file = file
        self.shared_login = shared_login
        self.configuration = Configuration()
        self.connections: dict[str, ChannelConnection] = {}
        self._lock = asyncio.Lock()
        self._version: tuple[int, int] | None = None

    async def refresh(self) -> None:
        """Read the file again if another server on this folder has changed it. Raises `Malformed`."""
        if self.file.version() != self._version:
            await self.read()

    async def read(self) -> Configuration:
        """Read the file, and return what it has. Raises `Malformed`; the former content is kept then."""
        version = self.file.version()
        self.configuration = await asyncio.to_thread(self.file.load)
        self._version = version
        return self.configuration

    async def change(self, change: Callable[[Configuration], Configuration]) -> Configuration:
        """Read the file, change it and write it, and return what it has then. One change at a time in this server.

        Raises `Malformed`, `Refused` if it would be too large, `Unavailable` or `OSError` if it cannot be written, and
        what `change` raises: the file is unchanged then.
        """
        async with self._lock:
            changed = change(await self.read())
            await asyncio.to_thread(self.file.save, changed)
            self.configuration, self._version = changed, self.file.version()
            return changed

    def pairing_of(self, channel_id: str, sender_id: str) -> Pairing | None:
        """Return the pairing of an account; None if it has none that counts. The file is not read again."""
        return self.configuration.pairing_of(channel_id, sender_id, shared_login=self.shared_login)

    def channel(self, channel_id: str) -> Channel | None:
        """Return the channel with this id; None if there is none. The file is not read again."""
        return self.configuration.channel(channel_id)

    def connection_of(self, message: ChannelMessage) -> ChannelConnection | None:
        """Return the connection of a message's channel; None if this server has none."""
        return self.connections.get(message.channel_id)

    def wake(self, channel_id: str) -> None:
        """Let the connection of a channel, if this server has one, look for what waits to be sent."""
        if (connection := self.connections.get(channel_id)) is not None:
            connection.wake()


def principal_of(pairing: Pairing) -> Principal:
    """Return the person on whose behalf a paired account acts."""
    return Principal(
        username=pairing.username,
        display_name=pairing.display_name,
        origin=CHANNEL,
        shared_token=pairing.shared_login,
    )
