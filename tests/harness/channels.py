"""Channels whose platform is a local double of Telegram."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from harness.agents import make
from harness.backend import ADA, BOUND_SECONDS, Place
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.model import ChannelMessage, ChannelView, EnterCode, NewChannel, Right
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.testing.telegram import ADA as TELEGRAM_ADA
from jupyter_cabinet.testing.telegram import SentMessage, TelegramServer, User

from .server import Server, until
from .waiting import LOOK_SECONDS


@asynccontextmanager
async def talking(
    folder: Path, agent: str = "helper", *, persona: Mapping[str, Any] | None = None, **fields: Any
) -> AsyncIterator[tuple[Backend, TelegramServer, str]]:
    """A server with an agent, a bot that is answered by it and that Ada may use, and the id of the channel."""
    with TelegramServer() as telegram:
        async with Place(folder).backend(**fields) as backend:
            await make(backend, agent, **(persona or {}))
            channel = await telegram_channel(backend, telegram, agent=agent)
            await paired(backend, telegram, channel)
            yield backend, telegram, channel


async def telegram_channel(backend: Backend, telegram: TelegramServer, *, agent: str = "", **fields: object) -> str:
    """Add a channel with the bot of the double, and return its id when it is connected."""
    new = NewChannel(
        platform="telegram", title="Team bot", token=telegram.token, api_url=telegram.url, agent=agent, **fields
    )
    channel = await backend.channels.create(new, ADA)
    await connected(backend, channel.id)
    return channel.id


async def connected(
    backend: Backend, channel_id: str, state: str = "connected", *, principal: Principal = ADA
) -> ChannelView:
    """Wait until the connection is in this state."""
    async with asyncio.timeout(BOUND_SECONDS):
        while (view := await backend.channels.get(channel_id, principal)).connection.state != state:
            await asyncio.sleep(LOOK_SECONDS)
    return view


async def paired(
    backend: Backend,
    telegram: TelegramServer,
    channel_id: str,
    *,
    user: User = TELEGRAM_ADA,
    may: tuple[Right, ...] = ("ask", "approve"),
    principal: Principal = ADA,
    agent: str = "",
) -> str:
    """Connect an account of Telegram with a person, by the code that the bot tells, and return the pairing's id."""
    telegram.write("hello", by=user)
    message = await sent(telegram, "do not know this account", chat=user.id)
    code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", message.text)
    assert code is not None
    owner = await backend.connected_accounts.enter_code(EnterCode(code=code[0], may=may, agent=agent), principal)
    assert (owner.channel_id, owner.sender_id) == (channel_id, str(user.id))
    assert owner.pairing is not None
    return owner.pairing.id


async def messages(backend: Backend, channel_id: str) -> list[ChannelMessage]:
    """Return the messages of a channel, oldest first."""
    return (await backend.channels.messages(channel_id, ADA, limit=200))[::-1]


async def sent(telegram: TelegramServer, part: str, *, chat: int | None = None, count: int = 1) -> SentMessage:
    """Wait until the bot has sent so many messages with this text, and return the last of them."""

    def found() -> list[SentMessage]:
        return [each for each in telegram.sent if part in each.text and chat in (None, each.chat)]

    try:
        async with asyncio.timeout(BOUND_SECONDS):
            while len(found()) < count:
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError:
        raise AssertionError(f"“{part}” was not sent, but: {telegram.texts()}") from None
    return found()[-1]


@contextmanager
def channel_of_server(
    server: Server, telegram: TelegramServer, *, agent: str, title: str = "Team bot"
) -> Iterator[str]:
    """Add a channel of a running server as a person in the browser, connect Ada's account, and delete it at the end.

    Gives the id of the channel.
    """
    fields = {"platform": "telegram", "title": title, "token": telegram.token, "api_url": telegram.url, "agent": agent}
    with server.browser_client("root") as browser:
        made = browser.post("channels", json=fields)
        assert made.status_code == 201, made.text
        channel = f"channels/{made.json()['id']}"
        until(lambda: browser.get(channel).json()["connection"]["state"] == "connected", what="the connection")
        telegram.write("hello")
        texts = until(telegram.texts, what="the code")
        code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", texts[-1])
        assert code is not None, texts
        paired = browser.post("channel-pairings", json={"code": code[0], "may": ["ask"], "agent": ""})
        assert paired.status_code == 200 and paired.json()["pairing"], paired.text
        yield made.json()["id"]
        assert browser.delete(channel).status_code == 204
