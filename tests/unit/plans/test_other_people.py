"""What other people may learn about a plan that they may not see."""

from __future__ import annotations

from pathlib import Path

from harness import agents
from harness.backend import ADA, Place
from harness.plans import eventually, program, step
from sqlalchemy import text

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.plans.model import NewPlan
from jupyter_cabinet.runs.model import RunFilter

ALONE = Principal(username="ada", display_name="Ada")
EVE = Principal(username="eve", display_name="Eve")
BEN = Principal(username="ben", display_name="Ben")


async def test_a_waiting_step_does_not_name_a_step_of_a_plan_that_its_owner_may_not_see(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        waits = step("Secret", "wait for the file go.txt")
        secret = await backend.plans.create(NewPlan(title="Secret", runtime="demo", steps=(waits,)), ALONE)
        await backend.plans.run(secret.id, ALONE)
        await eventually(lambda: backend.plans.queue(ALONE))
        mine = await backend.plans.create(NewPlan(title="Mine", runtime="demo", steps=(step("a"),)), EVE)
        (shown,) = (await backend.plans.run(mine.id, EVE)).steps
        (queued,) = await backend.plans.queue(EVE)
        assert shown.waits == queued.step.waits == "Waits because a step of another person works in the root folder."
        (own,) = (each for each in await backend.plans.queue(ADA) if each.plan_id == mine.id)
        assert own.step.waits == "Waits because “Secret” works in the root folder."


async def test_a_step_without_a_plan_occupies_no_directory(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        ghost = await backend.plans.create(NewPlan(title="Ghost", steps=(program("ghost", "true"),)), ADA)
        damage = text("UPDATE plan_steps SET state = 'running', plan_id = 'gone' WHERE plan_id = :id")
        await backend.database.write(lambda c: c.execute(damage, {"id": ghost.id}) and None)
        plan = await backend.plans.create(NewPlan(title="Mine", steps=(program("a", "true"),)), ADA)
        await backend.plans.run(plan.id, ADA)

        async def done() -> bool:
            return (await backend.plans.get(plan.id, ADA)).state == "done"

        await eventually(done)


async def test_the_runs_of_a_private_plan_are_private_even_if_everyone_sees_its_agent(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await agents.make(backend, "shared")
        new = NewPlan(title="Secret", agent="shared", steps=(step("hidden"), step("b", None, "hidden")))
        plan = await backend.plans.create(new, EVE)
        await backend.plans.run(plan.id, EVE)

        async def done() -> bool:
            return (await backend.plans.get(plan.id, EVE)).state == "done"

        await eventually(done)
        assert len(await backend.runs.find(RunFilter(), EVE)) == 2
        assert await backend.runs.find(RunFilter(), BEN) == []
        assert {each.visibility for each in await backend.runs.find(RunFilter(), ADA)} == {"private"}
