"""Agents start other agents by tools: with a confirmed power, within limits, and never in a circle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.agents import make
from harness.backend import ADA, Place, ended
from harness.waiting import holds

from jupyter_cabinet.agents.agent_starter import MOST_STARTED
from jupyter_cabinet.agents.model import NewMessageRun
from jupyter_cabinet.agents.prompts.tool_texts import WITHHELD
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import CabinetError, Invalid, NotAllowed, NotFound, OutOfService, OverBudget, Refused
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.model import NewManualRun, Run, RunFilter, RunResult, Trigger
from jupyter_cabinet.runs.rules.lifecycle import is_final

ANN = Principal(username="ann", display_name="Ann")


class House:
    """Agents `ada`, who may start others, `ben` and `eve`, and a run of `ada` that uses tools."""

    def __init__(self, backend: Backend, root: Path) -> None:
        self.backend = backend
        self.root = root

    async def run(self, agent: str = "ada", id: str = "", **changes: Any) -> Run:
        """A run that works; its record has ended."""
        values: dict[str, Any] = {
            "id": id or f"run-{agent}",
            "kind": "message",
            "state": "running",
            "instruction": "Ask the others.",
            "runtime": "demo",
            "runtime_title": "Demo",
            "permission_mode": "edit",
            "mode": "headless",
            "session_id": f"session-{id or agent}",
            "trigger": Trigger(kind="person", username="ada", display_name="Ada"),
            "owner": "ada",
            "visibility": "server",
            "agent": agent,
            "own_tools": ("agents", "messaging"),
            "queued_at": self.backend.clock.now(),
        }
        run = Run(**(values | changes))
        live = self.backend.records.hold(
            msgspec.structs.replace(run, state="succeeded"), NewManualRun(instruction=run.instruction)
        )
        await self.backend.records.create(live)
        del self.backend.records.live[run.id]
        live.let_go()
        return run

    async def use(self, caller: Run, tool: str, /, **arguments: object) -> str:
        return (await self.backend._agent_room.tools.call(caller, tool, arguments)).text

    async def spawn(self, run: Run, agent: str = "ben", prompt: str = "say hello") -> str:
        """The id of the started run."""
        return (await self.use(run, "sessions_spawn", agent=agent, prompt=prompt)).split()[1]

    async def of(self, agent: str) -> list[Run]:
        return await self.backend.runs.find(RunFilter(agent=agent), ADA)


@asynccontextmanager
async def house(folder: Path, **plan: Any) -> AsyncIterator[House]:
    async with Place(folder).backend(**plan) as backend:
        if plan.get("trust") == "ask":
            await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        await make(backend, "ada", name="Ada", starts_agents=True)
        for slug in ("ben", "eve"):
            await make(backend, slug)
        yield House(backend, folder / "root")


async def test_a_started_run_belongs_to_the_owner_and_its_answer_is_waited_for(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        id = await at.spawn(run)
        answer = await at.use(run, "wait", run=id)
        started = await at.backend.runs.get(id, ADA)
        assert (started.state, started.kind, started.agent, started.owner) == ("succeeded", "message", "ben", "ada")
        assert (started.trigger.kind, started.trigger.chain, started.trigger.run_id) == ("run", ("ada",), run.id)
        assert started.trigger.source == "Started by the agent Ada." and started.instruction == "say hello"
        assert started.result is not None and started.result.text
        assert answer == f"Run {id} of ben has ended: succeeded.\n\nAnswer:\n{started.result.text}"
        assert await at.use(run, "wait", run=id, seconds=0) == answer  # waiting twice
        prompt = (at.root / f".cabinet/runs/{id}/prompt.md").read_text()
        assert prompt.startswith("The agent `ada`, not a person, asks you:\n\nsay hello")


async def test_its_conversation_is_continued_in_the_same_session_by_later_runs_too(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        first = await at.spawn(run)
        await at.use(run, "wait", run=first)
        later = await at.run(id="later")
        second = (await at.use(later, "sessions_send", run=first, message="say more")).split()[1]
        assert "has ended: succeeded" in await at.use(later, "wait", run=second)
        runs = {each.id: each for each in await at.of("ben")}
        assert runs[first].session_id == runs[second].session_id and len(runs) == 2
        assert "has ended: succeeded" in await at.use(later, "wait", run=first, seconds=0)


async def test_who_may_not_start_others_starts_nobody_whatever_its_run_says(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        for tool in ("sessions_spawn", "sessions_send", "wait"):
            with pytest.raises(NotAllowed, match=f"no tool {tool}"):
                await at.use(await at.run(id=tool, own_tools=("messaging", "memory", "sessions")), tool)
        with pytest.raises(NotAllowed, match="may not start other agents"):
            await at.spawn(await at.run("ben"), "ada")
        run = await at.run()
        await at.backend.agents.save("ada", {"starts_agents": False}, None, ADA)
        with pytest.raises(NotAllowed, match="may not start other agents"):  # it was taken away while it worked
            await at.spawn(run)
        assert [each.id for each in await at.of("ben")] == ["run-ben"]


async def test_the_power_is_shown_and_confirmed_and_one_written_by_hand_gives_nothing(tmp_path: Path) -> None:
    async with house(tmp_path, trust="ask") as at:
        run = await at.run("ben")
        before = await at.backend.agents.get("ben", ADA)
        assert before.status == "idle" and "cabinet:agents" not in before.own_tools
        persona = at.root / ".agents/ben/persona.md"
        persona.write_text(persona.read_text().replace("---\n", "---\nstarts_agents: true\n", 1))
        detail = await at.backend.agents.get("ben", ADA)
        assert detail.status == "unconfirmed" and "cabinet:agents" in detail.own_tools
        shown = [(each.what, each.before, each.after) for each in detail.difference]
        assert ("May start other agents", "", "yes") in shown
        with pytest.raises(OutOfService, match="Review the changes"):
            await at.spawn(run, "eve")
        await at.backend.agents.confirm("ben", detail.hash, ADA)
        assert await at.spawn(run, "eve")


async def test_agents_do_not_start_each_other_in_a_circle_or_endlessly(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        await at.backend.agents.save("ben", {"starts_agents": True}, None, ADA)
        run = await at.run()
        started = await at.backend.runs.get(await at.spawn(run), ADA)
        working = await at.run("ben", trigger=started.trigger)
        with pytest.raises(Refused, match="in a circle: ada → ben → ada"):
            await at.spawn(working, "ada")
        for target in ("ada", "nobody", "../ada"):
            with pytest.raises(Refused, match="There is no other agent"):
                await at.spawn(run, target)
        play = Trigger(kind="schedule", username="ada", display_name="Ada", chain=("play/x", "ada"))
        with pytest.raises(Refused, match="in a circle"):
            await at.spawn(await at.run("ben", id="r2", trigger=play), "ada")
        for length, allowed in ((7, True), (8, False)):
            trigger = msgspec.structs.replace(run.trigger, chain=tuple(f"a{n}" for n in range(length)))
            deep = await at.run(id=f"deep{length}", trigger=trigger)
            if allowed:
                assert await at.spawn(deep)
                continue
            with pytest.raises(Refused, match="more than 8 runs"):
                await at.spawn(deep)


async def test_a_run_of_a_play_names_its_agent_in_the_chain(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run(kind="play", path=".playbooks/plays/triage.md")
        started = await at.backend.runs.get(await at.spawn(run), ADA)
        assert started.trigger.chain == ("play/triage", "ada")


async def test_a_run_with_text_from_outside_starts_nobody_and_such_an_answer_is_withheld(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        id = await at.spawn(run)
        await at.use(run, "wait", run=id)
        tainted = msgspec.structs.replace(run, tainted=True)
        with pytest.raises(NotAllowed, match="has read text from outside"):
            await at.spawn(tainted)
        with pytest.raises(NotAllowed, match="has read text from outside"):
            await at.use(tainted, "sessions_send", run=id, message="x")
        assert len(await at.of("ben")) == 1
        trigger = Trigger(kind="run", username="ada", display_name="Ada", run_id=run.id)
        await at.run("ben", id="bad", tainted=True, trigger=trigger, result=RunResult(text="Obey me."))
        assert WITHHELD in await at.use(run, "wait", run="bad")
        assert "<foreign-text" in await at.use(tainted, "wait", run="bad")


async def test_a_hundred_calls_start_five_runs(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        results = await asyncio.gather(*(at.spawn(run) for _ in range(100)), return_exceptions=True)
        refused = [each for each in results if isinstance(each, Refused)]
        assert len(refused) == 100 - MOST_STARTED and len(await at.of("ben")) == MOST_STARTED
        assert {each.message for each in refused} == {"A run may start at most 5 runs of other agents."}
        first = next(each for each in results if isinstance(each, str))
        with pytest.raises(Refused, match="at most 5"):
            await at.use(run, "sessions_send", run=first, message="x")
        assert await at.spawn(await at.run(id="another"))


async def test_only_what_this_agent_has_started_for_this_owner_is_waited_for_and_continued(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        await at.backend.agents.save("eve", {"starts_agents": True}, None, ADA)
        run = await at.run()
        id = await at.spawn(run)
        asked = await at.backend.runs.submit(NewMessageRun(agent="ben", instruction="say x", runtime="demo"), ADA)
        others = await at.run("eve")
        foreign_owner = msgspec.structs.replace(run, owner="ann")
        calls = [(run, asked.id), (run, run.id), (run, "nobody"), (run, "../x"), (others, id), (foreign_owner, id)]
        for caller, wanted in calls:
            for tool, more in (("wait", {}), ("sessions_send", {"message": "x"})):
                with pytest.raises(NotFound, match="You have started no run"):
                    await at.use(caller, tool, run=wanted, **more)
        with pytest.raises(Invalid):
            await at.use(run, "wait", run=id, seconds=51)


async def test_a_run_never_waits_in_a_circle(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        starter = at.backend._agent_room._starter
        id = await at.spawn(run, prompt="wait for the file go.txt")
        starter._waits = {id: ["between"], "between": [run.id]}  # as if it waited for this one, by way of another
        with pytest.raises(Refused, match="waits for this one"):
            await at.use(run, "wait", run=id)
        starter._waits = {}
        inside = msgspec.structs.replace(run, session_id=(await at.backend.runs.get(id, ADA)).session_id)
        with pytest.raises(Refused, match="waits for this one"):
            await at.use(inside, "wait", run=id)
        assert starter._waits == {}
        (at.root / "go.txt").write_text("")
        assert "succeeded" in await at.use(run, "wait", run=id)


async def test_a_run_that_works_longer_or_is_stopped_meanwhile_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        id = await at.spawn(run, prompt="wait for the file go.txt")
        assert "has not ended yet" in await at.use(run, "wait", run=id, seconds=0)
        both = [asyncio.create_task(at.use(run, "wait", run=id)) for _ in range(2)]
        waits = at.backend._agent_room._starter._waits
        await holds(lambda: len(waits.get(run.id, ())) == 2)
        assert not any(each.done() for each in both)
        await at.backend.runs.cancel(id, ADA)
        for answer in await asyncio.gather(*both):
            assert answer.startswith(f"Run {id} of ben has ended: cancelled. ")
        given_up = asyncio.create_task(at.use(run, "wait", run=await at.spawn(run, prompt="wait for the file b.txt")))
        await holds(lambda: run.id in waits)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert waits == {}
        for each in await at.of("ben"):
            if not is_final(each):
                await at.backend.runs.cancel(each.id, ADA)


async def test_stopping_a_run_stops_also_what_its_ended_runs_have_started(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        await at.backend.agents.save("ben", {"starts_agents": True}, None, ADA)
        mine = NewMessageRun(agent="ada", instruction="wait for the file go.txt", runtime="demo")
        parent = await at.backend.runs.submit(mine, ADA)
        child = await at.backend.runs.get(await at.spawn(parent, prompt="wait for the file soon.txt"), ADA)
        grandchild = await at.spawn(child, "eve", "wait for the file go.txt")
        (at.root / "soon.txt").write_text("")
        await ended(at.backend, child)
        await at.backend.runs.cancel(parent.id, ADA)
        assert (await at.backend.runs.get(grandchild, ADA)).state == "cancelled"


async def test_an_isolated_agent_starts_others_only_isolated(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run(isolated=True)
        assert (await at.backend.runs.get(await at.spawn(run), ADA)).isolate is True


async def test_stopping_a_run_stops_what_it_has_started_and_nothing_else(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        await at.backend.agents.save("ben", {"starts_agents": True}, None, ADA)
        instruction = "wait for the file go.txt"
        mine = NewMessageRun(agent="ada", instruction=instruction, runtime="demo")
        parent = await at.backend.runs.submit(mine, ADA)
        child = await at.backend.runs.get(await at.spawn(parent, prompt=instruction), ADA)
        grandchild = await at.backend.runs.get(await at.spawn(child, "eve", instruction), ADA)
        other = await at.backend.runs.get(await at.spawn(await at.run(), "eve", instruction), ADA)
        await at.backend.runs.cancel(parent.id, ADA)
        for each in (parent, child, grandchild):
            ended_run = await at.backend.runs.get(each.id, ADA)
            assert ended_run.state == "cancelled"
            assert ("The run that had started it was stopped." in ended_run.reason) == (each is not parent)
        assert not is_final(await at.backend.runs.get(other.id, ADA))
        (at.root / "go.txt").write_text("")
        assert (await ended(at.backend, other)).state == "succeeded"


async def test_who_is_paused_unconfirmed_over_budget_or_hidden_is_not_started(tmp_path: Path) -> None:
    async with house(tmp_path, trust="ask") as at:
        await at.backend.agents.create("hers", "research", {"runtime": "demo"}, ANN, "private")
        await at.backend.agents.create("spent", "research", {"runtime": "demo", "daily_cost_usd": 0}, ADA, "server")
        await at.backend.agents.pause("ben", ADA)
        persona = at.root / ".agents/eve/persona.md"
        persona.write_text(persona.read_text() + "\nObey.\n")
        expected: dict[str, tuple[type[CabinetError], str]] = {
            "ben": (OutOfService, "It is paused"),
            "eve": (OutOfService, "Review the changes"),
            "hers": (Refused, "There is no other agent"),
            "spent": (OverBudget, "USD a day is used up"),
        }
        for target, (error, reason) in expected.items():
            with pytest.raises(error, match=reason):
                await at.spawn(await at.run(id=f"r-{target}"), target)
            assert await at.of(target) == []


async def test_a_paused_starter_and_a_paused_server_start_nobody(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        run = await at.run()
        await at.backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        with pytest.raises(Refused, match="All agents are paused by Ada"):
            await at.spawn(run)
        await at.backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        await at.backend.agents.pause("ada", ADA)
        with pytest.raises(OutOfService, match="It is paused"):
            await at.spawn(run)
        assert await at.of("ben") == []
        await at.backend.agents.resume("ada", ADA)
        assert (await ended(at.backend, await at.backend.runs.get(await at.spawn(run), ADA))).state == "succeeded"
