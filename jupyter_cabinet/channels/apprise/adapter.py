"""The adapter of services that only take messages. Nothing ever comes from there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import apprise

from ...core.ids import new_id
from ..port import Account, Button, Inbound, InDoubt, Place, Rejected

NOT_KNOWN = "This address is not complete, or of no service that apprise knows."
NOT_TAKEN = "The service could not be reached, or did not accept the message."

logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it would log addresses, which contain passwords


class AppriseAdapter:
    """One address of a service. `title`: the subject of mails."""

    def __init__(self, address: str, title: str) -> None:
        self._title = title
        self._service = apprise.Apprise()
        self._is_known = bool(self._service.add(address))
        self._closed = asyncio.Event()

    async def connect(self) -> Account:
        """Return the name of the service. Whether it takes messages is seen when the first one is sent."""
        if not self._is_known:
            raise Rejected(NOT_KNOWN, "Compare it with https://appriseit.com/services/, then save the channel again.")
        return Account(id="", name=str(self._service[0].service_name))

    async def receive(self) -> Sequence[Inbound]:
        """Wait until the end, because nothing comes."""
        await self._closed.wait()
        return ()

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send a message. The package does not tell why a call failed, so a failure is always in doubt."""
        taken = await self._service.async_notify(body=text, title=self._title, body_format=apprise.NotifyFormat.TEXT)
        if not taken:
            raise InDoubt(NOT_TAKEN)
        return new_id()

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Do nothing: what was sent cannot be changed."""

    async def typing(self, place: Place) -> None:
        """Do nothing."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Do nothing: there are no buttons."""

    async def close(self) -> None:
        """End the call that waits."""
        self._closed.set()
