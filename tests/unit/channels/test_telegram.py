"""Conversations over Telegram: a real bot library against a local Bot API, with the demo agent at work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from harness.agents import make
from harness.backend import ADA, Place
from harness.channels import paired, sent, telegram_channel

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.testing.telegram import TelegramServer


@asynccontextmanager
async def talking(folder: Path, **fields: Any) -> AsyncIterator[tuple[Backend, TelegramServer, str]]:
    """A server with the agent `ada`, and her bot, which Ada may use."""
    with TelegramServer() as telegram:
        async with Place(folder).backend(**fields) as backend:
            await make(backend, "ada")
            channel = await telegram_channel(backend, telegram, agent="ada")
            await paired(backend, telegram, channel)
            yield backend, telegram, channel


async def test_a_stranger_gets_a_code_and_reaches_the_agent_only_after_entering_it(tmp_path: Path) -> None:
    with TelegramServer() as telegram:
        async with Place(tmp_path).backend() as backend:
            await make(backend, "ada")
            channel = await telegram_channel(backend, telegram, agent="ada")
            await paired(backend, telegram, channel)
            assert not await backend.channels.messages(channel, ADA)
            telegram.write("remember good morning")
            await sent(telegram, "good morning")
            incoming, outgoing = sorted(await backend.channels.messages(channel, ADA), key=lambda each: each.number)
            assert (incoming.direction, incoming.state, incoming.username) == ("in", "answered", "ada")
            assert (outgoing.state, outgoing.run_id) == ("sent", incoming.run_id)
            run = await backend.runs.get(incoming.run_id or "", ADA)
            assert (run.kind, run.agent, run.trigger.kind, run.owner) == ("channel_message", "ada", "message", "ada")
