"""What happens in the minutes after a fault: nothing is lost, and nobody gets what they may not have any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness.backend import ADA, BOUND_SECONDS, waiting_are
from harness.backend import Place as Folder
from harness.channels import connected, messages, sent, talking
from harness.waiting import holds

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.model import ChannelMessage, EditChannel
from jupyter_cabinet.channels.port import Button, Place
from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.testing.telegram import Fault

CAREFUL = {"permission_mode": "ask", "allowed_tools": ["Bash"]}
NEW_TOKEN = "999:" + "b" * 30


async def until_messages(
    backend: Backend, channel: str, holds: Callable[[list[ChannelMessage]], bool]
) -> list[ChannelMessage]:
    async with asyncio.timeout(BOUND_SECONDS):
        while not holds(found := await messages(backend, channel)):
            await asyncio.sleep(0.02)
    return found


@contextmanager
def held_sending(backend: Backend, channel: str) -> Iterator[tuple[asyncio.Event, asyncio.Event]]:
    """Hold the next call that sends something: the first event says that it has begun, the second lets it continue."""
    adapter = backend._channel_room.book.connections[channel]._adapter
    assert adapter is not None
    begun, resume, send = asyncio.Event(), asyncio.Event(), adapter.send

    async def held(place: Place, text: str, buttons: Sequence[Button] = ()) -> str:
        begun.set()
        await resume.wait()
        return await send(place, text, buttons)

    adapter.send = held  # type: ignore[method-assign]
    try:
        yield begun, resume
    finally:
        resume.set()
        adapter.send = send  # type: ignore[method-assign]


def incoming(found: list[ChannelMessage]) -> list[str]:
    return [each.state for each in found if each.direction == "in"]


async def answer_first(backend: Backend, kind: str) -> None:
    await waiting_are(backend, 1)
    (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
    option = next(option for option in approval.options if option.kind == kind)
    await backend.approvals.answer(approval.id, NewAnswer(option=option.id), ADA)


@pytest.mark.long(reason="waits for what must not come")
async def test_a_disconnected_account_gets_nothing_more(tmp_path: Path) -> None:
    async with talking(tmp_path, "careful", persona=CAREFUL) as (backend, telegram, channel):
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        telegram.write("run touch one.txt")
        await sent(telegram, "touch one.txt")
        telegram.write("run touch two.txt")
        await sent(telegram, "Your message waits")
        known = len(telegram.sent)
        await backend.connected_accounts.delete_pairing(pairing.id, ADA)
        await answer_first(backend, "allow_once")
        await until_messages(backend, channel, lambda all: incoming(all) == ["answered", "answered"])
        assert len(telegram.sent) == known and not (tmp_path / "root" / "two.txt").exists()


async def test_an_answer_that_waits_is_not_sent_to_a_disconnected_account(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        telegram.always = Fault(method="sendMessage", kind="rate", seconds=1)
        telegram.write("remember this secret")
        await until_messages(backend, channel, lambda all: [each.state for each in all] == ["answered", "waiting"])
        await backend.connected_accounts.delete_pairing(pairing.id, ADA)  # perhaps during a call, which fails
        await until_messages(backend, channel, lambda all: all[-1].state == "failed")
        telegram.always = None
        connection = backend._channel_room.book.connections[channel]
        await holds(lambda: connection.sender is not None and connection.sender.is_idle)  # it has given up sending
        assert (await messages(backend, channel))[-1].state == "failed" and len(telegram.sent) == 1


async def test_a_message_is_not_repeated_if_its_account_is_disconnected_during_a_call(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        (pairing,) = await backend.connected_accounts.pairings(ADA)
        with held_sending(backend, channel) as (begun, resume):
            telegram.write("remember this secret")
            await begun.wait()
            await backend.connected_accounts.delete_pairing(pairing.id, ADA)
            telegram.faults.append(Fault(method="sendMessage", kind="rate", seconds=0))
            resume.set()
            found = await until_messages(backend, channel, lambda all: all[-1].state != "sending")
        assert (found[-1].state, found[-1].reason) == ("failed", "The account was disconnected.")
        assert len(telegram.sent) == 1


@pytest.mark.long(reason="a race between two calls")
@pytest.mark.parametrize("fails", [False, True])
async def test_a_request_that_is_closed_during_its_call_has_no_buttons(tmp_path: Path, fails: bool) -> None:
    async with talking(tmp_path, "careful", persona=CAREFUL) as (backend, telegram, channel):
        with held_sending(backend, channel) as (begun, resume):
            telegram.write("run touch one.txt")
            await begun.wait()
            await answer_first(backend, "deny")
            await until_messages(backend, channel, lambda all: any(each.ending for each in all))
            if fails:
                telegram.faults.append(Fault(method="sendMessage", kind="rate", seconds=0))
            resume.set()
            await holds(lambda: any("Denied by Ada." in text for text in telegram.texts()))
        card = next(each for each in telegram.sent if "touch one.txt" in each.text)
        assert not card.buttons and "Denied by Ada." in card.text
        assert bool(card.versions) != fails  # it was changed, or not sent before


async def test_a_request_that_was_closed_before_it_was_sent_has_no_buttons(tmp_path: Path) -> None:
    async with talking(tmp_path, "careful", persona=CAREFUL) as (backend, telegram, channel):
        telegram.always = Fault(method="sendMessage", kind="rate", seconds=1)
        telegram.write("run touch one.txt")
        await until_messages(
            backend, channel, lambda all: any(each.buttons and each.state == "waiting" for each in all)
        )
        await answer_first(backend, "deny")
        await until_messages(backend, channel, lambda all: not any(each.buttons for each in all))
        telegram.always = None
        card = await sent(telegram, "touch one.txt")
        assert not card.buttons and "Denied by Ada." in card.text


@pytest.mark.long(reason="waits for connections that fail")
async def test_an_answer_waits_for_a_new_token(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.write("sleep 1")
        await until_messages(backend, channel, lambda all: [each.state for each in all] == ["working"])
        await holds(lambda: telegram.polls == 1)  # with the old token
        telegram.token = NEW_TOKEN
        telegram.write("/help")  # ends the long poll
        await connected(backend, channel, "failed")
        await until_messages(backend, channel, lambda all: incoming(all) == ["answered", "answered"])
        edit = EditChannel(title="Bot", agent="helper", api_url=telegram.url, token=NEW_TOKEN)
        await backend.channels.change(channel, edit, ADA)
        found = await until_messages(backend, channel, lambda all: all[-1].state == "sent")
        assert telegram.texts()[-1] == found[-1].text


async def test_a_server_without_channels_does_not_wake_up_for_them(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 11, 1, 12, tzinfo=UTC))
    async with Folder(tmp_path).backend(clock=clock) as backend:
        looked: list[None] = []
        backend._channel_room.book.file.version = lambda: looked.append(None)  # type: ignore[method-assign]
        await clock.advance(3600.0)
        assert len(looked) <= 2  # those at the start, for connections and for old messages
