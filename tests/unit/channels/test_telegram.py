"""Conversations over Telegram: real HTTP to a local Bot API, with the demo agent at work."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harness.agents import make
from harness.backend import ADA, BOUND_SECONDS, waiting_are
from harness.channels import connected, messages, sent, talking
from harness.postgres import Postgres
from harness.waiting import holds

from jupyter_cabinet.approvals.model import Approval, ApprovalFilter, AskedPart
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.channels.approvals_in_chat import card
from jupyter_cabinet.channels.model import ChannelMessage
from jupyter_cabinet.channels.port import Limits
from jupyter_cabinet.channels.telegram.formatting import formatted
from jupyter_cabinet.runtimes.model import AnswerOption
from jupyter_cabinet.testing.telegram import Fault, Group, User

EVE = User(6666, "Eve")
TEAM = Group(-100200)


async def test_a_stranger_gets_a_code_and_reaches_the_agent_only_after_entering_it(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        assert not await messages(backend, channel)
        telegram.write("remember good morning")
        await sent(telegram, "good morning")
        await holds(lambda: "sendChatAction" in telegram.calls)
        incoming, outgoing = await settled(backend, channel)
        assert (incoming.direction, incoming.state, incoming.username) == ("in", "answered", "ada")
        assert (outgoing.state, outgoing.run_id) == ("sent", incoming.run_id)
        run = await backend.runs.get(incoming.run_id or "", ADA)
        assert (run.kind, run.agent, run.trigger.kind, run.owner) == ("channel_message", "helper", "message", "ada")
        system, prompt = await backend.runs.prompt(run.id, ADA)
        assert prompt == "remember good morning"
        assert "This message was written by Ada in Telegram, in a direct chat." in system


async def settled(backend: Backend, channel: str) -> list[ChannelMessage]:
    """Return the messages of a channel when nothing of them is unfinished."""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            found = await messages(backend, channel)
            if all(each.state in ("answered", "sent", "failed", "unknown") for each in found):
                return found
            await asyncio.sleep(0.02)


async def test_a_conversation_goes_on_until_a_new_one_begins(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.write("remember the number 17")
        await sent(telegram, "17")
        telegram.write("what did I tell you")
        await sent(telegram, "number 17", count=2)
        telegram.write("/new")
        await sent(telegram, "A new conversation with @helper has begun.")
        telegram.write("what did I tell you")
        await holds(lambda: len(telegram.sent) == 5)
        assert "17" not in telegram.sent[-1].text
        runs = [each.run_id for each in await messages(backend, channel) if each.direction == "in" and each.run_id]
        sessions = [(await backend.runs.get(run, ADA)).session_id for run in runs]
        assert (sessions[0], len(set(sessions))) == (sessions[1], 2)


async def test_commands(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "writer")
        telegram.write("/agents")
        assert "@writer – " in (await sent(telegram, "You can ask these agents:")).text
        telegram.write("/status @writer")
        await sent(telegram, "@writer is free. It answers here because of this: the message mentions it.")
        telegram.write("/approvals")
        await sent(telegram, "No agent waits for your answer.")
        telegram.write("/cancel")
        await sent(telegram, "Nothing is being worked on in this conversation.")
        telegram.write("sleep 300")
        await holds(lambda: any(run.state == "running" for run in backend.records.working()))
        telegram.write("remember this")
        await sent(telegram, "Your message waits: 1 message is before it.")
        telegram.write("/status")
        assert "1 more in the queue." in (await sent(telegram, "@helper works:")).text
        telegram.write("/cancel")
        await sent(telegram, "Stopped, with 1 more in the queue.")
        assert not backend.records.working()
        telegram.write("/help")
        await sent(telegram, "/status – ")
        assert not [text for text in telegram.texts() if "Cancelled" in text]


async def test_too_many_messages_of_a_conversation_are_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, telegram, _channel):
        for _ in range(6):
            telegram.write("sleep 300")
        await sent(telegram, "The agent still works on earlier messages.")
        telegram.write("/cancel")
        await sent(telegram, "Stopped, with 4 more in the queue.")


async def test_in_a_group_only_a_mention_by_somebody_who_is_paired_counts(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.write("remember one", group=TEAM)
        telegram.write("@cabinet_test_bot remember two", group=TEAM, by=EVE)
        telegram.write("@cabinet_test_bot remember three", group=TEAM, by=User(77, "Robot", is_bot=True))
        edited = telegram.write("nothing", group=TEAM)
        telegram.write("@cabinet_test_bot remember four", group=TEAM, edits=edited)
        telegram.write("@cabinet_test_bot remember five", group=Group(TEAM.id, thread=8))
        answer = await sent(telegram, "five", chat=TEAM.id)
        assert answer.thread == 8
        telegram.write("remember six", group=TEAM, reply_to_bot=True)
        await sent(telegram, "six", chat=TEAM.id)
        incoming = [each.text for each in await messages(backend, channel) if each.direction == "in"]
        assert incoming == ["remember five", "remember six"]
        assert not [each for each in telegram.sent if each.chat == EVE.id]


async def test_an_approval_request_is_answered_by_a_button(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "careful", permission_mode="ask", allowed_tools=["Bash"])
        telegram.write("@careful run touch made.txt")
        card = await sent(telegram, "touch made.txt")
        assert [label for label, _ in card.buttons] == ["Allow once", "Deny"]
        assert card.text.startswith("Demo agent asks to run a command\n\n") and "In the server's folder, " in card.text
        allow = card.buttons[0][0]
        stranger = telegram.press(card, allow, by=EVE)
        await holds(lambda: stranger in telegram.answers)
        assert telegram.answers[stranger] == "Your account is not connected, so you cannot answer this."
        forged = telegram.press_with(card.buttons[0][1][:-4] + "0000", card)
        await holds(lambda: forged in telegram.answers)
        assert "something else than this message shows" in telegram.answers[forged]
        assert not (tmp_path / "root" / "made.txt").exists()
        press = telegram.press(card, allow)
        await holds(lambda: press in telegram.answers)
        await holds((tmp_path / "root" / "made.txt").exists)
        await holds(lambda: not card.buttons and "by Ada" in card.text)
        (approval,) = await backend.approvals.find(ApprovalFilter(), ADA)
        assert (approval.state, approval.answered_by and approval.answered_by.username) == ("answered", "ada")


async def test_a_request_that_was_answered_elsewhere_loses_its_buttons(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "careful", permission_mode="ask", allowed_tools=["Bash"])
        telegram.write("@careful run touch made.txt")
        card = await sent(telegram, "touch made.txt")
        old = card.buttons[0][1]
        await waiting_are(backend, 1)
        telegram.write("/approvals")
        await sent(telegram, "These agents wait for your answer:")
        telegram.write("/cancel @careful")
        await holds(lambda: not card.buttons)
        late = telegram.press_with(old, card)
        await holds(lambda: late in telegram.answers)
        assert "no longer open" in telegram.answers[late]
        assert not (tmp_path / "root" / "made.txt").exists()


async def test_a_request_that_is_too_long_for_one_message_is_answered_in_jupyterlab(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "careful", permission_mode="ask", allowed_tools=["Bash"])
        telegram.write(f"@careful run touch {'long' * 1000}.txt")
        card = await sent(telegram, "It is too long to show here. Answer it in JupyterLab.")
        assert not card.buttons
        await waiting_are(backend, 1)


def test_nothing_of_a_request_is_hidden_by_fences() -> None:
    approval = Approval(
        id="0" * 26,
        run_id="r",
        question_id="q",
        session_id="s",
        runtime_title="Demo",
        instruction="x",
        kind="tool",
        title="Demo asks",
        folder="/root",
        options=(AnswerOption(id="a", label="Allow", kind="allow_once"),),
        owner="ada",
        owner_name="Ada",
        visibility="private",
        asked_at=datetime.now(UTC),
        expires_at=datetime.now(UTC),
        question="~~~ hidden words\nWhat now?",
        parts=(AskedPart(label="````", text="ls"), AskedPart(label="~~~x\n~~~", text="one\n~~~ ; rm -rf /\n```\ntwo")),
    )
    text, buttons = card(approval, Path("/root"), Limits(length=4096, unit="utf-16"), may_answer=True)
    shown, _ = formatted(text)
    assert buttons and all(part in shown for part in ("hidden words", "What now?", "ls", "; rm -rf /", "two"))


async def test_a_repeated_delivery_changes_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.write("remember once")
        await sent(telegram, "once")
        telegram.repeat_updates()
        telegram.write("remember afterwards")
        await sent(telegram, "afterwards")
        assert len([each for each in await messages(backend, channel) if each.direction == "in"]) == 2
        assert len(telegram.texts()) == 3  # the code and two answers


@pytest.mark.parametrize(
    ("kind", "state", "arrives"),
    [
        ("rate", "sent", True),
        ("cut_after", "unknown", True),
        ("cut_before", "unknown", False),
        ("server_error", "unknown", False),
        ("blocked", "failed", False),
    ],
)
async def test_a_message_is_sent_again_only_if_it_surely_was_not_sent(
    tmp_path: Path, kind: Any, state: str, arrives: bool
) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.faults.append(Fault(method="sendMessage", kind=kind))
        telegram.write("remember one")
        async with asyncio.timeout(30):
            while [each.state for each in await messages(backend, channel)] != ["answered", state]:
                await asyncio.sleep(0.02)
        telegram.write("remember two")
        async with asyncio.timeout(30):
            while (await messages(backend, channel))[-1].state != "sent":
                await asyncio.sleep(0.02)
        assert [text for text in telegram.texts()[1:] if "one" in text] == ["I have noted: one"] * arrives
        view = await backend.channels.get(channel, ADA)
        assert (view.connection.state, view.unknown, view.waiting) == ("connected", int(state == "unknown"), 0)
        if state == "failed":
            reason = (await messages(backend, channel))[1].reason
            assert reason == "Telegram refuses: Forbidden: bot was blocked by the user."


async def test_the_connection_comes_back_after_a_storm_and_nothing_is_lost(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        for kind in ("server_error", "cut_after"):
            telegram.faults.append(Fault(method="getUpdates", kind=kind))
        telegram.write("remember that it works")
        await sent(telegram, "it works")
        await connected(backend, channel)


async def test_a_token_that_has_expired_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        telegram.always = Fault(method="*", kind="unauthorized")
        telegram.write("hello")  # ends the long poll
        view = await connected(backend, channel, "failed")
        assert view.connection.problem == "Telegram does not know this token."
        assert view.connection.remedy == "Check the token of the bot, then save the channel again."


async def test_another_program_with_the_same_bot_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        await holds(lambda: telegram.polls == 1)
        await asyncio.to_thread(telegram.call, telegram.token, "getUpdates", {"timeout": 0})
        view = await connected(backend, channel, "connecting")
        assert view.connection.problem.startswith("Another program receives the messages of this bot.")


async def test_a_long_answer_comes_in_order(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(1500))
    async with talking(tmp_path) as (_, telegram, _channel):
        telegram.write(f"remember {words}")
        await sent(telegram, "word1499")
        assert "".join(telegram.texts()[1:]).replace("\n", " ").count("word") >= 1500
        assert all(len(text) <= 4096 for text in telegram.texts())


async def test_a_token_is_in_no_log_and_in_no_reply(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with talking(tmp_path) as (backend, telegram, channel):
        view = await backend.channels.get(channel, ADA)
        assert telegram.token not in repr(view)
        await sent(telegram, "do not know this account")
        telegram.write(f"remember {telegram.token}")  # an agent that has seen it must not post it
        await holds(lambda: len(telegram.sent) == 2)
        assert telegram.token not in telegram.sent[-1].text
    assert telegram.token not in caplog.text and "HTTP Request" in caplog.text


@pytest.mark.long(reason="the other database is tried in test_postgres.py")
@pytest.mark.slow(reason="starts PostgreSQL")
async def test_a_conversation_whose_records_are_in_postgresql(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database().render_as_string(hide_password=False)
    async with talking(tmp_path, db_url=url) as (backend, telegram, channel):
        telegram.write("remember 100 %_\x00 of it")
        await sent(telegram, "100 %_ of it")
        found = await backend.channels.messages(channel, ADA, query="100 %_ OF")
        assert {each.direction for each in found} == {"in", "out"}
        assert await backend.channels.messages(channel, ADA, query="100 %x") == []
        telegram.repeat_updates()
        telegram.write("/new")
        await sent(telegram, "A new conversation with @helper has begun.")
        assert len([each for each in await messages(backend, channel) if each.direction == "in"]) == 2
