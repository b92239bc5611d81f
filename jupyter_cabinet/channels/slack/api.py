"""The calls of Slack's Web API, and the WebSocket of Socket Mode. The only file that talks to Slack.

Source: https://docs.slack.dev/apis/web-api, https://docs.slack.dev/apis/events-api/using-socket-mode and the pages of
the methods (errors, `Retry-After`).
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar

import aiohttp
import msgspec
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from ..port import ChannelError, InDoubt, LoggedOut, NotSent, Rejected
from .updates import Envelope, read_envelope

T = TypeVar("T")

SLACK = "https://slack.com"
CALL_SECONDS = 30.0
CONNECT_SECONDS = 10.0
PING_SECONDS = 20.0
GOODBYE_SECONDS = 2.0
LONGEST_DELIVERY_BYTES = 4 << 20

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
IN_DOUBT = frozenset(("internal_error", "fatal_error"))
REFUSALS = {
    "channel_not_found": "The bot does not see this conversation any more.",
    "not_in_channel": "The bot is not a member of this channel. Invite it.",
    "is_archived": "This channel is archived.",
    "restricted_action": "The workspace does not let the bot write here.",
    "user_not_in_channel": "This person is not a member of the channel.",
    "msg_too_long": "The message is too long for Slack.",
}

# At DEBUG, the SDK would log the texts of messages and the addresses of sockets, which are secrets.
_sdk_log = logging.getLogger(f"{__name__}.sdk")
_sdk_log.setLevel(logging.INFO)


class Identity(msgspec.Struct, frozen=True):
    """The bot's own account. `user`: its name."""

    user_id: str
    user: str = ""
    team_id: str = ""


class _Opened(msgspec.Struct, frozen=True):
    url: str


class _Posted(msgspec.Struct, frozen=True):
    ts: str


class _Profile(msgspec.Struct, frozen=True):
    display_name: str = ""
    real_name: str = ""


class Person(msgspec.Struct, frozen=True):
    """An account of the workspace."""

    name: str = ""
    profile: _Profile = _Profile()


class _PersonFound(msgspec.Struct, frozen=True):
    user: Person


class SlackApi:
    """One app in one workspace. Each method raises `Rejected` or `NotSent`, and `post_message` also `InDoubt`."""

    def __init__(self, token: str, app_token: str, api_url: str = "") -> None:
        """`api_url`: of another Slack, such as GovSlack; empty: the usual one."""
        self._tokens = (token, app_token)
        self._url = f"{(api_url or SLACK).rstrip('/')}/api/"
        self._is_local = self._url.startswith("http://")  # without TLS it is on this machine
        self._http: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None

    async def close(self) -> None:
        """End all connections."""
        if self._socket is not None:
            await _say_goodbye(self._socket)
        if self._http is not None:
            await self._http.close()

    # --- Socket Mode ------------------------------------------------------------------------

    async def open_socket(self) -> Envelope:
        """Open a WebSocket instead of the present one, and return what Slack greets with."""
        url = (await self._call("apps.connections.open", {}, gives=_Opened, of_app=True)).url
        if not url.startswith("wss://") and not (self._is_local and url.startswith("ws://")):
            raise Rejected("Slack has given an address without encryption.")
        old, self._socket = self._socket, None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self._socket = await self._session.ws_connect(
                    url, heartbeat=PING_SECONDS, max_msg_size=LONGEST_DELIVERY_BYTES, proxy=self._client().proxy
                )
                greeting = await self.receive()
        except (aiohttp.ClientError, TimeoutError, ValueError):
            raise NotSent(UNREACHABLE) from None
        finally:
            if old is not None:
                await _say_goodbye(old)
        if greeting is None or greeting.type != "hello":
            raise self.end_of(greeting)
        return greeting

    async def receive(self) -> Envelope | None:
        """Wait for a message of the socket; None for one that cannot be read. Raises `NotSent` when it is closed."""
        if self._socket is None:
            raise NotSent(BROKEN)
        message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise NotSent(BROKEN)
        return read_envelope(message.data)

    async def acknowledge(self, envelope_id: str) -> None:
        """Tell Slack that a delivery is on record. If the socket is closed, Slack delivers it again."""
        if self._socket is not None:
            with suppress(ConnectionError, RuntimeError):
                await self._socket.send_json({"envelope_id": envelope_id})

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
        client = self._client(of_app=of_app)
        try:
            response = await client.api_call(method, json=given if as_json else None, params=None if as_json else given)
            return msgspec.convert(response.data, gives)
        except SlackApiError as error:
            raise _refusal(error, doubt, UNKNOWN_APP if of_app else UNKNOWN_BOT) from None
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ClientHttpProxyError,
            aiohttp.ConnectionTimeoutError,
            aiohttp.InvalidURL,
        ):
            raise NotSent(UNREACHABLE) from None
        except (aiohttp.ClientError, SlackClientError, TimeoutError, OSError):
            raise doubt(BROKEN) from None
        except (ValueError, AttributeError):  # a reply that is not like one of Slack: the SDK does not check it
            raise doubt(TROUBLE) from None

    def _client(self, *, of_app: bool = False) -> AsyncWebClient:
        client = AsyncWebClient(
            token=self._tokens[of_app],
            base_url=self._url,
            session=self._session,
            logger=_sdk_log,
            retry_handlers=[],  # the usual one repeats a message after its reply was lost
        )
        if self._is_local:
            client.proxy = None
        return client

    @property
    def _session(self) -> aiohttp.ClientSession:
        """The HTTP client. It keeps no connection for the next call: one that was closed meanwhile causes doubt."""
        if self._http is None:
            timeout = aiohttp.ClientTimeout(total=CALL_SECONDS, sock_connect=CONNECT_SECONDS)
            self._http = aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(force_close=True))
        return self._http


async def _say_goodbye(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Close a socket, without waiting long for the other side."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GOODBYE_SECONDS):
            await socket.close()


def _refusal(error: SlackApiError, doubt: type[NotSent | InDoubt], unknown: str) -> ChannelError:
    """Return what a refusal means."""
    response = error.response
    status: int = getattr(response, "status_code", None) or getattr(response, "status", None) or 0
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, Mapping) else ""
    if status == 429:
        return NotSent("Slack asks to write less often.", _seconds(response.headers.get("Retry-After")))
    if code in LOGGED_OUT:
        return LoggedOut(unknown)
    if code in LATER:
        return NotSent(TROUBLE)
    if status >= 500 or not code or code in IN_DOUBT:
        return doubt(TROUBLE)
    if code == "missing_scope" and isinstance(data, Mapping):
        needed = re.sub(r"[^\w:.,]", "", str(data.get("needed", "")))[:100]
        return Rejected(f"The app lacks the permission {needed}.", "Add it to the app and install the app again.")
    return Rejected(REFUSALS.get(code) or f"Slack refuses: {re.sub(r'[^a-z0-9_]', '', code)[:100]}.")


def _seconds(header: str | None) -> float:
    try:
        return max(0.0, float(header or 1.0))
    except ValueError:
        return 1.0
