"""Messages that go out while connections break, platforms refuse, and other chats are stuck."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness.backend import ADA
from harness.channels import connected, messages, sent, talking
from harness.values import example_run
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.connection import ChannelConnection
from jupyter_cabinet.channels.conversations import answer_of
from jupyter_cabinet.channels.delivery.outgoing import Outgoing, send
from jupyter_cabinet.channels.delivery.sending import MOST_AT_ONCE
from jupyter_cabinet.channels.port import Button, NotSent, Place
from jupyter_cabinet.runs.model import RunResult
from jupyter_cabinet.testing.telegram import ADA as TELEGRAM_ADA
from jupyter_cabinet.testing.telegram import Fault, Group

CHAT = str(TELEGRAM_ADA.id)


def connection_of(backend: Backend, channel: str) -> ChannelConnection:
    return backend._channel_room.book.connections[channel]


@contextmanager
def held(backend: Backend, channel: str, chat: str = CHAT) -> Iterator[tuple[list[str], asyncio.Event]]:
    """Hold the calls that send to a chat until the event is set. Gives the texts of those that have begun, too."""
    adapter = connection_of(backend, channel)._adapter
    assert adapter is not None
    begun: list[str] = []
    resume, send_now = asyncio.Event(), adapter.send

    async def hold(place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        if place.chat == chat:
            begun.append(text)
            await resume.wait()
        return await send_now(place, text, buttons)

    adapter.send = hold  # type: ignore[method-assign]
    yield begun, resume
    resume.set()


async def put(backend: Backend, channel: str, *texts: str, chat: str = CHAT) -> None:
    room = backend._channel_room
    found = room.book.channel(channel)
    assert found is not None
    for text in texts:
        place = Place(chat=chat, direct=chat == CHAT)
        outgoing = Outgoing(channel=found, place=place, key=f"test/{text[:20]}", at=datetime.now(UTC))
        await send(text, outgoing, book=room.book, commits=room.channels._commits)


async def until_outgoing(backend: Backend, channel: str, states: list[str]) -> None:
    async with asyncio.timeout(60):
        while [each.state for each in await messages(backend, channel) if each.direction == "out"] != states:
            await asyncio.sleep(0.02)


async def test_a_bot_that_may_not_send_any_more_says_so_although_it_receives(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.always = Fault(method="sendMessage", kind="unauthorized")
        await put(backend, channel, "one", "two")
        view = await connected(backend, channel, "failed")
        assert view.connection.problem and view.connection.remedy
        await until_outgoing(backend, channel, ["waiting", "waiting"])
        assert telegram.calls.count("sendMessage") == 2  # the first was the code of the pairing
        telegram.always = None
        await backend._channel_room._connections.reopen(channel)
        await sent(telegram, "two")


async def test_a_call_in_progress_ends_while_the_connection_is_made_again(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        with held(backend, channel) as (begun, resume):
            await put(backend, channel, "one", "two")
            await holds(lambda: begun == ["one"])
            sender = connection_of(backend, channel).sender
            telegram.faults.append(Fault(method="getUpdates", kind="server_error"))
            telegram.write("/help", group=Group(-7))  # ends the long poll
            await holds(lambda: sender is not None and sender.is_stopping)
            resume.set()
            await until_outgoing(backend, channel, ["sent", "sent"])
            assert begun == ["one"]  # the second was sent by the next connection
        assert telegram.texts()[1:] == ["one", "two"]


@pytest.mark.long(reason="writes hundreds of long messages")
async def test_a_chat_that_is_stuck_delays_no_other(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.write("a group", group=Group(-7))
        with held(backend, channel) as (begun, resume):
            await put(backend, channel, "\n".join(f"{number} {'x' * 4000}" for number in range(MOST_AT_ONCE + 1)))
            await holds(lambda: bool(begun))
            await put(backend, channel, "to the group", chat="-7")
            await sent(telegram, "to the group")
            resume.set()


async def test_an_error_of_an_adapter_leaves_a_message_in_doubt(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, _telegram, channel):
        adapter = connection_of(backend, channel)._adapter

        async def fails(place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
            raise RecursionError("too deep")

        adapter.send = fails  # type: ignore[method-assign, union-attr]
        await put(backend, channel, "one")
        await until_outgoing(backend, channel, ["unknown"])
        assert (await backend.channels.get(channel, ADA)).connection.state == "connected"


@pytest.mark.parametrize(("told", "waits"), [(math.inf, 3600), (1e12, 3600), (math.nan, 0), (-5, 0), (7, 7)])
def test_no_platform_makes_a_message_wait_for_ever(told: float, waits: float) -> None:
    assert NotSent("", told).seconds == waits


@pytest.mark.parametrize("text", ["", " ", "```\n```", "~~~\n\n~~~\n"])
def test_an_answer_that_shows_nothing_is_told_in_words(text: str) -> None:
    run = example_run(state="succeeded", result=RunResult(text=text))
    assert answer_of(run) == "The agent has finished without writing anything."
