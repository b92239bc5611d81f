"""Plays that start each other, and what keeps them from it."""

from __future__ import annotations

import asyncio

import pytest
from harness.plays import ADA, Playhouse, events_of, runs_of, settled

from jupyter_cabinet.core.errors import Conflict
from jupyter_cabinet.plays.model import NewPlayRun


async def test_a_play_has_its_agent_carry_it_out_and_leaves_one_line_of_history(house: Playhouse) -> None:
    house.play("greet", body="reply with the single word {{who}}")
    async with house.backend() as backend:
        run = await backend.plays.run("greet", {"who": "Ada"}, ADA)
        (ended,) = await settled(backend, 1)
        assert (run.kind, run.agent, run.path, run.instruction) == (
            "play",
            "bob",
            ".playbooks/plays/greet.md",
            "greet",
        )
        assert ended.state == "succeeded", ended.reason
        (line,) = house.lines("greet")
        assert line["playSlug"] == "greet" and line["agentSlug"] == "bob" and line["status"] == "completed"
        assert line["trigger"] == "person" and line["runId"] == run.id and line["summary"]
        assert ended.result is not None and "Ada" in ended.result.text


async def test_plays_follow_each_other_with_the_chain_of_what_led_to_them(house: Playhouse) -> None:
    house.chained("a", "b", "c")
    async with house.backend() as backend:
        await backend.plays.run("a", {}, ADA)
        runs = await settled(backend, 3)
        assert [run.path and run.path[-4:-3] for run in runs] == ["a", "b", "c"]
        assert [run.trigger.chain for run in runs] == [(), ("play/a",), ("play/a", "play/b")]
        assert [run.trigger.kind for run in runs] == ["person", "run", "run"]
        assert all(run.state == "succeeded" for run in runs)
        assert await events_of(backend, "play_not_started") == []


async def test_a_circle_of_plays_stops_with_the_reason(house: Playhouse) -> None:
    house.play("a", "triggers: [{on_complete: {play: b}}]")
    house.play("b", "triggers: [{on_complete: {play: a}}]")
    async with house.backend() as backend:
        await backend.plays.run("a", {}, ADA)
        assert len(await settled(backend, 2)) == 2
        (told,) = await events_of(backend, "play_not_started")
        assert told["play"] == "a" and told["trigger"] == "on_complete:b:succeeded"
        assert told["reason"] == "It would start itself again: a → b → a."


@pytest.mark.long(reason="nine runs, one after the other")
async def test_a_chain_ends_after_eight_links(house: Playhouse) -> None:
    names = [f"p{number}" for number in range(1, 11)]
    house.chained(*names)
    async with house.backend() as backend:
        await backend.plays.run("p1", {}, ADA)
        assert len(await settled(backend, 8)) == 8
        (told,) = await events_of(backend, "play_not_started")
        assert told["play"] == "p9" and "more than 8" in told["reason"]


async def test_a_play_that_failed_starts_those_that_wait_for_that(house: Playhouse) -> None:
    house.play("a", "title: Collect", body="fail")
    house.play("good", "triggers: [{on_complete: {play: a}}]")
    house.play("bad", "triggers: [{on_complete: {play: a, status: failed}}]")
    async with house.backend() as backend:
        await backend.plays.run("a", {}, ADA)
        runs = await settled(backend, 2)
        assert [run.path for run in runs] == [".playbooks/plays/a.md", ".playbooks/plays/bad.md"]
        assert runs[1].trigger.source == "After the play Collect, which failed."
        assert house.lines("a")[0]["status"] == "failed"


async def test_a_play_can_wait_for_the_end_of_any_other(house: Playhouse) -> None:
    house.play("a")
    house.play("report", "triggers: [{type: on_complete}]")
    async with house.backend() as backend:
        await backend.plays.run("a", {}, ADA)
        runs = await settled(backend, 2)
        assert [run.path for run in runs] == [".playbooks/plays/a.md", ".playbooks/plays/report.md"]
        await backend.plays.run("report", {}, ADA)
        assert len(await settled(backend, 3)) == 3, "its own end does not start it"
        assert await events_of(backend, "play_not_started") == []


async def test_a_play_that_works_is_not_started_again_whoever_asks(house: Playhouse) -> None:
    house.play("slow", body="wait for the file go")
    async with house.backend() as backend:
        both = [backend.plays.run("slow", {}, ADA) for _ in range(2)]
        both.append(backend.runs.submit(NewPlayRun(play="slow"), ADA))
        answers = await asyncio.gather(*both, return_exceptions=True)
        assert sorted(type(each).__name__ for each in answers) == ["Conflict", "Conflict", "Run"]
        (house.root / "go").write_text("")
        assert len(await settled(backend, 1)) == 1


async def test_the_same_trigger_does_not_fire_twice_within_thirty_seconds(house: Playhouse) -> None:
    house.play("a")
    house.play("b", "triggers: [{on_complete: {play: a}}]")
    async with house.backend() as backend:
        for count in (2, 3):
            await backend.plays.run("a", {}, ADA)
            await settled(backend, count)
        assert len(await runs_of(backend, "b")) == 1
        (told,) = await events_of(backend, "play_not_started")
        assert told["play"] == "b" and "30 seconds" in told["reason"]


async def test_a_play_that_nobody_has_confirmed_does_nothing(house: Playhouse) -> None:
    house.play("a")
    async with house.backend(trust="ask") as backend:
        state = await backend.trust.state()
        await backend.trust.confirm(state.hash, ADA)
        agent = await backend.agents.get("bob", ADA)
        await backend.agents.confirm("bob", agent.hash, ADA)
        with pytest.raises(Conflict, match="has not been confirmed yet"):
            await backend.plays.run("a", {}, ADA)
        seen = await backend.plays.get("a", ADA)
        assert not seen.confirmed and {"Instructions", "agent", "name"} < {each.what for each in seen.difference}
        await backend.plays.confirm("a", seen.hash, ADA)
        await backend.plays.run("a", {}, ADA)
        assert (await settled(backend, 1))[0].state == "succeeded"
