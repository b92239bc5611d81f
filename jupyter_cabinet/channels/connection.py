"""The connection of one channel: logs in, receives, and tries again after a failure.

What comes in is given to a function, which returns when it is on record. Only then does the platform hear that we have
it. What goes out is sent by `delivery/sending.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from ..core.events import Scope
from ..core.redaction import Redactor
from ..foundation import Foundation
from .delivery.sending import OWN_ERROR, MessageSender, give_up_cut_off
from .model import (
    Channel,
    ChannelChanged,
    ConnectionStatus,
)
from .platforms import PLATFORMS, Build, Kept
from .port import Account, ChannelAdapter, ChannelError, Inbound, NotSent, Place, Rejected
from .records import scope_of

log = logging.getLogger(__name__)

Receive = Callable[["ChannelConnection", Inbound], Awaitable[None]]

AGAIN_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)  # waits after the first, second, … failure in a row
CALL_SECONDS = 30.0  # for calls that are in progress when the connection ends
LAST_SECONDS = 3.0  # the same, if the server stops
TYPING_SECONDS = 4.0


class ChannelConnection:
    """Connects while it is open. `state` says how that goes."""

    def __init__(
        self,
        foundation: Foundation,
        channel: Channel,
        secrets: Mapping[str, str],
        *,
        build: Build,
        receive: Receive,
    ) -> None:
        """`secrets`: of the bot, by name."""
        self.channel = channel
        self.state = ConnectionStatus(state="connecting")
        self.account: Account | None = None
        self._redactor = Redactor(secrets.values())
        self._secrets = secrets
        self._build = build
        self._kept: Kept = {}
        self._receive = receive
        self._foundation = foundation
        self._bus = foundation.bus
        self._clock = foundation.clock
        self._adapter: ChannelAdapter | None = None
        self._task: asyncio.Task[None] | None = None
        self.sender: MessageSender | None = None  # while it is connected
        self._closing = False
        self._saying: set[asyncio.Task[None]] = set()
        self._typing: dict[str, asyncio.Task[None]] = {}

    @property
    def adapter(self) -> ChannelAdapter | None:
        """The adapter while it is connected, else None."""
        return self._adapter

    @property
    def scope(self) -> Scope:
        """Who may see the channel."""
        return scope_of(self.channel)

    def open(self) -> None:
        """Begin to connect, in a task that connects again after each failure.

        Only a `Rejected` ends it. Call it once.
        """
        self._task = asyncio.create_task(self._stay_connected())

    async def close(self) -> None:
        """Disconnect.

        A call that is in progress has 3 seconds; a message that is being sent then is in doubt afterwards.
        """
        self._closing = True
        tasks = [each for each in (self._task, *self._typing.values(), *self._saying) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.sender is not None:  # its connection was about to end by itself
            await self.sender.stop(LAST_SECONDS)
        self._typing.clear()

    def wake(self) -> None:
        """Let the connection look for messages that wait to be sent. Does nothing while it is not connected."""
        if self.sender is not None:
            self.sender.wake()

    # --- what is not on record ---------------------------------------------------------------

    def say(self, place: Place, text: str) -> None:
        """Send a message once, in the background. It is not stored, and a failure is only logged.

        Nothing is sent while the channel is not connected.
        """
        self._in_background(lambda adapter: adapter.send(place, text))

    def acknowledge_press(self, press_id: str, text: str) -> None:
        """Show the result to the person who pressed a button, in the background like `say`.

        At most 200 characters of it.
        """
        self._in_background(lambda adapter: adapter.acknowledge_press(press_id, text[:200]))

    def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace a message that was sent, and remove its buttons, in the background like `say`."""
        self._in_background(lambda adapter: adapter.replace(place, message_id, self._redactor.redact(text)))

    def _in_background(self, call: Callable[[ChannelAdapter], Awaitable[Any]]) -> None:
        task = asyncio.create_task(self._try(call))
        self._saying.add(task)
        task.add_done_callback(self._saying.discard)

    def begin_typing(self, run_id: str, place: Place) -> None:
        """Show that the bot is about to write, until `end_typing`."""
        self.end_typing(run_id)
        self._typing[run_id] = asyncio.create_task(self._show_typing(place))

    def end_typing(self, run_id: str) -> None:
        """Stop showing it. An unknown run is ignored."""
        if (task := self._typing.pop(run_id, None)) is not None:
            task.cancel()

    async def _show_typing(self, place: Place) -> None:
        while True:
            await self._try(lambda adapter: adapter.typing(place))
            await self._clock.sleep(TYPING_SECONDS)

    async def _try(self, call: Callable[[ChannelAdapter], Awaitable[Any]]) -> None:
        if self._adapter is None:
            return
        try:
            await call(self._adapter)
        except ChannelError as error:
            log.info("A call of the channel %s failed, and is not repeated: %s", self.channel.title, self._clean(error))

    # --- the connection ------------------------------------------------------------------------

    async def _stay_connected(self) -> None:
        await give_up_cut_off(self._foundation, self.channel)
        failures = 0
        while True:
            began = self._clock.monotonic()
            wait = 0.0
            try:
                await self._connect_once()
            except Rejected as error:
                self._put(
                    state="failed",
                    problem=self._clean(error),
                    remedy=error.remedy or PLATFORMS[self.channel.platform].remedy,
                )
                return
            except ChannelError as error:
                self._put(state="connecting", problem=self._clean(error))
                wait = error.seconds if isinstance(error, NotSent) else 0.0
            except Exception:
                log.exception("The channel %s failed. Connecting again", self.channel.title)
                self._put(state="connecting", problem=OWN_ERROR)
            failures = 1 if self._clock.monotonic() - began > AGAIN_SECONDS[-1] else failures + 1
            again = AGAIN_SECONDS[min(failures, len(AGAIN_SECONDS)) - 1]
            await self._clock.sleep(max(wait, again))

    async def _connect_once(self) -> None:
        """Stay connected until something fails."""
        # in a thread: the first one imports an HTTP library and reads certificates
        adapter = await asyncio.to_thread(self._build, self.channel, self._secrets, self._kept)
        try:
            self.account = await adapter.connect()
            self._adapter = adapter
            self._put(state="connected", account=self.account.name, address=self.account.address)
            self.sender = MessageSender(
                self._foundation, self.channel, adapter, redactor=self._redactor, replace=self.replace
            )
            async with asyncio.TaskGroup() as group:
                group.create_task(self._receive_all(adapter))
                group.create_task(self.sender.run())
        except ExceptionGroup as failures:
            error = _first(failures)
            if isinstance(error, ChannelError):  # said now, because calls that are in progress may take a while to end
                self._put(state="connecting", problem=self._clean(error))
            raise error from failures
        finally:
            self._adapter = None
            try:
                await self._stop_sending()
            finally:
                with suppress(ChannelError):
                    await adapter.close()

    async def _stop_sending(self) -> None:
        if self.sender is not None:
            await self.sender.stop(LAST_SECONDS if self._closing else CALL_SECONDS)
            self.sender = None

    async def _receive_all(self, adapter: ChannelAdapter) -> None:
        while True:
            for inbound in await adapter.receive():
                await self._receive(self, inbound)

    def _put(self, **changes: Any) -> None:
        """Change the state, and announce it."""
        new = ConnectionStatus(since=self._clock.now(), **changes)
        old = self.state
        self.state = new
        if msgspec.structs.replace(old, since=None) != msgspec.structs.replace(new, since=None):
            self._bus.publish(ChannelChanged(channel_id=self.channel.id), self.scope)

    def _clean(self, error: ChannelError) -> str:
        return self._redactor.redact(str(error))


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """Return one of several failures; one that a person must repair before others."""
    return next((each for each in failures.exceptions if isinstance(each, Rejected)), failures.exceptions[0])
