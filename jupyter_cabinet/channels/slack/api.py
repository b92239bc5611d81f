"""The calls of Slack's Web API, and the WebSocket of Socket Mode. The only file that talks to Slack.

Source: https://docs.slack.dev/apis/web-api, https://docs.slack.dev/apis/events-api/using-socket-mode and the pages of
the methods (errors, `Retry-After`).
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any, TypeVar

import aiohttp
import msgspec

from ..http import CONNECT_SECONDS, REFUSED_SECONDS, HttpClient, close_websocket, doubt_of
from ..port import ChannelError, InDoubt, LoggedOut, NotSent, Rejected
from .updates import Envelope, Unreadable, read_envelope

log = logging.getLogger(__name__)

T = TypeVar("T")

SLACK = "https://slack.com"
PING_SECONDS = 20.0

UNKNOWN_BOT = "Slack does not accept the bot token."
UNKNOWN_APP = "Slack does not accept the app token."
SWITCHED_OFF = "Socket Mode is switched off for this app."
SWITCH_ON = "Switch it on in the settings of the app, then save the channel again."

LOGGED_OUT = frozenset(
    (
        "invalid_auth",
        "not_authed",
        "token_revoked",
        "token_expired",
        "account_inactive",
        "not_allowed_token_type",
        "team_access_not_granted",
    )
)
# Nothing has happened, and it may work later. After `internal_error` and `fatal_error`, something may have happened.
LATER = frozenset(("ratelimited", "rate_limited", "service_unavailable", "request_timeout", "team_added_to_org"))
CONNECTING = frozenset(("auth.test", "apps.connections.open"))
IN_DOUBT = frozenset(("internal_error", "fatal_error"))
REFUSALS = {
    "channel_not_found": "The bot does not see this conversation any more.",
    "not_in_channel": "The bot is not a member of this channel. Invite it.",
    "is_archived": "This channel is archived.",
    "restricted_action": "The workspace does not let the bot write here.",
    "user_not_in_channel": "This person is not a member of the channel.",
    "msg_too_long": "The message is too long for Slack.",
}


class Identity(msgspec.Struct, frozen=True):
    """The bot's own account. `user`: its name."""

    user_id: str
    user: str = ""
    team_id: str = ""


class _Opened(msgspec.Struct, frozen=True):
    url: str


class _Posted(msgspec.Struct, frozen=True):
    ts: Annotated[str, msgspec.Meta(pattern=r"\A[0-9]+\.[0-9]+\Z", max_length=50)]


class _Profile(msgspec.Struct, frozen=True):
    display_name: str = ""
    real_name: str = ""


class Person(msgspec.Struct, frozen=True):
    """An account of the workspace."""

    name: str = ""
    profile: _Profile = _Profile()


class _PersonFound(msgspec.Struct, frozen=True):
    user: Person


class _Reply(msgspec.Struct, frozen=True):
    """What the reply of every method has. `needed`: the permission that is missing."""

    ok: bool
    error: str = ""
    needed: str = ""


class Socket:
    """A WebSocket of Socket Mode."""

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse, broken: str) -> None:
        """`broken`: the problem if it is closed."""
        self._websocket = websocket
        self._broken = broken
        self._next: asyncio.Task[aiohttp.WSMessage] | None = None

    @property
    def next(self) -> asyncio.Task[aiohttp.WSMessage]:
        """What waits for the next message, the same until it is taken."""
        if self._next is None:
            self._next = asyncio.create_task(self._websocket.receive())
        return self._next

    async def take(self) -> Envelope | None:
        """Wait for the next message; None for one that cannot be read. Raises `NotSent` when the socket is closed."""
        message = await self.next
        self._next = None
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise NotSent(self._broken)
        try:
            return read_envelope(message.data)
        except Unreadable as error:
            log.warning("A message of Slack's socket cannot be read: %s", error)
            return None

    async def acknowledge(self, envelope_id: str) -> None:
        """Tell Slack that a delivery is on record. If the socket is closed, Slack delivers it again."""
        with suppress(ConnectionError, RuntimeError):
            await self._websocket.send_json({"envelope_id": envelope_id})

    async def close(self) -> None:
        """Close the socket, without waiting long for the other side."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.wait((self._next,))
        await close_websocket(self._websocket)


class Delivery(msgspec.Struct, frozen=True):
    """What a socket has brought."""

    envelope: Envelope
    socket: Socket


class SlackApi:
    """One app in one workspace. Each method raises `Rejected` or `NotSent`, and `post_message` also `InDoubt`."""

    def __init__(self, token: str, app_token: str, api_url: str = "") -> None:
        """`api_url`: of another Slack, such as GovSlack; empty: the usual one."""
        self._tokens = (token, app_token)
        self._http = HttpClient("Slack", f"{(api_url or SLACK).rstrip('/')}/api/")
        self._sockets: list[Socket] = []  # those that Slack is about to close, then the present one

    async def close(self) -> None:
        """End all connections."""
        for socket in self._sockets:
            await socket.close()
        await self._http.close()

    # --- Socket Mode ------------------------------------------------------------------------

    async def open_socket(self) -> Envelope:
        """Open another WebSocket, and return what Slack greets with. What the last one still brings is read, too.

        Raises `Rejected` and `NotSent`.
        """
        url = (await self._call("apps.connections.open", {}, gives=_Opened, of_app=True)).url
        socket = Socket(await self._http.open_websocket(url, ping_seconds=PING_SECONDS), self._http.broken)
        self._sockets.append(socket)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                greeting = await socket.take()
        except TimeoutError:
            raise NotSent(self._http.unreachable) from None
        if greeting is None or greeting.type != "hello":
            raise self.end_of(greeting)
        for older in self._sockets[:-2]:
            await self._forget(older)
        return greeting

    def is_present(self, socket: Socket) -> bool:
        """Return whether a socket is the newest one."""
        return socket is self._sockets[-1]

    async def receive(self, until: Iterable[asyncio.Future[Any]] = ()) -> Delivery | None:
        """Wait for a message of the sockets. Raises `NotSent` when the present one is closed.

        None: it cannot be read, an older socket was closed, or one of `until` has ended.
        """
        if not self._sockets:
            raise NotSent(self._http.broken)
        await asyncio.wait({*until, *(each.next for each in self._sockets)}, return_when=asyncio.FIRST_COMPLETED)
        for socket in self._sockets:
            if socket.next.done():
                return await self._take(socket)
        return None

    async def _take(self, socket: Socket) -> Delivery | None:
        try:
            envelope = await socket.take()
        except NotSent:
            if self.is_present(socket):
                raise
            await self._forget(socket)
            return None
        return None if envelope is None else Delivery(envelope, socket)

    async def _forget(self, socket: Socket) -> None:
        self._sockets.remove(socket)
        await socket.close()

    def end_of(self, envelope: Envelope | None) -> ChannelError:
        """Return, without raising it, the error that it means that Slack ends a connection."""
        if envelope is not None and envelope.reason == "link_disabled":
            return Rejected(SWITCHED_OFF, SWITCH_ON)
        return NotSent(self._http.broken)

    # --- calls ---------------------------------------------------------------------------------

    async def identify(self) -> Identity:
        """Return the bot's own account. Raises `Rejected` and `NotSent`."""
        return await self._call("auth.test", {}, gives=Identity)

    async def person(self, user_id: str) -> Person:
        """Return an account of the workspace. Raises `Rejected` and `NotSent`."""
        return (await self._call("users.info", {"user": user_id}, gives=_PersonFound, as_json=False)).user

    async def post_message(self, arguments: dict[str, Any]) -> str:
        """Send a message, and return its id. Raises `Rejected`, `NotSent` and `InDoubt`."""
        return (await self._call("chat.postMessage", arguments, gives=_Posted, repeatable=False)).ts

    async def update_message(self, arguments: dict[str, Any]) -> None:
        """Replace the text and the blocks of a message. Raises `Rejected` and `NotSent`."""
        await self._call("chat.update", arguments, gives=object)

    async def post_ephemeral(self, arguments: dict[str, Any]) -> None:
        """Show a message to one person, until they reload. Raises `Rejected` and `NotSent`."""
        await self._call("chat.postEphemeral", arguments, gives=object)

    async def _call(
        self,
        method: str,
        arguments: dict[str, Any],
        *,
        gives: type[T],
        repeatable: bool = True,
        of_app: bool = False,
        as_json: bool = True,
    ) -> T:
        """`repeatable`: whether the call may be repeated if nobody knows whether it has happened."""
        given = {name: value for name, value in arguments.items() if value is not None}
        reply = await self._http.call(
            "POST",
            method,
            repeatable=repeatable,
            headers={"Authorization": f"Bearer {self._tokens[of_app]}"},
            json=given if as_json else None,
            data=None if as_json else given,
        )
        result = self._http.read(reply, _Reply, repeatable=repeatable)
        if result.ok and reply.status == 200:
            return self._http.read(reply, gives, repeatable=repeatable)
        raise _refusal(method, reply.status, result, doubt_of(repeatable)(self._http.trouble))


def _refusal(method: str, status: int, reply: _Reply, doubt: NotSent | InDoubt) -> ChannelError:
    """Return what a refusal means. `doubt`: that Slack does not know it itself."""
    code = reply.error
    if code in LOGGED_OUT:
        return LoggedOut(UNKNOWN_APP if method == "apps.connections.open" else UNKNOWN_BOT)
    if code in LATER:
        return NotSent(str(doubt))
    if status >= 500 or not code or code in IN_DOUBT:
        return doubt
    if code == "missing_scope":
        needed = re.sub(r"[^\w:.,]", "", reply.needed)[:100]
        return Rejected(f"The app lacks the permission {needed}.", "Add it to the app and install the app again.")
    message = REFUSALS.get(code) or f"Slack refuses: {re.sub(r'[^a-z0-9_]', '', code)[:100]}."
    return NotSent(message, REFUSED_SECONDS) if method in CONNECTING else Rejected(message)
