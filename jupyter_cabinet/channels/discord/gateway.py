"""The WebSocket over which Discord delivers events, and the session that continues when it is opened again.

Discord keeps the events of a session for a few minutes. A client that resumes it gets those after the number that it
names, which is that of the last event on record. So nothing is lost while the connection is interrupted.

Source: https://docs.discord.com/developers/events/gateway
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import aiohttp
import msgspec

from ..http import CONNECT_SECONDS, close_websocket
from ..port import ChannelError, LoggedOut, NotSent, Rejected
from .api import UNKNOWN_BOT, VERSION, DiscordApi
from .updates import Hello, Payload, Ready, Unreadable, read, read_payload

log = logging.getLogger(__name__)

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 0, 1, 2, 6, 7, 9, 10, 11
# Direct messages, and messages of guilds. Neither is privileged: those that mention the bot have their content anyway
INTENTS = (1 << 9) | (1 << 12)
QUERY = f"?v={VERSION}&encoding=json"

LEAST_SECONDS = 5.0  # that a connection must have lasted to be opened again at once
RESUMABLE_SECONDS = 180.0  # after the last sign of life, in which a session is tried to be resumed
IDENTIFY_AGAIN_SECONDS = 5.0  # Discord lets a bot begin one session in five seconds
MOST_WAITING = 200  # events that are not read from the socket yet
STAYS = 4000  # code with which we close: with 1000, Discord would forget the session
TOO_BIG = 1009
SESSION_ENDS = frozenset((4007, 4009, TOO_BIG))  # codes after which a session cannot be resumed

REFUSED_INTENTS = "Discord does not let the bot receive messages."
ALLOW_INTENTS = "In the Developer Portal, check that the bot is not restricted, then save the channel again."
TOO_LARGE = "The bot is in more servers than one connection can serve."
FEWER_SERVERS = "Use a separate bot that is in fewer servers."


class Session(msgspec.Struct):
    """What is needed to resume. `number`: of the last event on record. `seen`: when Discord was last heard of."""

    id: str
    url: str
    number: int
    seen: float


class _Socket:
    """A WebSocket that has greeted."""

    def __init__(
        self,
        websocket: aiohttp.ClientWebSocketResponse,
        interval: float,
        *,
        number: Callable[[], int | None],
        on_event: Callable[[Payload], None],
    ) -> None:
        """`interval`: in seconds. `number`: of the last event on record. `on_event`: called as soon as one comes."""
        self._websocket = websocket
        self._number = number
        self._on_event = on_event
        self._acknowledged = True
        self._read: asyncio.Queue[Payload | None] = asyncio.Queue(MOST_WAITING)  # None: the end
        self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._beat(interval))]
        self.close_code: int | None = None
        self.has_session = False
        self.began = self.seen = _now()

    async def next(self) -> Payload | None:
        """Wait for the next payload; None when the connection has ended."""
        return await self._read.get()

    async def send(self, op: int, data: Any) -> None:
        with suppress(ConnectionError, RuntimeError):  # it is closed, as `next` will say
            await self._websocket.send_json({"op": op, "d": data})

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await close_websocket(self._websocket, STAYS)

    async def _receive(self) -> None:
        try:
            await self._receive_all()
        except Exception:
            log.exception("The connection to Discord failed")
        await self._read.put(None)

    async def _receive_all(self) -> None:
        while (message := await self._websocket.receive()).type is aiohttp.WSMsgType.TEXT:
            self.seen = _now()
            try:
                payload = read_payload(message.data)
            except Unreadable as error:
                log.warning("A message of Discord's Gateway cannot be read: %s", error)
                continue
            await self._take(payload)
        is_too_big = message.type is aiohttp.WSMsgType.ERROR and getattr(message.data, "code", 0) == TOO_BIG
        self.close_code = TOO_BIG if is_too_big else self._websocket.close_code

    async def _take(self, payload: Payload) -> None:
        if payload.op == HEARTBEAT:
            await self.send(HEARTBEAT, self._number())
        elif payload.op == HEARTBEAT_ACK:
            self._acknowledged = True
        else:
            if payload.op == DISPATCH:
                self._on_event(payload)
            await self._read.put(payload)

    async def _beat(self, interval: float) -> None:
        """Send heartbeats. If one is not acknowledged, the connection is dead."""
        await asyncio.sleep(interval * random.random())  # noqa: S311 (no secret)
        while self._acknowledged:
            self._acknowledged = False
            await self.send(HEARTBEAT, self._number())
            await asyncio.sleep(interval)
        log.info("Discord does not acknowledge heartbeats. Connecting again")
        await close_websocket(self._websocket, STAYS)


class Gateway:
    """The events of one bot, over one WebSocket after the other."""

    def __init__(
        self, api: DiscordApi, token: str, kept: dict[str, Any], *, on_event: Callable[[Payload], None]
    ) -> None:
        """`kept`: has the session of an earlier gateway, and then that of this one. `on_event`: see `_Socket`."""
        self._api = api
        self._token = token
        self._kept = kept
        self._on_event = on_event
        self._socket: _Socket | None = None
        self._waiting: Payload | None = None  # the first event after a session was resumed

    @property
    def session(self) -> Session | None:
        """The session that is present, or can be resumed; None if there is none."""
        return self._kept.get("session")

    def record(self, number: int) -> None:
        """Remember the number of an event: it and all before it are on record, or concern nobody."""
        if self.session is not None:
            self.session.number = max(self.session.number, number)

    async def open(self) -> None:
        """Resume the session that is known, or begin another one. Raises `Rejected` and `NotSent`."""
        await self.close()
        session = self.session
        if session is not None and _now() - session.seen < RESUMABLE_SECONDS and await self._resume(session):
            return
        self._kept.clear()
        await self._identify()

    async def next(self) -> Payload:
        """Wait for the next event, and return it. If the connection ends, it is opened again.

        Raises `Rejected` or `NotSent` if it cannot be opened or ended within seconds of its start.
        """
        while True:
            if self._waiting is not None:
                payload, self._waiting = self._waiting, None
                return payload
            socket = self._socket
            if socket is None:
                raise NotSent(self._api.http.broken)
            payload_or_end = await socket.next()
            if payload_or_end is not None and payload_or_end.op == DISPATCH:
                return payload_or_end
            if payload_or_end is None or payload_or_end.op in (RECONNECT, INVALID_SESSION):
                await self._after(payload_or_end, socket)

    async def close(self) -> None:
        """End the connection. Discord keeps the session for a few minutes."""
        self._waiting = None
        if self._socket is not None:
            socket, self._socket = self._socket, None
            if self.session is not None and socket.has_session:
                self.session.seen = socket.seen
            await socket.close()

    async def _after(self, end: Payload | None, socket: _Socket) -> None:
        """Open another connection, unless the end of one says that this is useless."""
        if end is None:
            self._raise_final(socket.close_code)
            if socket.close_code in SESSION_ENDS:
                self._kept.clear()
        elif end.op == INVALID_SESSION and end.d != b"true":
            self._kept.clear()
        if _now() - socket.began < LEAST_SECONDS:
            raise NotSent(self._api.http.broken)  # it is tried again, after longer and longer waits
        await self.open()

    async def _resume(self, session: Session) -> bool:
        """Return whether a session continues."""
        socket = await self._connect(session.url)
        await socket.send(RESUME, {"token": self._token, "session_id": session.id, "seq": session.number})
        first = await self._first(socket)
        if first is None and socket.close_code not in SESSION_ENDS:
            raise NotSent(self._api.http.broken)
        if first is not None and first.op == DISPATCH:
            self._waiting = first
            socket.has_session = True
            return True
        log.info("Discord does not continue the session. What came meanwhile is lost")
        await self.close()
        return False

    async def _identify(self) -> None:
        socket = await self._connect(await self._api.gateway_url())
        properties = {"os": "linux", "browser": "jupyter_cabinet", "device": "jupyter_cabinet"}
        await socket.send(IDENTIFY, {"token": self._token, "intents": INTENTS, "properties": properties})
        first = await self._first(socket)
        if first is None or first.t != "READY":
            seconds = IDENTIFY_AGAIN_SECONDS if first is not None and first.op == INVALID_SESSION else 1.0
            raise NotSent(self._api.http.broken, seconds)
        try:
            ready = read(first.d, Ready)
        except Unreadable as error:
            log.warning("The beginning of a session of Discord cannot be read: %s", error)
            raise NotSent(self._api.http.broken) from None
        socket.has_session = True
        self._kept["session"] = Session(ready.session_id, ready.resume_gateway_url, first.s or 0, _now())

    async def _connect(self, url: str) -> _Socket:
        """Open a WebSocket, and wait for its greeting."""
        http = self._api.http
        websocket = await http.open_websocket(f"{url.rstrip('/')}/{QUERY}")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                message = await websocket.receive()
            greeting = read_payload(message.data) if message.type is aiohttp.WSMsgType.TEXT else None
            if greeting is None or greeting.op != HELLO:
                raise NotSent(http.broken)
            interval = read(greeting.d, Hello).heartbeat_interval / 1000
        except BaseException as error:
            await close_websocket(websocket, STAYS)
            if isinstance(error, TimeoutError | Unreadable):
                raise NotSent(http.broken) from None
            raise
        self._socket = _Socket(websocket, interval, number=self._number, on_event=self._on_event)
        return self._socket

    async def _first(self, socket: _Socket) -> Payload | None:
        """Return what Discord replies to the beginning of a session; None if it ends the connection."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                while (first := await socket.next()) is not None and first.op not in (DISPATCH, INVALID_SESSION):
                    pass
        except TimeoutError:
            raise NotSent(self._api.http.unreachable) from None
        if first is None:
            self._raise_final(socket.close_code)
        return first

    def _raise_final(self, code: int | None) -> None:
        """Raise what a code means after which it is useless to connect again."""
        if (error := _final(code)) is not None:
            self._kept.clear()
            raise error

    def _number(self) -> int | None:
        return self.session.number if self.session is not None else None


def _final(code: int | None) -> ChannelError | None:
    match code:
        case 4004:
            return LoggedOut(UNKNOWN_BOT)
        case 4013 | 4014:
            return Rejected(REFUSED_INTENTS, ALLOW_INTENTS)
        case 4010 | 4011:
            return Rejected(TOO_LARGE, FEWER_SERVERS)
        case 4012:
            return Rejected(f"Discord does not support version {VERSION} of its Gateway any more.", "Update Cabinet.")
        case _:
            return None


def _now() -> float:
    return asyncio.get_running_loop().time()
