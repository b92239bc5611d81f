"""Plans of the demo agent at work in a backend."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from harness.backend import ADA, BOUND_SECONDS
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.plans.model import NewPlan, NewStep, PlanView, StepView

Found = TypeVar("Found")
REPLY = "reply with the single word {}"


def step(key: str, prompt: str | None = None, *after: str, **fields: Any) -> NewStep:
    """A step with its key as its title. By default the demo agent replies with the key."""
    text = REPLY.format(key) if prompt is None else prompt
    return NewStep(key=key, title=key, prompt=text, depends_on=after, **fields)


def program(key: str, *command: str, after: tuple[str, ...] = (), **fields: Any) -> NewStep:
    """A step that starts a program."""
    return NewStep(key=key, title=key, command=command, depends_on=after, **fields)


async def make(backend: Backend, *steps: NewStep, title: str = "The plan", **fields: Any) -> PlanView:
    """A plan of Ada's for the demo agent."""
    return await backend.plans.create(NewPlan(title=title, steps=steps, **{"runtime": "demo", **fields}), ADA)


async def at_rest(backend: Backend, plan_id: str, seconds: float = BOUND_SECONDS) -> PlanView:
    """Wait until nothing of the plan is running any more."""
    async with asyncio.timeout(seconds):
        while True:
            plan = await backend.plans.get(plan_id, ADA)
            if plan.state not in ("draft", "running") and all(each.state != "running" for each in plan.steps):
                return plan
            await asyncio.sleep(0.01)


async def eventually(look: Callable[[], Awaitable[Found]], seconds: float = BOUND_SECONDS) -> Found:
    """Wait until this finds something, and return it."""
    async with asyncio.timeout(seconds):
        while not (found := await look()):
            await asyncio.sleep(0.01)
        return found


async def ran(backend: Backend, *steps: NewStep, seconds: float = BOUND_SECONDS, **fields: Any) -> PlanView:
    """A plan of Ada's, run to its rest."""
    plan = await make(backend, *steps, **fields)
    await backend.plans.run(plan.id, ADA)
    return await at_rest(backend, plan.id, seconds)


def named(plan: PlanView, title: str) -> StepView:
    """The step with this title."""
    return next(each for each in plan.steps if each.title == title)


def states(plan: PlanView) -> dict[str, str]:
    """The state of each step, by its title."""
    return {each.title: each.state for each in plan.steps}
