"""`cabinet.plans`: the plans of a server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..plans.model import (
    AddSteps,
    Breakdown,
    Evaluation,
    NewPlan,
    NewStep,
    PlanLine,
    PlanView,
    QueuedStep,
    SplitStep,
    StepReport,
    StepView,
)
from ..runs.model import Run
from ..runtimes.model import PermissionMode
from .api import Api
from .methods import both_forms
from .runs.live_run import LiveRun
from .runs.requests import checked_id

LOOK_AGAIN_SECONDS = 0.5

AnyStep = NewStep | Mapping[str, Any]


class PlanHandle:
    """One plan. Nothing of it is cached: each property and method asks the server.

    As the value of a cell, it is shown with its title, its state and its steps if `%load_ext jupyter_cabinet` has run.
    """

    def __init__(self, api: Api, id: str) -> None:
        self._api = api
        self.id = id

    @both_forms
    async def fetch(self) -> PlanView:
        """Return the plan as it is now: its state, its proposals, and its steps with the reason why each waits.

        Raises `RequestRefused` (`not_found`) if there is no such plan.
        """
        return await self._api.fetch(f"plans/{self.id}", PlanView)

    @property
    def detail(self) -> PlanView:
        """All of it as it is now. In async code: `await plan.fetch.aio()`."""
        return self.fetch()

    @property
    def steps(self) -> tuple[StepView, ...]:
        """Its steps as they are now, in their order."""
        return self.fetch().steps

    @both_forms
    async def add(self, *steps: AnyStep) -> PlanView:
        """Add steps, all of them or none. Each has a `title`, and may have a `key` that others name in `depends_on`.

        Raises `msgspec.ValidationError` for a step with another shape, and `RequestRefused` if the server does not
        accept it.
        """
        return await self._act("steps", AddSteps(steps=_steps(steps)))

    @both_forms
    async def run(self) -> PlanView:
        """Start everything that is left, or run again what has failed if nothing else can begin.

        `wait` waits for the end.
        """
        return await self._act("run")

    @both_forms
    async def pause(self) -> PlanView:
        """Pause the plan, and return it. No further step starts; steps that are running finish.

        Raises `RequestRefused` if the plan is not running, or if you may not change it.
        """
        return await self._act("pause")

    @both_forms
    async def run_step(self, step: str, *, resume: bool = False) -> PlanView:
        """Start one step, by its id or title; again if it has ended. `resume`: in the session of its last run.

        It does not wait for its end. Raises `ValueError` if not exactly one step has this id or title.
        """
        return await self._act(f"steps/{await self._id_of(step)}/run", {"resume": resume})

    @both_forms
    async def skip(self, step: str) -> PlanView:
        """Skip a step, by its id or title: the steps that depend on it may begin without it.

        Raises `ValueError` if not exactly one step has this id or title.
        """
        return await self._act(f"steps/{await self._id_of(step)}/skip")

    @both_forms
    async def split(self, step: str, *steps: AnyStep, in_order: bool = True) -> PlanView:
        """Replace a step, by its id or title, with several. `in_order`: each of them depends on the one before.

        Raises `ValueError` if not exactly one step has this id or title, and `msgspec.ValidationError` for a step with
        another shape.
        """
        body = SplitStep(steps=_steps(steps), in_order=in_order)
        return await self._act(f"steps/{await self._id_of(step)}/split", body)

    @both_forms
    async def report(self, step: str, *, summary: str = "", blocker: str = "", failed: bool = False) -> PlanView:
        """Report the result of a step that was done elsewhere, by its id or title. With a `blocker`, it is blocked.

        With `failed` it has failed, otherwise it is done. Raises `ValueError` if not exactly one step has this id or
        title.
        """
        report = StepReport(
            status="blocked" if blocker else "failed" if failed else "done", summary=summary, blocker=blocker
        )
        return await self._act(f"steps/{await self._id_of(step)}/report", report)

    @both_forms
    async def wait(self, seconds: float | None = None) -> PlanView:
        """Wait until it rests (done, failed, blocked or paused) and no step is running; return it. A draft is returned
        at once.

        `seconds`: at most so long; None: without a limit. Raises `TimeoutError`, and the first `Unreachable`.
        """
        ends = None if seconds is None else time.monotonic() + seconds
        while True:
            plan = await self._api.fetch(f"plans/{self.id}", PlanView)
            if plan.state != "running" and not plan.counts.running:
                return plan
            if ends is not None and time.monotonic() > ends:
                raise TimeoutError(f"The plan is still {plan.state} after {seconds} s.")
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    def break_down(self, instruction: str, *, agent: str | None = None, runtime: str | None = None) -> LiveRun:
        """Ask an agent to break work into steps, which are added to the plan. Return the run that does it.

        It does not wait for its end.
        """
        body = Breakdown(instruction=instruction, agent=agent, runtime=runtime)
        return LiveRun.submitted(self._api, self._api.send("POST", f"plans/{self.id}/breakdown", Run, body))

    @both_forms
    async def text(self) -> str:
        """Return the plan as YAML, without states, results and runs. It names a checklist without its tasks."""
        return (await self._api.fetch(f"plans/{self.id}/export", _Text)).text

    async def _act(self, path: str, body: Any = None) -> PlanView:
        return await self._api.send("POST", f"plans/{self.id}/{path}", PlanView, body)

    async def _id_of(self, step: str) -> str:
        plan = await self._api.fetch(f"plans/{self.id}", PlanView)
        found = [each.id for each in plan.steps if step in (each.id, each.title)]
        if len(found) != 1:
            how = "more than one step" if found else "no step"
            raise ValueError(f"The plan has {how} {step!r}.")
        return found[0]

    def __repr__(self) -> str:
        return f"<PlanHandle {self.id}>"


class Plans:
    """The plans that you may see: `cabinet.plans.create("Tidy up", steps=[{"title": "Load the tables"}]).run()`."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def __getitem__(self, id: str) -> PlanHandle:
        return PlanHandle(self._api, checked_id(id, "a plan"))

    @both_forms
    async def create(  # noqa: PLR0913 - what can be chosen of a plan, each by its name
        self,
        title: str,
        steps: Sequence[AnyStep] = (),
        *,
        description: str = "",
        cwd: str = ".",
        runtime: str | None = None,
        agent: str | None = None,
        model: str | None = None,
        permission_mode: PermissionMode | None = None,
        isolate: bool | None = None,
        evaluation: Evaluation = "off",
        commit: bool = False,
        max_cost_usd: float | None = None,
        max_runs: int | None = None,
        max_minutes: float | None = None,
    ) -> PlanHandle:
        """Create a plan as a draft. Nothing starts before `run`.

        `steps`: each with a `title`, and what else a step has (`prompt`, `depends_on`, `command`, `verify`, …). `cwd`:
        relative to the server's root. `evaluation`: `off`, `propose`, `auto`. `commit`: to git, the files that each
        step has changed. The plan pauses at the limits `max_…`; runs and minutes count since it was last started.
        Raises `msgspec.ValidationError` for a step with another shape.
        """
        body = NewPlan(
            title=title,
            steps=_steps(steps),
            description=description,
            cwd=cwd,
            runtime=runtime,
            agent=agent,
            model=model,
            permission_mode=permission_mode,
            isolate=isolate,
            evaluation=evaluation,
            commit=commit,
            max_cost_usd=max_cost_usd,
            max_runs=max_runs,
            max_minutes=max_minutes,
        )
        return await self._made("plans", body)

    @both_forms
    async def load(self, text: str) -> PlanHandle:
        """Create a plan from a YAML text, such as that of a file, as a draft.

        Raises `RequestRefused` if it is not valid.
        """
        return await self._made("plans/import", {"text": text})

    @both_forms
    async def list(self, *, archived: bool = False) -> tuple[PlanLine, ...]:
        """Return all of them, the last changed first. `archived`: the archived ones instead."""
        return await self._api.fetch_items("plans", PlanLine, {"archived": "true" if archived else "false"})

    @both_forms
    async def queue(self) -> tuple[QueuedStep, ...]:
        """Return the running and queued steps of all plans, with why each waits."""
        return await self._api.fetch_items("plan-queue", QueuedStep)

    async def _made(self, path: str, body: Any) -> PlanHandle:
        return PlanHandle(self._api, (await self._api.send("POST", path, PlanView, body)).id)


class _Text(msgspec.Struct, frozen=True, kw_only=True):
    text: str


def _steps(steps: Sequence[AnyStep]) -> tuple[NewStep, ...]:
    return tuple(step if isinstance(step, NewStep) else msgspec.convert(dict(step), NewStep) for step in steps)
