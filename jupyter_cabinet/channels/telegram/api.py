"""The calls of Telegram's Bot API. The only file that talks to Telegram.

Source: https://core.telegram.org/bots/api (making requests, getUpdates, sendMessage, editMessageText, errors).
"""

from __future__ import annotations

import logging
import re
from typing import Any, TypeVar

import httpx
import msgspec

from ..port import ChannelError, InDoubt, LoggedOut, NotSent, Rejected
from .updates import SentMessage, User

T = TypeVar("T")

TELEGRAM = "https://api.telegram.org"
CALL_SECONDS = 30.0
CONNECT_SECONDS = 10.0
CONFLICT_SECONDS = 30.0

NO_BOT = "Telegram does not know this token."
ALSO_READ = "Another program receives the messages of this bot. Stop it, or create another bot for it."
GROUP_MOVED = "The group has become a supergroup. Write to the bot there once."
UNREACHABLE = "Telegram cannot be reached."
BROKEN = "The connection to Telegram broke."
TROUBLE = "Telegram had an internal error."


class _Parameters(msgspec.Struct, frozen=True):
    retry_after: float | None = None
    migrate_to_chat_id: int | None = None


class _Reply(msgspec.Struct, frozen=True):
    """The reply of every method. `result`: only of a call that succeeded."""

    ok: bool
    result: msgspec.Raw = msgspec.Raw(b"null")
    description: str = ""
    parameters: _Parameters = _Parameters()


class BotApi:
    """One bot. Each method raises `Rejected` or `NotSent`, and `send_message` also `InDoubt`."""

    def __init__(self, token: str, api_url: str = "") -> None:
        """`api_url`: of a separate Bot API server; empty: Telegram's."""
        timeout = httpx.Timeout(CALL_SECONDS, connect=CONNECT_SECONDS)
        self._url = f"{(api_url or TELEGRAM).rstrip('/')}/bot{token}/"
        self._http = httpx.AsyncClient(
            timeout=timeout,
            follow_redirects=False,
            trust_env=not api_url.startswith("http://"),  # without TLS it is on this machine: no proxy must see it
        )

    async def close(self) -> None:
        """End all connections."""
        await self._http.aclose()

    async def get_me(self) -> User:
        """Return the bot's own account. Raises `Rejected` and `NotSent`."""
        return await self._call("getMe", {}, gives=User)

    async def get_updates(self, offset: int, *, wait_seconds: int, kinds: list[str]) -> list[msgspec.Raw]:
        """Wait for updates from this number on, at most `wait_seconds`; empty if none came. Telegram forgets those
        before it.

        Raises `NotSent`, also if another program receives them, and `Rejected`.
        """
        arguments = {"offset": offset, "timeout": wait_seconds, "allowed_updates": kinds}
        return await self._call("getUpdates", arguments, gives=list[msgspec.Raw], wait_seconds=wait_seconds)

    async def send_message(self, arguments: dict[str, Any]) -> int:
        """Send a message, and return its id. Raises `Rejected`, `NotSent` and `InDoubt`."""
        return (await self._call("sendMessage", arguments, gives=SentMessage, repeatable=False)).message_id

    async def edit_message(self, arguments: dict[str, Any]) -> None:
        """Replace the text and the buttons of a message. Raises `Rejected` and `NotSent`."""
        await self._call("editMessageText", arguments, gives=object)

    async def send_chat_action(self, arguments: dict[str, Any]) -> None:
        """Show what the bot is doing. Raises `Rejected` and `NotSent`."""
        await self._call("sendChatAction", arguments, gives=object)

    async def answer_callback_query(self, query_id: str, text: str) -> None:
        """Tell the person who pressed a button about the result. Raises `Rejected` and `NotSent`."""
        await self._call("answerCallbackQuery", {"callback_query_id": query_id, "text": text}, gives=object)

    async def _call(
        self, method: str, arguments: dict[str, Any], *, gives: type[T], repeatable: bool = True, wait_seconds: int = 0
    ) -> T:
        """`repeatable`: whether the call may be repeated if nobody knows whether it has happened."""
        given = {name: value for name, value in arguments.items() if value is not None}
        doubt = NotSent if repeatable else InDoubt
        timeout = httpx.Timeout(CALL_SECONDS + wait_seconds, connect=CONNECT_SECONDS)
        try:
            response = await self._http.post(self._url + method, json=given, timeout=timeout)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol):
            raise NotSent(UNREACHABLE) from None
        except httpx.HTTPError:
            raise doubt(BROKEN) from None
        try:
            reply = msgspec.json.decode(response.content, type=_Reply)
            if reply.ok:
                return msgspec.json.decode(reply.result, type=gives)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise doubt(TROUBLE) from None
        raise _refusal(response.status_code, reply, doubt)


def _refusal(status: int, reply: _Reply, doubt: type[NotSent | InDoubt]) -> ChannelError:
    """Return what a refusal means."""
    error: ChannelError
    if reply.parameters.retry_after is not None:
        error = NotSent("Telegram asks to write less often.", reply.parameters.retry_after)
    elif reply.parameters.migrate_to_chat_id is not None:
        error = Rejected(GROUP_MOVED)
    elif status in (401, 404):
        error = LoggedOut(NO_BOT)
    elif status == 409:
        error = NotSent(ALSO_READ, CONFLICT_SECONDS)
    elif status >= 500:
        error = doubt(TROUBLE)
    else:
        error = Rejected(f"Telegram refuses: {reply.description.rstrip('.')}.")
    return error


class _WithoutTokens(logging.Filter):
    """Removes tokens from httpx's log of requests: at Telegram, they are part of the URL."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(_without_token(each) for each in record.args)
        return True


def _without_token(value: object) -> object:
    return _IN_URL.sub("/bot[redacted]/", str(value)) if isinstance(value, httpx.URL | str) else value


_IN_URL = re.compile(r"/bot[0-9]+:[^/]+/")
logging.getLogger("httpx").addFilter(_WithoutTokens())
