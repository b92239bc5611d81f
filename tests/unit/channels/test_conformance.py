"""What holds on every platform: conversations through its adapter and the whole backend, against a local double."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.agents import make
from harness.backend import ADA, BOUND_SECONDS, waiting_are
from harness.channels import connected, messages
from harness.platforms import DOUBLES, EVE, ROBOT, ChatDouble, SendFault, conversing, message, now
from harness.waiting import holds

from jupyter_cabinet.approvals.model import ApprovalFilter
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.delivery.outgoing import Outgoing, send
from jupyter_cabinet.channels.model import ChannelMessage
from jupyter_cabinet.channels.records import place_of

# The state of an answer after each fault while it is sent. "cut_after": it has arrived all the same.
OUTCOMES: dict[SendFault, str] = {
    "rate": "sent",
    "cut_after": "unknown",
    "cut_before": "unknown",
    "server_error": "unknown",
    "refused": "failed",
}
CAREFUL = {"permission_mode": "ask", "allowed_tools": ["Bash"]}


TYPICAL = ("telegram",)  # it has everything that a platform can have
OTHERS = pytest.mark.long(reason="the same on another platform; what is particular to that one has quick tests")


@pytest.fixture(params=DOUBLES)
def every_chat(request: pytest.FixtureRequest) -> Iterator[ChatDouble]:
    with DOUBLES[request.param]() as double:
        yield double


@pytest.fixture(params=[name if name in TYPICAL else pytest.param(name, marks=OTHERS) for name in DOUBLES])
def chat(request: pytest.FixtureRequest) -> Iterator[ChatDouble]:
    with DOUBLES[request.param]() as double:
        yield double


def needs(chat: ChatDouble, what: str) -> None:
    """Skip a test of something that the platform does not have."""
    if what in chat.lacks:
        pytest.skip(chat.lacks[what])


async def until(backend: Backend, channel: str, holds: Callable[[list[ChannelMessage]], bool]) -> list[ChannelMessage]:
    async with asyncio.timeout(BOUND_SECONDS):
        while not holds(found := await messages(backend, channel)):
            await asyncio.sleep(0.02)
    return found


def states(*expected: str) -> Callable[[list[ChannelMessage]], bool]:
    return lambda found: tuple(each.state for each in found) == expected


async def test_a_stranger_gets_a_code_and_reaches_the_agent_only_after_entering_it(
    tmp_path: Path, every_chat: ChatDouble
) -> None:
    chat = every_chat
    async with conversing(chat, tmp_path) as (backend, channel):
        assert not await messages(backend, channel)
        chat.write("remember good morning")
        answer = await message(chat, "good morning")
        assert (answer.text, answer.in_group) == ("I have noted: good morning", False)
        incoming, outgoing = await until(backend, channel, states("answered", "sent"))
        assert (incoming.direction, incoming.username, incoming.sender_name) == ("in", "ada", "Ada")
        assert (outgoing.direction, outgoing.run_id) == ("out", incoming.run_id)
        run = await backend.runs.get(incoming.run_id or "", ADA)
        assert (run.kind, run.agent, run.trigger.kind, run.owner) == ("channel_message", "helper", "message", "ada")
        system, prompt = await backend.runs.files.prompt(run.id, ADA)
        assert prompt == "remember good morning"
        assert f"This message was written by Ada in {chat.title}, in a direct chat." in system
        assert len(chat.shown()) == chat.greetings + 1
        view = await backend.channels.get(channel, ADA)
        assert (view.connection.state, view.connection.account) == ("connected", chat.account)


async def test_in_a_group_only_a_mention_by_somebody_who_is_paired_counts(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "groups")
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.write("remember one", group=True)
        chat.write("remember two", group=True, mention=True, by=EVE)
        chat.write("remember three", group=True, mention=True, by=ROBOT)
        edited = chat.write("nothing", group=True)
        chat.edit(edited, "remember four", group=True, mention=True)
        written = chat.write("remember five", group=True, mention=True)
        answer = await message(chat, "five")
        assert (answer.in_group, answer.thread) == (True, written.thread)
        written = chat.write("remember six", group=True, mention=True, in_thread=True)
        answer = await message(chat, "six")
        assert (answer.in_group, answer.thread) == (True, written.thread) and written.thread
        incoming = [each.text for each in await messages(backend, channel) if each.direction == "in"]
        assert incoming == ["remember five", "remember six"]
        assert len(chat.shown()) == 3


async def test_bots_and_edits_are_ignored_in_a_direct_chat(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "edits")
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.write("remember one", by=ROBOT)
        written = chat.write("remember two")
        await message(chat, "two")
        chat.edit(written, "remember three")
        chat.write("remember four")
        await message(chat, "four")
        assert [each.text for each in await messages(backend, channel) if each.direction == "in"] == [
            "remember two",
            "remember four",
        ]
        assert len(chat.shown()) == 3


async def test_a_repeated_delivery_changes_nothing(tmp_path: Path, chat: ChatDouble) -> None:
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.write("remember once")
        await message(chat, "once")
        chat.repeat_deliveries()
        chat.write("remember afterwards")
        await message(chat, "afterwards")
        assert len([each for each in await messages(backend, channel) if each.direction == "in"]) == 2
        assert len(chat.shown()) == chat.greetings + 2


async def test_a_message_that_could_not_be_recorded_comes_again(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "deliveries")
    async with conversing(chat, tmp_path) as (backend, channel):
        file = next((tmp_path / "data" / "channels").iterdir()) / "channels.json"
        good = file.read_bytes()
        file.write_text("{")
        chat.write("remember this one")
        connection = backend._channel_room.book.connections[channel]
        await holds(lambda: connection.state.state == "connecting")  # it has failed, and connects again
        file.write_bytes(good)
        await message(chat, "I have noted: this one")
        assert len(chat.shown()) == 2


async def test_a_delivery_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "deliveries")
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.deliver_nonsense()
        chat.write("remember that it works")
        await message(chat, "it works")
        assert (await backend.channels.get(channel, ADA)).connection.state == "connected"


async def test_an_approval_request_is_answered_by_a_button(tmp_path: Path, chat: ChatDouble) -> None:
    async with conversing(chat, tmp_path) as (backend, _):
        await make(backend, "careful", **CAREFUL)
        chat.write("@careful run touch made.txt")
        card = await message(chat, "touch made.txt")
        assert card.buttons == ("Allow once", "Deny")
        assert card.text.startswith("Demo agent asks to run a command\n") and "In the server's folder, " in card.text
        assert card.code[-1] == "touch made.txt"
        press = chat.press(card, "Allow once")
        await holds(lambda: chat.told(press) is not None)
        await holds((tmp_path / "root" / "made.txt").exists)
        await holds(lambda: not now(chat, card).buttons and "by Ada" in now(chat, card).text)
        assert now(chat, card).code == card.code
        (approval,) = await backend.approvals.find(ApprovalFilter(), ADA)
        assert (approval.state, approval.answered_by and approval.answered_by.username) == ("answered", "ada")


async def test_a_button_takes_neither_strangers_nor_other_requests(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "strangers")
    async with conversing(chat, tmp_path) as (backend, _):
        await make(backend, "careful", **CAREFUL)
        chat.write("@careful run touch made.txt")
        card = await message(chat, "touch made.txt")
        stranger = chat.press(card, "Allow once", by=EVE)
        await holds(lambda: chat.told(stranger) is not None)
        assert chat.told(stranger) == "Your account is not connected, so you cannot answer this."
        forged = chat.press(card, "Allow once", forged=True)
        await holds(lambda: chat.told(forged) is not None)
        assert "something else than this message shows" in (chat.told(forged) or "")
        (approval,) = await backend.approvals.find(ApprovalFilter(), ADA)
        assert approval.state == "waiting" and not (tmp_path / "root" / "made.txt").exists()


async def test_a_request_that_has_ended_loses_its_buttons(tmp_path: Path, chat: ChatDouble) -> None:
    async with conversing(chat, tmp_path) as (backend, _):
        await make(backend, "careful", **CAREFUL)
        in_group = "groups" not in chat.lacks
        chat.write("run touch made.txt @careful", group=in_group, mention=in_group)
        card = await message(chat, "touch made.txt")
        await waiting_are(backend, 1)
        (approval,) = await backend.approvals.find(ApprovalFilter(waiting=True), ADA)
        await backend.runs.cancel(approval.run_id, ADA)
        await holds(lambda: not now(chat, card).buttons)
        late = chat.press(card, "Allow once")
        await holds(lambda: chat.told(late) is not None)
        assert "no longer open" in (chat.told(late) or "")
        assert not (tmp_path / "root" / "made.txt").exists()


async def test_a_message_is_sent_again_only_if_it_surely_was_not_sent(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "faults")
    async with conversing(chat, tmp_path) as (backend, channel):
        expected: list[str] = []
        arrived: list[str] = []
        for kind, state in OUTCOMES.items():
            chat.fail_next(kind)
            for text in (kind, f"{kind}, afterwards"):
                chat.write(f"remember {text}")
                outcome = state if text == kind else "sent"
                expected += ["answered", outcome]
                found = await until(backend, channel, states(*expected))
                arrived += [f"I have noted: {text}"] if outcome == "sent" or kind == "cut_after" else []
            if state == "failed":
                assert found[-3].reason == chat.refusal
        assert [each.text for each in chat.shown()[1:]] == arrived
        view = await backend.channels.get(channel, ADA)
        unknown = list(OUTCOMES.values()).count("unknown")
        assert (view.connection.state, view.unknown, view.waiting) == ("connected", unknown, 0)


async def test_the_connection_comes_back_after_a_storm_and_nothing_is_lost(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "faults")
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.disturb_connection()
        chat.write("remember that it works")
        await message(chat, "it works")
        await connected(backend, channel)


async def test_a_token_that_has_expired_is_a_problem_with_a_remedy(tmp_path: Path, chat: ChatDouble) -> None:
    needs(chat, "tokens")
    async with conversing(chat, tmp_path) as (backend, channel):
        chat.revoke_token()
        view = await connected(backend, channel, "failed")
        assert view.connection.problem == chat.wrong_token
        assert view.connection.remedy.startswith("Check the token")


async def test_a_long_answer_comes_in_order_and_its_code_stays_code(tmp_path: Path, chat: ChatDouble) -> None:
    lines = [f"line_{number} = {number} < {number + 1} & True" for number in range(chat.longest // 10)]
    text = "\n".join(["Look:", "```python", *lines, "```", "The end"])
    async with conversing(chat, tmp_path) as (backend, channel_id):
        chat.write("remember one")
        (incoming, _) = await until(backend, channel_id, states("answered", "sent"))
        book = backend._channel_room.book
        channel = book.channel(channel_id)
        assert channel is not None
        outgoing = Outgoing(channel=channel, place=place_of(incoming), key="test", at=incoming.at)
        await send(text, outgoing, book=book, commits=backend.commits)
        await message(chat, "The end")
        answer = chat.shown()[chat.greetings + 1 :]
        assert len(answer) > 1 and all(len(each.text) <= chat.longest for each in answer)
        assert "\n".join(code for each in answer for code in each.code).split("\n") == lines
        assert not any("```" in each.text for each in answer)


async def test_a_token_is_in_no_log_and_in_no_reply(
    tmp_path: Path, chat: ChatDouble, caplog: pytest.LogCaptureFixture
) -> None:
    needs(chat, "tokens")
    caplog.set_level(logging.DEBUG)
    async with conversing(chat, tmp_path) as (backend, channel):
        view = await backend.channels.get(channel, ADA)
        assert not [secret for secret in chat.secrets if secret in repr(view)]
        for number, secret in enumerate(chat.secrets, start=2):  # an agent that has seen it must not post it
            chat.write(f"remember {secret}")
            await holds(lambda number=number: len(chat.shown()) == number)
            assert secret not in chat.shown()[-1].text
    assert not [secret for secret in chat.secrets if secret in caplog.text] and chat.in_log in caplog.text
