"""What all kinds of runs of a plan share: they are requested only here, and change the plan in their transactions.

A run is queued, and its end is stored, in one transaction with the transition of its step. So after a crash, the plan
and its runs agree. What follows is done by `PlanWork.advance`, from the outbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...agents.run_kinds.agent_runs import MODES
from ...agents.run_kinds.agent_terms import AgentTerms
from ...core.clock import Clock
from ...core.errors import Conflict, Invalid
from ...core.ids import new_id
from ...core.people import Principal
from ...runs.intake import visibility_for
from ...runs.kinds import Prepared, RunKind, RunSubject, Skip, Terms
from ...runs.model import Run
from ...runtimes.model import Outcome
from ...storage.database import Database
from ...storage.outbox import Effect
from .. import store
from ..model import Artifact, ArtifactKind, Phase, Plan, Step
from ..rules import step_phases
from ..rules.step_phases import RunEnd

ADVANCE = "plans.advance"  # topic of the outbox; its body is the id of the plan
MORE_THAN_GRANTED = (
    "The plan's permission mode grants more than the agent {agent} has. Choose a lower one, or leave it to the agent."
)
NO_TOOLS: tuple[str, ...] = ()

NO_STEP = "The plan has no such step any more."

Change = Callable[[Plan], Plan]


def advance_effect(plan_id: str) -> Effect:
    """Return the effect that carries on with a plan after a run of it has ended."""
    return Effect(topic=ADVANCE, key=plan_id, body=plan_id)


class PlanKind(RunKind):
    """Base of the kinds of runs of a plan."""

    by_request = False

    def __init__(self, *, database: Database, clock: Clock, agents: AgentTerms) -> None:
        self._database = database
        self._clock = clock
        self._agents = agents

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: the files that a run changes are compared in any case."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effect that carries on with the plan."""
        return (advance_effect(run.plan_id),) if run.plan_id else ()

    @property
    def now(self) -> datetime:
        """Return the current time."""
        return self._clock.now()

    async def _plan(self, plan_id: str) -> Plan:
        """Return the plan of a run that is about to start. Raises `Skip` if it was deleted."""
        plan = await self._database.read(lambda c: store.load_plan(c, plan_id))
        if plan is None:
            raise Skip("The plan was deleted.")
        return plan

    async def _plan_and_step(self, new: Any) -> tuple[Plan, Step]:
        plan = await self._plan(new.plan_id)
        step = next((each for each in plan.steps if each.id == new.step_id), None)
        if step is None:
            raise Skip("The step was removed from its plan.")
        return plan, step

    def _leave(self, connection: Connection, run: Run, kind: ArtifactKind, text: str) -> None:
        """Store something that the step of a run leaves for later; nothing if the text is empty."""
        if text.strip() and run.plan_id is not None and run.step_id is not None:
            artifact = Artifact(id=new_id(), step_id=run.step_id, kind=kind, run_id=run.id, text=text, at=self.now)
            store.add_artifact(connection, run.plan_id, artifact)

    async def _terms(self, new: Any, principal: Principal) -> Terms | None:
        """Return the terms of the run's agent, but with the visibility of the plan: its texts are in the run.

        Raises `Invalid` if the plan grants more than its agent has: the run would be refused when it starts.
        """
        if new.agent is None:
            return None
        terms = await self._agents.of(new.agent, principal)
        granted, asked = terms.permission_mode, new.permission_mode
        if granted is not None and asked is not None and MODES.index(asked) > MODES.index(granted):
            raise Invalid(MORE_THAN_GRANTED.format(agent=terms.agent), field="permission_mode")
        return msgspec.structs.replace(terms, visibility=visibility_for(principal))

    async def _with_agent(self, run: Run, prepared: Prepared) -> Prepared:
        """Return the input with the system text of the run's agent, if it has one."""
        if run.agent is None:
            return prepared
        told = await self._agents.told(run)
        return Prepared(prompt=prepared.prompt, command=prepared.command, system=told.system, warnings=told.warnings)


def change_plan(connection: Connection, run: Run, change: Change) -> Plan | None:
    """Apply a transition to the plan of a run in this transaction, and return the plan. Raises what `change` raises.

    None: the plan or the step is gone, so there is nothing to change.
    """
    before = store.load_plan(connection, run.plan_id) if run.plan_id else None
    if before is None or (run.step_id and all(step.id != run.step_id for step in before.steps)):
        return None
    return store.save_plan(connection, before, change(before))


def begin_phase(connection: Connection, run: Run, phase: Phase) -> None:
    """Store that the phase of a step after its work has begun.

    Raises `Conflict` if the step does not wait for it, or if the plan or the step is gone.
    """

    def change(plan: Plan) -> Plan:
        return step_phases.phase_begun(plan, run.step_id or "", phase, run.id, now=run.queued_at)

    if change_plan(connection, run, change) is None:
        raise Conflict(NO_STEP)


def end_of(run: Run) -> RunEnd:
    """Return how a run has ended, for the transitions."""
    changed = None if run.changed is None else run.changed.files
    return RunEnd(run_id=run.id, state=run.state, cost_usd=run.cost_usd, changed_files=changed)


def answer_of(run: Run) -> str:
    """Return the answer of a run, without secrets; empty if it has none."""
    return run.result.text if run.result else ""


def subject(terms: Terms | None, title: str, **fields: Any) -> RunSubject:
    """Return the subject of a run without a terminal."""
    return RunSubject(terms=terms, title=title, mode="headless", fixed_mode=True, **fields)
