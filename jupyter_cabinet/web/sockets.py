"""The base of our WebSockets: checked before the upgrade, checked again while open, closed when the right ends.

Errors before the upgrade are sent as JSON with a status, as everywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from . import identity
from .handler import CabinetHandler
from .same_caller import SameCaller

RIGHTS_CHECKED_EVERY_SECONDS = 3.0
LOST_RIGHT = 4403  # private close codes: the HTTP status plus 4000


class CabinetSocket(WebSocketMixin, WebSocketHandler, CabinetHandler):
    """A stream to one reader. Subclasses start their tasks in `open`."""

    changes_state_by_get = True

    def initialize(self, *arguments: Any, **named: Any) -> None:
        """Take the arguments of the route table like a handler, plus those of tornado's WebSockets."""
        CabinetHandler.initialize(self, *arguments, **named)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def prepare(self) -> None:  # type: ignore[override]
        await CabinetHandler.prepare(self)
        self._caller = SameCaller(self, self.server_status.clock)

    def check_origin(self, origin: str | None = None) -> bool:
        """Apply Jupyter's rule for WebSockets, which also knows an older header."""
        return CabinetHandler.check_origin(self) and super().check_origin(origin)

    async def upgrade(self) -> None:
        """Answer the handshake."""
        await WebSocketHandler.get(self, *self.path_args)

    def open(self, *arguments: str) -> None:
        super().open(*arguments)
        self.spawn(self._watch())

    def on_close(self) -> None:
        self.stop_tasks()
        super().on_close()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task that is cancelled when the connection closes. Its errors are not handled."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def stop_tasks(self) -> None:
        """Cancel everything that is done for this reader, without waiting."""
        for task in self._tasks:
            task.cancel()

    async def send(self, value: Any) -> bool:
        """Send a struct or encoded JSON, and wait until it is on its way. Return False if the reader is gone."""
        data = value if isinstance(value, bytes) else msgspec.json.encode(value)
        try:
            await self.write_message(data.decode())
        except WebSocketClosedError:
            return False
        return True

    async def is_welcome(self) -> bool:
        """Return whether the person who opened this is still the same, and may still read.

        `principal` is then current.
        """
        if not (await self._caller.is_here() and await self.may("read")):
            return False
        self.principal = await identity.principal_of(self, self.auth_resource)
        return True

    async def look_again(self) -> None:
        """Close the connection if the reader may no longer read.

        Called every 3 seconds. A subclass checks what else it needs.
        """
        if not await self.is_welcome():
            self.send_away()

    def send_away(self) -> None:
        """Close with 4403, which means a 403: the right to read has ended."""
        self.close(LOST_RIGHT, "not_allowed")

    async def _watch(self) -> None:
        try:
            while True:
                await self.server_status.clock.sleep(RIGHTS_CHECKED_EVERY_SECONDS)
                await self.look_again()
        except Exception:
            self.log.exception("The rights of a connection could not be checked. It is closed")
            self.send_away()
