"""The calls of Slack's Web API, and the WebSocket of Socket Mode. The only file that talks to Slack.

Source: https://docs.slack.dev/apis/web-api, https://docs.slack.dev/apis/events-api/using-socket-mode and the pages of
the methods (errors, `Retry-After`).
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import zlib
from collections.abc import Iterable
from contextlib import suppress
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec

from ..port import ChannelError, InDoubt, LoggedOut, NotSent, Rejected
from .updates import Envelope, Unreadable, read_envelope

log = logging.getLogger(__name__)

T = TypeVar("T")

SLACK = "https://slack.com"
CALL_SECONDS = 30.0
CONNECT_SECONDS = 10.0
PING_SECONDS = 20.0
GOODBYE_SECONDS = 2.0
LONGEST_DELIVERY_BYTES = 4 << 20
LONGEST_REPLY_BYTES = 1 << 20  # also when it is decompressed
LONGEST_WAIT_SECONDS = 600.0  # that Slack can ask for
REFUSED_SECONDS = 60.0  # until the next attempt to connect, if nobody knows how long a refusal lasts

UNREACHABLE = "Slack cannot be reached."
BROKEN = "The connection to Slack broke."
TROUBLE = "Slack had an internal error."
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

    def __init__(self, websocket: aiohttp.ClientWebSocketResponse) -> None:
        self._websocket = websocket
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
            raise NotSent(BROKEN)
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
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await self._websocket.close()


class Delivery(msgspec.Struct, frozen=True):
    """What a socket has brought."""

    envelope: Envelope
    socket: Socket


class SlackApi:
    """One app in one workspace. Each method raises `Rejected` or `NotSent`, and `post_message` also `InDoubt`."""

    def __init__(self, token: str, app_token: str, api_url: str = "") -> None:
        """`api_url`: of another Slack, such as GovSlack; empty: the usual one."""
        self._tokens = (token, app_token)
        self._url = f"{(api_url or SLACK).rstrip('/')}/api/"
        self._is_local = self._url.startswith("http://")  # without TLS it is on this machine
        self._http: aiohttp.ClientSession | None = None
        self._sockets: list[Socket] = []  # those that Slack is about to close, then the present one

    async def close(self) -> None:
        """End all connections."""
        for socket in self._sockets:
            await socket.close()
        if self._http is not None:
            await self._http.close()

    # --- Socket Mode ------------------------------------------------------------------------

    async def open_socket(self) -> Envelope:
        """Open another WebSocket, and return what Slack greets with. What the last one still brings is read, too."""
        url = (await self._call("apps.connections.open", {}, gives=_Opened, of_app=True)).url
        if not url.startswith("wss://") and not (self._is_local and url.startswith("ws://")):
            raise Rejected("Slack has given an address without encryption.")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                websocket = await self._session.ws_connect(
                    url, heartbeat=PING_SECONDS, max_msg_size=LONGEST_DELIVERY_BYTES, proxy=self._proxy(url)
                )
                self._sockets.append(Socket(websocket))
                greeting = await self._sockets[-1].take()
        except (aiohttp.ClientError, TimeoutError, ValueError):
            raise NotSent(UNREACHABLE) from None
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
            raise NotSent(BROKEN)
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

    @staticmethod
    def end_of(envelope: Envelope | None) -> ChannelError:
        """Return what it means that Slack ends a connection."""
        if envelope is not None and envelope.reason == "link_disabled":
            return Rejected(SWITCHED_OFF, SWITCH_ON)
        return NotSent(BROKEN)

    # --- calls ---------------------------------------------------------------------------------

    async def identify(self) -> Identity:
        """Return the bot's own account."""
        return await self._call("auth.test", {}, gives=Identity)

    async def person(self, user_id: str) -> Person:
        """Return an account of the workspace."""
        return (await self._call("users.info", {"user": user_id}, gives=_PersonFound, as_json=False)).user

    async def post_message(self, arguments: dict[str, Any]) -> str:
        """Send a message, and return its id."""
        return (await self._call("chat.postMessage", arguments, gives=_Posted, repeatable=False)).ts

    async def update_message(self, arguments: dict[str, Any]) -> None:
        """Replace the text and the blocks of a message."""
        await self._call("chat.update", arguments, gives=object)

    async def post_ephemeral(self, arguments: dict[str, Any]) -> None:
        """Show a message to one person, until they reload."""
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
        doubt = NotSent if repeatable else InDoubt
        try:
            async with self._session.post(
                self._url + method,
                json=given if as_json else None,
                data=None if as_json else given,
                headers={"Authorization": f"Bearer {self._tokens[of_app]}", "Accept-Encoding": "gzip"},
                proxy=self._proxy(self._url),
            ) as response:
                content = await _content(response)
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ClientHttpProxyError,
            aiohttp.ConnectionTimeoutError,
            aiohttp.InvalidURL,
        ):
            raise NotSent(UNREACHABLE) from None
        except (aiohttp.ClientError, TimeoutError, OSError):
            raise doubt(BROKEN) from None
        except ValueError:  # such as a proxy of a kind that aiohttp does not know
            raise doubt(UNREACHABLE) from None
        if response.status == 429:
            raise NotSent("Slack asks to write less often.", _seconds(response.headers.get("Retry-After")))
        try:
            reply = msgspec.json.decode(content, type=_Reply)
            if reply.ok and response.status == 200:
                return msgspec.json.decode(content, type=gives)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise doubt(TROUBLE) from None
        raise _refusal(method, response.status, reply, doubt)

    def _proxy(self, url: str) -> str | None:
        return None if self._is_local or proxy_bypass(urlsplit(url).hostname or "") else getproxies().get("https")

    @property
    def _session(self) -> aiohttp.ClientSession:
        """The HTTP client. It keeps no connection for the next call: one that was closed meanwhile causes doubt."""
        if self._http is None:
            timeout = aiohttp.ClientTimeout(total=CALL_SECONDS, sock_connect=CONNECT_SECONDS)
            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(_refuse_redirect)
            self._http = aiohttp.ClientSession(
                timeout=timeout,
                connector=aiohttp.TCPConnector(force_close=True),
                auto_decompress=False,
                trace_configs=[tracing],
            )
        return self._http


async def _refuse_redirect(
    session: aiohttp.ClientSession, context: SimpleNamespace, redirect: aiohttp.TraceRequestRedirectParams
) -> None:
    """End a call, or the opening of a WebSocket, that leads to another address: it was not checked."""
    redirect.response.close()
    raise aiohttp.ClientError("redirect")


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """Return the content of a reply, decompressed; empty or cut off if it is too long for one of Slack, or damaged."""
    content = bytearray()
    async for part in response.content.iter_any():
        content += part
        if len(content) > LONGEST_REPLY_BYTES:
            return b""
    if response.headers.get("Content-Encoding", "").lower() != "gzip":
        return bytes(content)
    try:
        return zlib.decompressobj(wbits=16 + zlib.MAX_WBITS).decompress(content, LONGEST_REPLY_BYTES)
    except zlib.error:
        return b""


def _refusal(method: str, status: int, reply: _Reply, doubt: type[NotSent | InDoubt]) -> ChannelError:
    """Return what a refusal means."""
    code = reply.error
    if code in LOGGED_OUT:
        return LoggedOut(UNKNOWN_APP if method == "apps.connections.open" else UNKNOWN_BOT)
    if code in LATER:
        return NotSent(TROUBLE)
    if status >= 500 or not code or code in IN_DOUBT:
        return doubt(TROUBLE)
    if code == "missing_scope":
        needed = re.sub(r"[^\w:.,]", "", reply.needed)[:100]
        return Rejected(f"The app lacks the permission {needed}.", "Add it to the app and install the app again.")
    message = REFUSALS.get(code) or f"Slack refuses: {re.sub(r'[^a-z0-9_]', '', code)[:100]}."
    return NotSent(message, REFUSED_SECONDS) if method in CONNECTING else Rejected(message)


def _seconds(header: str | None) -> float:
    try:
        seconds = float(header or 1.0)
    except ValueError:
        return 1.0
    return min(max(0.0, seconds), LONGEST_WAIT_SECONDS) if math.isfinite(seconds) else 1.0
