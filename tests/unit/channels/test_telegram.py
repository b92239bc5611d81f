"""Conversations over Telegram: real HTTP to a local Bot API, with the demo agent at work.

What holds on every platform is in `test_conformance.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from harness.agents import make
from harness.backend import ADA, waiting_are
from harness.channels import connected, messages, sent, talking
from harness.postgres import Postgres
from harness.waiting import holds

from jupyter_cabinet.testing.telegram import Group

TEAM = Group(-100200)


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
    async with talking(tmp_path) as (backend, telegram, channel):
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
        telegram.write("/nonsense")
        await sent(telegram, "There is no command /nonsense: the commands are /ask, ")
        before = len(telegram.sent)
        telegram.write("/home/x is full")
        await holds(lambda: len(telegram.sent) > before)
        incoming = {each.text: each.run_id for each in await messages(backend, channel) if each.direction == "in"}
        assert incoming["/home/x is full"]
        assert not incoming["/nonsense"]
        assert not [text for text in telegram.texts() if "Cancelled" in text]


@pytest.mark.long(reason="a flood")
async def test_too_many_messages_of_a_conversation_are_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, telegram, _channel):
        for _ in range(6):
            telegram.write("sleep 300")
        await sent(telegram, "The agent still works on earlier messages.")
        telegram.write("/cancel")
        await sent(telegram, "Stopped, with 4 more in the queue.")


async def test_an_answer_to_the_bot_in_a_group_counts_as_a_mention(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, telegram, _channel):
        telegram.write("remember one", group=TEAM, reply_to_bot=True)
        await sent(telegram, "I have noted: one", chat=TEAM.id)
        assert "sendChatAction" in telegram.calls  # people saw that the bot was about to write


async def test_a_run_that_waits_for_an_answer_is_listed_and_can_be_cancelled(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "careful", permission_mode="ask", allowed_tools=["Bash"])
        telegram.write("@careful run touch made.txt")
        card = await sent(telegram, "touch made.txt")
        await waiting_are(backend, 1)
        telegram.write("/approvals")
        await sent(telegram, "These agents wait for your answer:")
        telegram.write("/cancel @careful")
        await holds(lambda: not card.buttons)


async def test_a_request_that_is_too_long_for_one_message_is_answered_in_jupyterlab(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, _):
        await make(backend, "careful", permission_mode="ask", allowed_tools=["Bash"])
        telegram.write(f"@careful run touch {'long' * 1000}.txt")
        card = await sent(telegram, "It is too long to show here. Answer it in JupyterLab.")
        assert not card.buttons
        await waiting_are(backend, 1)


async def test_another_program_with_the_same_bot_is_a_problem_with_a_remedy(tmp_path: Path) -> None:
    async with talking(tmp_path) as (backend, telegram, channel):
        await holds(lambda: telegram.polls == 1)
        await asyncio.to_thread(telegram.call, telegram.token, "getUpdates", {"timeout": 0})
        view = await connected(backend, channel, "connecting")
        assert view.connection.problem.startswith("Another program receives the messages of this bot.")


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
