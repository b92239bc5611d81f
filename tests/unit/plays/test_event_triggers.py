"""Plays that wait for the start of the server, or for the beginning and end of an agent's runs."""

from __future__ import annotations

import asyncio

import pytest
from harness.agents import heartbeat
from harness.backend import BOUND_SECONDS, ended
from harness.plays import ADA, Playhouse, events_of, left_to_do, runs_of, settled
from harness.waiting import QUERY_SECONDS

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runs.rules.lifecycle import is_final


async def quiet(backend: Backend) -> list[Run]:
    """Wait until nothing works and nothing is left to follow; returns all runs of plays."""
    async with asyncio.timeout(BOUND_SECONDS):
        while await left_to_do(backend) or backend.records.working() or backend._play_room.watches.events._writing:
            await asyncio.sleep(QUERY_SECONDS)
    return await runs_of(backend)


async def test_the_start_of_the_server_starts_a_play_each_time(house: Playhouse) -> None:
    house.play("greet", "triggers: [startup]")
    house.play("other", "triggers: [webhook]")
    async with house.backend() as backend:
        (run,) = await settled(backend, 1)
        assert run.path == ".playbooks/plays/greet.md" and run.state == "succeeded" and not run.tainted
        assert (run.trigger.kind, run.trigger.source) == ("event", "The server has started.")
    async with house.backend() as backend:
        refused = await events_of(backend, "play_not_started")
        async with asyncio.timeout(BOUND_SECONDS):
            while not refused:  # a server that restarts again and again does not start it again and again
                await asyncio.sleep(QUERY_SECONDS)
                refused = await events_of(backend, "play_not_started")
        assert refused[0]["reason"] == "The same trigger has started it less than 30 seconds ago."
        assert len(await quiet(backend)) == 1


async def test_a_run_of_an_agent_starts_the_plays_that_wait_for_it(house: Playhouse) -> None:
    house.agent("eve")
    house.play("before", "triggers: [{agent_started: eve}]")
    house.play("after", "triggers: [{agent_stopped: {agent: eve}}]")
    house.play("own", "triggers: [agent_stopped]")
    async with house.backend() as backend:
        run = await ended(backend, await heartbeat(backend, "eve"))
        assert run.state == "succeeded"
        found = {each.path: each for each in await settled(backend, 2)}
        assert set(found) == {".playbooks/plays/before.md", ".playbooks/plays/after.md"}
        assert found[".playbooks/plays/before.md"].trigger.source == "A run of Bob has begun."
        after = found[".playbooks/plays/after.md"].trigger
        assert (after.source, after.chain) == ("A run of Bob has ended: succeeded.", ("eve",))


async def test_how_a_run_has_ended_is_said_and_one_that_never_started_does_not_count(house: Playhouse) -> None:
    house.agent("eve")
    house.play("after", "triggers: [{agent_stopped: eve}]")
    house.play("work", agent="eve", body="wait for the file go")
    async with house.backend() as backend:
        run = await backend.plays.run("work", {}, ADA)
        async with asyncio.timeout(BOUND_SECONDS):
            while (await backend.runs.get(run.id, ADA)).started_at is None:
                await asyncio.sleep(QUERY_SECONDS)
        await backend.runs.cancel(run.id, ADA)
        (_, after) = await settled(backend, 2)
        assert after.trigger.source == "A run of Bob has ended: cancelled."


@pytest.mark.long(reason="waits for what must not come")
async def test_plays_that_wait_for_agents_do_not_start_each_other(house: Playhouse) -> None:
    house.agent("eve")
    triggers = "triggers: [agent_started, agent_stopped, {agent_stopped: eve}, {agent_stopped: bob}]"
    house.play("one", triggers, agent="bob")
    house.play("two", triggers, agent="eve")
    house.play("follows", "triggers: [{on_complete: {play: one}}]", agent="eve")
    async with house.backend() as backend:
        run = await ended(backend, await heartbeat(backend, "eve"))
        assert is_final(run)
        runs = await quiet(backend)
        started = [each for each in runs if each.trigger.kind == "event"]
        assert 0 < len(started) <= 4 and {each.trigger.chain for each in started} == {("eve",)}
        assert {each.path for each in started} == {".playbooks/plays/one.md", ".playbooks/plays/two.md"}


async def test_without_such_a_play_nothing_is_put_on_record(house: Playhouse) -> None:
    house.play("plain", "triggers: [webhook]")
    async with house.backend() as backend:
        watch = backend._play_room.watches.events
        await ended(backend, await heartbeat(backend, "bob"))
        assert not watch._writing and await quiet(backend) == []
