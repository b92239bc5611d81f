"""Sends what waits of one channel. Made for each connection.

What goes out is read from the records. A message is marked as being sent before the call and as sent after it. If
neither is known, it is marked as unknown and never sent again by itself. The messages of a chat go one after the other,
in a *lane*; those of several chats go side by side.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...core.redaction import Redactor
from ...foundation import Foundation
from .. import store
from ..model import Channel, ChannelMessage, MessageState
from ..port import Button, ChannelAdapter, InDoubt, LoggedOut, NotSent, Place, Rejected
from ..records import changed_event, place_of, scope_of

log = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 10.0  # for what another server has put among the messages to send
MOST_AT_ONCE = 200  # messages that are read to be sent
MOST_PAGES = 25  # of so many messages
MOST_TRIES = 1_000  # of one message, if it surely was not sent: about 16 hours
LONGEST_RETRY_SECONDS = 60.0  # between two tries, unless the platform asks for more
OWN_ERROR = "An error of Cabinet. The reason is in the server's log."
CUT_OFF = "The connection ended while this was being sent, so nobody knows whether it has arrived."


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """What is known after a call that sends a message. `wait`: at least so many seconds until the next try."""

    state: MessageState
    reason: str = ""
    platform_id: str = ""
    wait: float = 0.0


class MessageSender:
    """Sends over one connection, from `run` until `stop`."""

    def __init__(
        self,
        foundation: Foundation,
        channel: Channel,
        adapter: ChannelAdapter,
        *,
        redactor: Redactor,
        replace: Callable[[Place, str, str], None],
    ) -> None:
        """`replace`: changes the text of a message that was sent, and removes its buttons."""
        self._foundation = foundation
        self._channel = channel
        self._scope = scope_of(channel)
        self._adapter = adapter
        self._redactor = redactor
        self._replace = replace
        self._database = foundation.database
        self._commits = foundation.commits
        self._clock = foundation.clock
        self._lanes: dict[str, asyncio.Task[None]] = {}  # by chat
        self._calling: set[str] = set()  # chats to which something is being sent at this moment
        self._logged_out: LoggedOut | None = None  # what the platform has said to a message
        self._stopping = False  # no lane begins another message
        self._wake = asyncio.Event()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being sent or tried again."""
        return not self._lanes

    @property
    def is_stopping(self) -> bool:
        """Whether no other message is begun."""
        return self._stopping

    def wake(self) -> None:
        """Let `run` look for messages that wait. Without this, it looks every 10 seconds."""
        self._wake.set()

    async def run(self) -> None:
        """Send what waits, without end. Raises `LoggedOut` if the platform does not know the bot any more."""
        while True:
            self._wake.clear()
            await self._put_due()
            await self._begin_lanes()
            await self._woken()
            if self._logged_out is not None:
                raise self._logged_out  # also if it receives still: Slack has a separate token for that

    async def _begin_lanes(self) -> None:
        """Begin to send to each chat that waits and has no lane, however much waits in others."""
        last = 0
        for _ in range(MOST_PAGES):
            page = await self._database.read(partial(self._waiting, after=last))
            for chat in dict.fromkeys(message.chat for message in page if message.chat not in self._lanes):
                mine = [message for message in page if message.chat == chat]
                self._lanes[chat] = asyncio.create_task(self._send_to_chat(chat, mine))
            if len(page) < MOST_AT_ONCE:
                return
            last = page[-1].number

    def _waiting(self, connection: Connection, *, after: int) -> list[ChannelMessage]:
        return store.in_state(connection, self._channel.id, "waiting", MOST_AT_ONCE, after=after)

    async def _put_due(self) -> None:
        """Let the messages be sent that have waited for this time."""
        id, now = self._channel.id, self._clock.now()
        if await self._database.read(lambda c: store.has_due(c, id, now)):
            scope = self._scope
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

    async def _send_to_chat(self, chat: str, messages: Sequence[ChannelMessage]) -> None:
        try:
            for message in messages:
                if not self._stopping and self._logged_out is None:
                    await self._send(message)
        except Exception:
            log.exception("A message of the channel %s could not be sent", self._channel.title)
        finally:
            self._calling.discard(chat)
            self._lanes.pop(chat, None)
            self._wake.set()

    async def _send(self, message: ChannelMessage) -> None:
        for attempt in range(1, MOST_TRIES + 1):
            self._calling.add(message.chat)
            message = await self._mark(message, only_if="waiting", state="sending", reason="")
            if message.state != "sending":
                return  # it was given up meanwhile
            result = await self._call(message)
            state = "failed" if result.state == "waiting" and attempt == MOST_TRIES else result.state
            changed = await self._mark(message, state=state, reason=result.reason, platform_id=result.platform_id)
            self._calling.discard(message.chat)
            if changed.platform_id and changed.ending != message.ending:  # its request has ended during the call
                self._replace(place_of(message), changed.platform_id, _text_and_buttons(changed)[0])
            if changed.state != "waiting" or self._stopping or self._logged_out is not None:
                return
            message = changed
            await self._clock.sleep(max(result.wait, min(attempt, LONGEST_RETRY_SECONDS)))

    async def _call(self, message: ChannelMessage) -> _Result:
        """Send a message, and return what is known of it then."""
        text, buttons = _text_and_buttons(message)
        try:
            sent = await self._adapter.send(place_of(message), self._redactor.redact(text), buttons)
        except NotSent as error:
            return _Result(state="waiting", reason=self._redactor.redact(str(error)), wait=error.seconds)
        except InDoubt as error:
            return _Result(state="unknown", reason=self._redactor.redact(str(error)))
        except LoggedOut as error:
            self._logged_out = error
            return _Result(state="waiting", reason=self._redactor.redact(str(error)))
        except Rejected as error:
            return _Result(state="failed", reason=self._redactor.redact(str(error)))
        except Exception:
            log.exception("A message of the channel %s may not have been sent", self._channel.title)
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

        return await self._commits.commit(change, lambda changed: [changed_event(changed, self._scope)])

    async def stop(self, seconds: float) -> None:
        """End the sending.

        `seconds`: in which a call that is in progress may end; otherwise its message is marked as unknown.
        """
        self._stopping = True
        calling = [lane for chat, lane in self._lanes.items() if chat in self._calling]
        if calling:
            await asyncio.wait(calling, timeout=seconds)
        lanes = list(self._lanes.values())
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        self._lanes.clear()
        await give_up_cut_off(self._foundation, self._channel)


async def give_up_cut_off(foundation: Foundation, channel: Channel) -> None:
    """Mark what an earlier connection or server was about to send as unknown. It is not sent again."""

    def change(connection: Connection) -> list[ChannelMessage]:
        found = store.in_state(connection, channel.id, "sending", MOST_AT_ONCE * MOST_PAGES)
        return [store.update_message(connection, each, state="unknown", reason=CUT_OFF) for each in found]

    scope = scope_of(channel)
    await foundation.commits.commit(change, lambda changed: [changed_event(each, scope) for each in changed])


def _text_and_buttons(message: ChannelMessage) -> tuple[str, list[Button]]:
    if message.ending:
        return f"{message.text}\n\n{message.ending}", []
    return message.text, [Button(label=label, data=data) for label, data in message.buttons]
