"""The calls of Discord's REST API. With `gateway.py`, the only file that talks to Discord.

Source: https://docs.discord.com/developers/reference, https://docs.discord.com/developers/topics/rate-limits and
https://docs.discord.com/developers/topics/opcodes-and-status-codes
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypeVar

import msgspec

from ...core.version import VERSION as OWN_VERSION
from ..http import REFUSED_SECONDS, HttpClient, HttpReply, doubt_of, seconds_of
from ..port import ChannelError, LoggedOut, NotSent, Rejected
from .updates import Id, Press

T = TypeVar("T")

DISCORD = "https://discord.com"
VERSION = "10"
USER_AGENT = f"DiscordBot (https://github.com/jupyter-cabinet/jupyter-cabinet, {OWN_VERSION})"

UNKNOWN_BOT = "Discord does not accept the token."
FEW_STARTS = "The bot has connected so often that Discord would soon reset its token. It connects again later."
SPARE_STARTS = 50  # of the 1,000 that a bot has in a day; after the last one, Discord resets the token
OVERLOADED = 130000  # code
REFUSALS = {
    10003: "The bot does not see this channel any more.",
    10008: "This message was deleted.",
    10062: "The button was pressed too long ago.",
    50001: "The bot does not see this channel. Give it the permission View Channels.",
    50007: "This person takes no direct messages from the bot.",
    50013: "The bot may not write in this channel. Give it the permission Send Messages.",
    50083: "This thread is archived.",
    50278: "This person takes no direct messages from the bot, because both are in no common server.",
    160005: "This thread is locked.",
}


class Identity(msgspec.Struct, frozen=True):
    """The bot's own account."""

    id: Id
    username: str = ""


class _Starts(msgspec.Struct, frozen=True):
    """How often the bot may begin a session. `reset_after`: in milliseconds."""

    remaining: int = 1000
    reset_after: float = 0.0


class _Gateway(msgspec.Struct, frozen=True):
    url: Annotated[str, msgspec.Meta(max_length=1000)]
    session_start_limit: _Starts = _Starts()


class _Posted(msgspec.Struct, frozen=True):
    id: Id


class _Refused(msgspec.Struct, frozen=True):
    code: int = 0


class DiscordApi:
    """One bot. Each method raises `Rejected` or `NotSent`, and `post_message` also `InDoubt`."""

    def __init__(self, token: str, api_url: str = "") -> None:
        """`api_url`: of another server that speaks the same protocol; empty: Discord's."""
        self.http = HttpClient("Discord", f"{(api_url or DISCORD).rstrip('/')}/api/v{VERSION}/")
        self._token = token
        self._full: dict[str, float] = {}  # channels that take no message until a time of the event loop

    async def identify(self) -> Identity:
        """Return the bot's own account. Raises `Rejected` and `NotSent`."""
        return self._read(await self._call("GET", "users/@me", is_connecting=True), Identity)

    async def gateway_url(self) -> str:
        """Return where a new session begins. Raises `NotSent` if the bot has begun almost all that it may in a day."""
        found = self._read(await self._call("GET", "gateway/bot", is_connecting=True), _Gateway)
        if found.session_start_limit.remaining <= SPARE_STARTS:
            raise NotSent(FEW_STARTS, found.session_start_limit.reset_after / 1000)
        return found.url

    async def post_message(self, channel: str, arguments: dict[str, Any]) -> str:
        """Send a message, and return its id. Raises `Rejected`, `NotSent`, and `InDoubt`.

        If Discord has told that the channel takes no more messages for a while, it raises `NotSent` without a call.
        """
        clock = asyncio.get_running_loop().time
        now = clock()
        self._full = {each: until for each, until in self._full.items() if until > now}
        if (until := self._full.get(channel)) is not None:
            raise NotSent(self.http.too_often, until - now)
        reply = await self._call("POST", f"channels/{channel}/messages", arguments, repeatable=False)
        if reply.headers.get("X-RateLimit-Remaining") == "0":
            self._full[channel] = clock() + seconds_of(reply.headers.get("X-RateLimit-Reset-After"))
        return self._read(reply, _Posted, repeatable=False).id

    async def edit_message(self, channel: str, message_id: str, arguments: dict[str, Any]) -> None:
        """Replace the parts of a message. Raises `Rejected` and `NotSent`."""
        await self._call("PATCH", f"channels/{channel}/messages/{message_id}", arguments)

    async def show_typing(self, channel: str) -> None:
        """Show for ten seconds that the bot is about to write. Raises `Rejected` and `NotSent`."""
        await self._call("POST", f"channels/{channel}/typing")

    async def accept_press(self, press: Press) -> None:
        """Tell Discord that a press has arrived, and that the message stays as it is.

        Raises `Rejected` and `NotSent`.
        """
        await self._call("POST", f"interactions/{press.id}/{press.token}/callback", {"type": 6})

    async def follow_up(self, press: Press, arguments: dict[str, Any]) -> None:
        """Send a message about a press that was accepted. Raises `Rejected` and `NotSent`."""
        await self._call("POST", f"webhooks/{press.application}/{press.token}", arguments)

    async def _call(
        self,
        method: str,
        path: str,
        arguments: dict[str, Any] | None = None,
        *,
        repeatable: bool = True,
        is_connecting: bool = False,
    ) -> HttpReply:
        """`is_connecting`: it is tried again, whatever Discord refuses."""
        headers = {"Authorization": f"Bot {self._token}", "User-Agent": USER_AGENT}
        reply = await self.http.call(method, path, repeatable=repeatable, headers=headers, json=arguments)
        if 200 <= reply.status < 300:
            return reply
        if reply.status >= 500:
            raise doubt_of(repeatable)(self.http.trouble)
        raise self._refusal(reply, is_connecting)

    def _refusal(self, reply: HttpReply, is_connecting: bool) -> ChannelError:
        """Return what a refusal means. Nothing has happened."""
        if reply.status == 401:
            return LoggedOut(UNKNOWN_BOT)
        try:
            code = msgspec.json.decode(reply.content, type=_Refused).code
        except (msgspec.DecodeError, UnicodeError, RecursionError):  # it comes from something between
            return NotSent(f"Discord refuses: {reply.status}.", REFUSED_SECONDS)
        if code == OVERLOADED:
            return NotSent(self.http.trouble)
        message = REFUSALS.get(code) or f"Discord refuses: {code or reply.status}."
        return NotSent(message, REFUSED_SECONDS) if is_connecting else Rejected(message)

    def _read(self, reply: HttpReply, kind: type[T], *, repeatable: bool = True) -> T:
        return self.http.read(reply, kind, repeatable=repeatable)
