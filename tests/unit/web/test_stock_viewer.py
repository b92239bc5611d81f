"""A client of JupyterLab's own terminals, which says nothing while nobody types. terminado's socket, a real shell."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

from harness.in_process import OneUser, web_socket
from harness.waiting import BOUND_SECONDS, holds
from jupyter_server_terminals.handlers import TermSocket
from tornado.websocket import WebSocketClientConnection

from jupyter_cabinet.core.events import EventBus
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.sandboxes.local import LocalSandbox
from jupyter_cabinet.terminals.model import NewTerminal
from jupyter_cabinet.terminals.service import Terminals
from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.web.jupyter.stock_terminals import SharedTerminalManager, StockTerminal

ADA = Principal(username="ada", display_name="Ada")
MINUTE = 60.0


@asynccontextmanager
async def stock_client(provider: OneUser, clock: ManualClock) -> AsyncIterator[WebSocketClientConnection]:
    """The browser's end of a stock terminal named `1`, once it is attached."""
    bus = EventBus()
    terminals = Terminals(clock=clock, bus=bus, sandbox=LocalSandbox())
    manager = SharedTerminalManager(shell_command=["sh"])
    manager.serve(terminals, bus, clock)
    opening = asyncio.create_task(terminals.open_for(ADA, NewTerminal(), cwd="/"))
    manager.terminals["1"] = StockTerminal("1", opening)
    rule = (r"/terminals/websocket/(\w+)", TermSocket, {"name": "terminals", "term_manager": manager})
    settings = {"terminal_manager": manager, "terminals": SimpleNamespace(log=logging.getLogger(__name__))}
    try:
        async with web_socket("/terminals/websocket/1", rule, provider, **settings) as client:
            terminal = await opening
            await holds(lambda: len(terminal.viewers.people()) == 1)
            yield client
    finally:
        await terminals.stop()


async def shows(client: WebSocketClientConnection, text: str) -> None:
    async with asyncio.timeout(BOUND_SECONDS):
        while text not in (message := await client.read_message() or ""):
            assert message, "it was closed"


async def test_a_client_that_nobody_types_into_stays() -> None:
    clock = ManualClock()
    async with stock_client(OneUser(), clock) as client:
        await clock.advance(10 * MINUTE)
        await client.write_message(json.dumps(["stdin", "echo woke-$((40+2))\r"]))
        await shows(client, "woke-42")


async def test_an_answer_about_the_person_counts_for_a_second_and_who_is_gone_is_sent_away() -> None:
    provider, clock = OneUser(), ManualClock()
    async with stock_client(provider, clock) as client:
        await client.write_message(json.dumps(["stdin", "echo one-$((40+1))\r"]))
        await shows(client, "one-41")
        asked = provider.asked
        await clock.advance(0.9)
        await client.write_message(json.dumps(["stdin", "echo two-$((40+2))\r"]))
        await shows(client, "two-42")
        assert provider.asked == asked
        provider.user = None
        await clock.advance(0.2)
        await client.write_message(json.dumps(["stdin", "echo three-$((40+3))\r"]))
        async with asyncio.timeout(BOUND_SECONDS):
            while (message := await client.read_message()) is not None:
                assert "three-43" not in message
