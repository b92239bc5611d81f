"""A day of a shared terminal by a clock that a test moves on: grace, idle control, an agent, a recording, culling."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.waiting import holds

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.terminals.model import TerminalClosed
from jupyter_cabinet.terminals.service import CULLED_EVERY_PARTS
from jupyter_cabinet.testing.manual_clock import ManualClock

ADA = Principal(username="ada", display_name="Ada")
MINUTE, HOUR = 60.0, 3600.0
PINGED_EVERY_SECONDS = 20.0
AGENT = """
    import os
    os.write(1, b"at work\\n")
    while line := os.read(0, 100):
        os.write(1, b"did " + line)
"""


@contextmanager
def pinging(clock: ManualClock, *clients) -> Iterator[None]:
    """They say every now and then that they are there, as browsers do."""

    async def ping() -> None:
        while True:
            await clock.sleep(PINGED_EVERY_SECONDS)
            for client in clients:
                client.connection.heard()

    task = asyncio.create_task(ping())
    try:
        yield
    finally:
        task.cancel()


async def test_a_day_of_a_terminal_passes_as_it_should(room, tmp_path: Path):
    clock = ManualClock()
    began = clock.now()
    settings = {"control_idle_seconds": 30 * MINUTE, "terminal_idle_seconds": 2 * HOUR}
    environment = {"PS1": "$ "}
    async with room(recordings=tmp_path / "rec", clock=clock, shell_environment=environment, **settings) as it:
        # The morning: Ada works, Ben watches. She drops twice, and comes back in time once.
        terminal = await it.lasting(record=True)
        ada, ben = await it.join(terminal), await it.join(terminal, "ben")
        with pinging(clock, ada, ben):
            await clock.advance(29 * MINUTE)
            await ada.type("echo mor''ning\r")
            await ben.shows("morning")
            await clock.advance(10 * MINUTE)
            ada.connection.drop()
            await clock.advance(9)
            ada = await it.join(terminal)
            await ben.saw("controller_back")
            await clock.advance(MINUTE / 4)
            ada.connection.drop()
            await clock.advance(9)
            assert ben.count("control_expired") == 0
            await clock.advance(1)
            assert (await ben.saw("control_expired"))["reason"] == "away"

            # Ben takes control and goes for a coffee, with his tab open.
            await ben.say("request_control")
            await ben.saw("control_taken")
            await clock.advance(29 * MINUTE)
            await ben.type("echo pau''se\r")
            await ben.shows("pause")
            await clock.advance(30 * MINUTE - 1)
            assert ben.count("control_expired") == 1
            await clock.advance(1)
            assert (await ben.saw("control_expired", 2))["reason"] == "idle"
            assert ben.closed is None

        # An agent works on when everybody has gone, for longer than a terminal may be idle.
        agent = await it.agent(terminal, AGENT)
        await holds(lambda: b"at work" in agent.screen.picture(1000))
        started = clock.monotonic()
        await clock.advance(5 * HOUR)
        assert ben.closed == (1008, "nothing was received")
        assert [each.id for each in it.terminals.list(ADA)] == [terminal.id]
        assert agent.still_seconds == 5 * HOUR
        await agent.type(b"this\n", submit=False)
        await holds(lambda: b"did this" in agent.screen.picture(1000))
        assert agent.still_seconds == 0

        # It ends, and Ada has a look. It is spoken of for half an hour; the terminal stays for two, then for nobody.
        await agent.stop()
        ada = await it.join(terminal)
        assert (await ada.saw("agent_state"))["state"] == "stopped"
        ada.connection.drop()
        left = clock.monotonic()
        await clock.advance(30 * MINUTE - 1)
        assert terminal.programs.agent_state == "stopped"
        await clock.advance(1)
        assert terminal.programs.agent_state is None
        cast = await it.recordings.cast(terminal.id, None, ADA)
        await clock.advance(1.5 * HOUR - 1)
        assert it.terminals.list(ADA)
        await clock.advance(1 + 2 * HOUR / CULLED_EVERY_PARTS)
        await holds(lambda: isinstance(it.events[-1], TerminalClosed))
        assert it.terminals.list(ADA) == [] and terminal.closed_because == "Nobody has used it for a while."

        # The recording tells when everything was, to the second.
        times = {data.strip(): at for at, code, data in map(json.loads, cast.splitlines()[1:]) if code == "o"}
        assert next(at for data, at in times.items() if "morning" in data) == 29 * MINUTE
        assert next(at for data, at in times.items() if "did this" in data) == started + 5 * HOUR
        (row,) = await it.recordings.find(ADA)
        assert row.started_at == began
        assert left + 2 * HOUR <= (row.ended_at - began).total_seconds() <= clock.monotonic()


async def test_a_terminal_whose_agent_worked_alone_for_hours_is_not_closed_when_the_agent_ends(room):
    clock = ManualClock()
    async with room(clock=clock, terminal_idle_seconds=2 * HOUR) as it:
        terminal = await it.lasting()
        (await it.join(terminal)).connection.drop()
        agent = await it.agent(terminal, AGENT)
        await clock.advance(5 * HOUR)
        await agent.type(b"this\n", submit=False)
        await holds(lambda: b"did this" in agent.screen.picture(1000))
        await agent.stop()
        await clock.advance(1.9 * HOUR)
        assert [each.id for each in it.terminals.list(ADA)] == [terminal.id]
        await clock.advance(HOUR)
        await holds(lambda: it.terminals.list(ADA) == [])
