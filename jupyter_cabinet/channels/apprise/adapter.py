"""The adapter of services that only take messages. Nothing ever comes from there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

import apprise

from ...core.ids import new_id
from ..port import Account, Button, Inbound, InDoubt, Place, Rejected

CALL_SECONDS, LONGEST_SECONDS = 10.0, 30.0
NOT_KNOWN = "This address is not complete, or of no service that apprise knows."
NOT_TAKEN = "The service could not be reached, or did not accept the message."

logging.getLogger("apprise").setLevel(logging.CRITICAL)  # it would log addresses, which contain passwords


class AppriseAdapter:
    """One address of a service. `title`: the subject of mails."""

    def __init__(self, address: str, title: str) -> None:
        self._title = title
        service = apprise.Apprise()
        self._service = service[0] if service.add(address) and len(service) == 1 else None
        if self._service is not None:  # the address itself can ask for hours
            self._service.socket_connect_timeout = self._service.socket_read_timeout = CALL_SECONDS
        self._one_at_a_time = asyncio.Lock()
        self._closed = asyncio.Event()

    async def connect(self) -> Account:
        """Return the name of the service, without a call. The first message shows whether the service accepts it.

        Raises `Rejected` for an address that is not complete, or of no known service.
        """
        if self._service is None:
            raise Rejected(NOT_KNOWN, "Compare it with https://appriseit.com/services/, then save the channel again.")
        return Account(id="", name=str(self._service.service_name))

    async def receive(self) -> Sequence[Inbound]:
        """Wait until the end, because nothing comes."""
        await self._closed.wait()
        return ()

    async def send(self, place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        """Send a message, without buttons, and return an id. It waits at most 30 seconds for the service.

        The package does not tell why a call failed, so a failure is always in doubt: `InDoubt`.
        """
        loop = asyncio.get_running_loop()
        result: asyncio.Future[bool] = loop.create_future()

        def put(taken: bool) -> None:
            if not result.done():
                result.set_result(taken)

        def work() -> None:
            taken = self._notify(text)
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(put, taken)

        async with self._one_at_a_time:
            # Neither one of the threads that the whole server uses, nor one for which its end waits.
            Thread(target=work, name="apprise", daemon=True).start()
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    taken = await result
            except TimeoutError:
                taken = False
        if not taken:
            raise InDoubt(NOT_TAKEN)
        return new_id()

    def _notify(self, text: str) -> bool:
        assert self._service is not None, "connected"
        service = apprise.Apprise()
        service.add(self._service)
        try:
            return bool(service.notify(body=text, title=self._title, body_format=apprise.NotifyFormat.TEXT))
        except Exception:  # of any of a hundred services; its text may contain the address
            return False

    async def replace(self, place: Place, message_id: str, text: str) -> None:
        """Do nothing: what was sent cannot be changed."""

    async def typing(self, place: Place) -> None:
        """Do nothing."""

    async def acknowledge_press(self, press_id: str, text: str) -> None:
        """Do nothing: there are no buttons."""

    async def close(self) -> None:
        """End the call that waits."""
        self._closed.set()
