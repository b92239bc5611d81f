"""The connection of one channel: logs in, receives, sends what waits, and tries again after a failure.

What comes in is given to a function, which returns when it is on record. Only then does the platform hear that we have
it. What goes out is read from the records. A message is marked as being sent before the call and as sent after it. If
neither is known, it is marked as unknown and never sent again by itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection

from ..core.events import Scope
from ..core.redaction import Redactor
from ..foundation import Foundation
from ..storage.commits import ScopedEvent
from . import store
from .model import (
    Channel,
    ChannelChanged,
    ChannelMessage,
    ChannelMessageChanged,
    ConnectionStatus,
    MessageState,
)
from .platforms import PLATFORMS, Build
from .port import Account, Button, ChannelAdapter, ChannelError, Inbound, InDoubt, LoggedOut, NotSent, Place, Rejected

log = logging.getLogger(__name__)

Receive = Callable[["ChannelConnection", Inbound], Awaitable[None]]

AGAIN_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)  # waits after the first, second, … failure in a row
LOOK_AGAIN_SECONDS = 10.0  # for what another server has put among the messages to send
MOST_AT_ONCE = 200  # messages that are read to be sent
MOST_PAGES = 25  # of so many messages
MOST_TRIES = 1_000  # of one message, if it surely was not sent: about 16 hours
LONGEST_WAIT_SECONDS = 60.0  # between two tries, unless the platform asks for more
CALL_SECONDS = 30.0  # for calls that are in progress when the connection ends
LAST_SECONDS = 3.0  # the same, if the server stops
TYPING_SECONDS = 4.0
OWN_ERROR = "An error of Cabinet. The reason is in the server's log."
CUT_OFF = "The connection ended while this was being sent, so nobody knows whether it has arrived."


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """What is known after a call that sends a message. `wait`: at least so many seconds until the next try."""

    state: MessageState
    reason: str = ""
    platform_id: str = ""
    wait: float = 0.0


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
        self._receive = receive
        self._database = foundation.database
        self._commits = foundation.commits
        self._bus = foundation.bus
        self._clock = foundation.clock
        self._adapter: ChannelAdapter | None = None
        self._task: asyncio.Task[None] | None = None
        self._lanes: dict[str, asyncio.Task[None]] = {}  # by chat
        self._calling: set[str] = set()  # chats to which something is being sent at this moment
        self._logged_out: LoggedOut | None = None  # what the platform has said to a message
        self._stopping = False  # no lane begins another message
        self._closing = False
        self._saying: set[asyncio.Task[None]] = set()
        self._typing: dict[str, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()

    @property
    def scope(self) -> Scope:
        """Who may see the channel."""
        return scope_of(self.channel)

    def open(self) -> None:
        """Begin to connect."""
        self._task = asyncio.create_task(self._stay_connected())

    async def close(self) -> None:
        """Disconnect. A message that is being sent at this moment is in doubt afterwards."""
        self._closing = True
        tasks = [each for each in (self._task, *self._typing.values(), *self._saying) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._lanes:  # it was connecting again
            await self._stop_lanes()
        self._typing.clear()

    def wake(self) -> None:
        """Something waits to be sent."""
        self._wake.set()

    # --- what is not on record ---------------------------------------------------------------

    def say(self, place: Place, text: str) -> None:
        """Send a message that is not kept, once. Here and below: in the background, and a failure is only logged."""
        self._in_background(lambda adapter: adapter.send(place, text))

    def acknowledge_press(self, press_id: str, text: str) -> None:
        """Tell the person who has pressed a button about the result."""
        self._in_background(lambda adapter: adapter.acknowledge_press(press_id, text[:200]))

    def replace(self, place: Place, message_id: str, text: str) -> None:
        """Replace a message that was sent, and remove its buttons."""
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
        """Stop showing it."""
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
        await self._give_up_cut_off()
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
        adapter = await asyncio.to_thread(self._build, self.channel, self._secrets)
        try:
            self._logged_out, self._stopping = None, False
            self.account = await adapter.connect()
            self._adapter = adapter
            self._put(state="connected", account=self.account.name, address=self.account.address)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._receive_all(adapter))
                group.create_task(self._send_all(adapter))
        except ExceptionGroup as failures:
            raise _first(failures) from failures
        finally:
            self._adapter = None
            try:
                await self._stop_lanes()
            finally:
                with suppress(ChannelError):
                    await adapter.close()

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

    # --- sending -----------------------------------------------------------------------------

    async def _give_up_cut_off(self) -> None:
        """Mark what an earlier server was about to send."""
        for message in await self._database.read(lambda c: store.in_state(c, self.channel.id, "sending", 10_000)):
            await self._mark(message, state="unknown", reason=CUT_OFF)

    async def _send_all(self, adapter: ChannelAdapter) -> None:
        """Send what waits. The messages of a chat go one after the other, those of several chats side by side."""
        while True:
            self._wake.clear()
            await self._put_due()
            await self._begin_lanes(adapter)
            await self._woken()
            if self._logged_out is not None:
                raise self._logged_out  # also if it receives still: Slack has a separate token for that

    async def _begin_lanes(self, adapter: ChannelAdapter) -> None:
        """Begin to send to each chat that waits and has no lane, however much waits in others."""
        last = 0
        for _ in range(MOST_PAGES):
            page = await self._database.read(partial(self._waiting, after=last))
            for chat in dict.fromkeys(message.chat for message in page if message.chat not in self._lanes):
                mine = [message for message in page if message.chat == chat]
                self._lanes[chat] = asyncio.create_task(self._send_to_chat(adapter, chat, mine))
            if len(page) < MOST_AT_ONCE:
                return
            last = page[-1].number

    def _waiting(self, connection: Connection, *, after: int) -> list[ChannelMessage]:
        return store.in_state(connection, self.channel.id, "waiting", MOST_AT_ONCE, after=after)

    async def _put_due(self) -> None:
        """Let the messages be sent that have waited for this time."""
        id, now = self.channel.id, self._clock.now()
        if await self._database.read(lambda c: store.has_due(c, id, now)):
            scope = self.scope
            await self._commits.commit(
                lambda c: store.put_due(c, id, now), lambda put: [changed_event(each, scope) for each in put]
            )

    async def _woken(self) -> None:
        wake, tick = asyncio.create_task(self._wake.wait()), asyncio.create_task(self._clock.sleep(LOOK_AGAIN_SECONDS))
        try:
            await asyncio.wait((wake, tick), return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()
            tick.cancel()

    async def _send_to_chat(self, adapter: ChannelAdapter, chat: str, messages: Sequence[ChannelMessage]) -> None:
        try:
            for message in messages:
                if not self._stopping and self._logged_out is None:
                    await self._send(adapter, message)
        except Exception:
            log.exception("A message of the channel %s could not be sent", self.channel.title)
        finally:
            self._calling.discard(chat)
            self._lanes.pop(chat, None)
            self._wake.set()

    async def _send(self, adapter: ChannelAdapter, message: ChannelMessage) -> None:
        for attempt in range(1, MOST_TRIES + 1):
            self._calling.add(message.chat)
            message = await self._mark(message, only_if="waiting", state="sending", reason="")
            if message.state != "sending":
                return  # it was given up meanwhile
            result = await self._call(adapter, message)
            state = "failed" if result.state == "waiting" and attempt == MOST_TRIES else result.state
            changed = await self._mark(message, state=state, reason=result.reason, platform_id=result.platform_id)
            self._calling.discard(message.chat)
            if changed.platform_id and changed.ending != message.ending:  # its request has ended during the call
                self.replace(place_of(message), changed.platform_id, _text_and_buttons(changed)[0])
            if changed.state != "waiting" or self._stopping or self._logged_out is not None:
                return
            message = changed
            await self._clock.sleep(max(result.wait, min(attempt, LONGEST_WAIT_SECONDS)))

    async def _call(self, adapter: ChannelAdapter, message: ChannelMessage) -> _Result:
        """Send a message, and return what is known of it then."""
        text, buttons = _text_and_buttons(message)
        try:
            sent = await adapter.send(place_of(message), self._redactor.redact(text), buttons)
        except NotSent as error:
            return _Result(state="waiting", reason=self._clean(error), wait=error.seconds)
        except InDoubt as error:
            return _Result(state="unknown", reason=self._clean(error))
        except LoggedOut as error:
            self._logged_out = error
            return _Result(state="waiting", reason=self._clean(error))
        except Rejected as error:
            return _Result(state="failed", reason=self._clean(error))
        except Exception:
            log.exception("A message of the channel %s may not have been sent", self.channel.title)
            return _Result(state="unknown", reason=OWN_ERROR)
        return _Result(state="sent", platform_id=sent)

    async def _mark(self, message: ChannelMessage, *, only_if: str = "", **changes: Any) -> ChannelMessage:
        """Change a message as it is on record now, and return it. `only_if`: only in this state.

        One that was given up during the call does not wait again.
        """

        def change(connection: Connection) -> ChannelMessage:
            now = store.load_message(connection, message.id) or message
            if now.given_up and changes["state"] == "waiting":
                return store.update_message(connection, now, state="failed", reason=now.given_up)
            return store.update_message(connection, now, **changes) if only_if in ("", now.state) else now

        return await self._commits.commit(change, lambda changed: [changed_event(changed, self.scope)])

    async def _stop_lanes(self) -> None:
        """End the sending. A call that is in progress ends by itself, because its result would be in doubt otherwise.

        While the server stops, there is less time for that.
        """
        self._stopping = True
        calling = [lane for chat, lane in self._lanes.items() if chat in self._calling]
        if calling:
            await asyncio.wait(calling, timeout=LAST_SECONDS if self._closing else CALL_SECONDS)
        lanes = list(self._lanes.values())
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        self._lanes.clear()
        self._calling.clear()
        await self._give_up_cut_off()


def scope_of(channel: Channel) -> Scope:
    """Return who may see a channel."""
    return Scope(owner=channel.owner, visibility=channel.visibility)


def place_of(message: ChannelMessage) -> Place:
    """Return where a message was written, or where it is to be sent."""
    return Place(chat=message.chat, thread=message.thread, direct=message.direct, title=message.place)


def _text_and_buttons(message: ChannelMessage) -> tuple[str, list[Button]]:
    if message.ending:
        return f"{message.text}\n\n{message.ending}", []
    return message.text, [Button(label=label, data=data) for label, data in message.buttons]


def changed_event(message: ChannelMessage, scope: Scope) -> ScopedEvent:
    """Return the event that announces a message."""
    event = ChannelMessageChanged(channel_id=message.channel_id, message_id=message.id, state=message.state)
    return ScopedEvent(event, scope)


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """Return one of several failures; one that a person must repair before others."""
    return next((each for each in failures.exceptions if isinstance(each, Rejected)), failures.exceptions[0])
