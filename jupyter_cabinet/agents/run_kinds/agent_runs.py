"""What the kinds of runs of agents share: who may start one, what it may spend, what its session is."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from pathlib import Path

from ...core.errors import CabinetError, Conflict, Invalid, NotAllowed, OverBudget
from ...core.paths import is_folder_below, resolve_below
from ...core.people import Principal, owns
from ...runs.kinds import Skip, Terms
from ...runs.model import UNATTENDED, NewRun, Run
from ...runs.records import RunRecords
from ...runs.rules import budgets
from ...runs.rules.enforcement import RequestedLimits, enforceable, usable_model
from ...runtimes.registry import Runtimes
from ..files.persona import Persona
from ..roster.roster import Roster, RosterEntry
from .guarded_files import Marks, marks
from .run_terms import budget_of, zone_of

FIXED = ("permission_mode", "allowed_tools", "tool_preset", "cwd", "runtime", "model", "mode", "max_turns")
MODES = ("ask", "edit", "bypass")  # each grants more than the one before


class AgentRuns:
    """Asked by every kind of run of an agent, when it is queued and again when it starts."""

    def __init__(self, *, root: Path, roster: Roster, records: RunRecords, runtimes: Runtimes) -> None:
        self.roster = roster
        self.root = root
        self._runtimes = runtimes
        self._records = records

    async def may_ask(self, slug: str, principal: Principal) -> RosterEntry:
        """The agent that is to work. Raises `NotFound`, `OutOfService`."""
        standing = await self.roster.get(slug, principal)
        standing.require()
        return standing

    async def check_budget(self, persona: Persona, *, heartbeat: bool, before: int | None = None) -> None:
        """Raise `OverBudget` with the reason. `before`: number of the run that asks; None: it has none yet."""
        spent = await self.spent(persona, before=before)
        refusal = budgets.refusal(budget_of(persona, self.roster.settings), spent, heartbeat=heartbeat)
        if refusal is not None:
            raise OverBudget(refusal)

    async def spent(self, persona: Persona, *, before: int | None = None) -> budgets.Spent:
        """What the agent has used in this month and on this day."""
        since = budgets.since(self.roster.clock.now(), zone_of(persona, self.roster.settings))
        return await self._records.spent(persona.slug, since, before=before)

    async def spent_by_all(self, personas: Iterable[Persona]) -> dict[str, budgets.Spent]:
        """The same of many agents, by slug."""
        now, settings = self.roster.clock.now(), self.roster.settings
        since = {persona.slug: budgets.since(now, zone_of(persona, settings)) for persona in personas}
        distinct = {(each.day, each.month): each for each in since.values()}
        found = {key: await self._records.spent_by_agent(each) for key, each in distinct.items()}
        return {slug: found[each.day, each.month].get(slug, budgets.Spent()) for slug, each in since.items()}

    async def newest(self, slugs: Collection[str]) -> dict[str, Run]:
        """The newest run of each agent, by slug."""
        return await self._records.latest_of_agents(slugs)

    def at_work(self, slug: str) -> Run | None:
        """Its run that works, else the first that is queued."""
        return self.all_at_work().get(slug)

    def all_at_work(self) -> dict[str, Run]:
        """The same of every agent that has one, by slug."""
        found: dict[str, Run] = {}
        for run in (*self._records.working(), *self._records.queued()):
            if run.agent is not None:
                found.setdefault(run.agent, run)
        return found

    def refuse_while_at_work(self, slug: str) -> None:
        """Raise `Conflict` for an agent with a run that works or waits in the queue."""
        if self.at_work(slug) is not None:
            raise Conflict(f"The agent {slug} is at work. Stop its runs first.")

    async def still_may(self, run: Run) -> RosterEntry:
        """The run starts now. Raises `Skip` where what allowed it when it was queued is gone."""
        try:
            standing = await self.roster.get(run.agent or "")
            persona = standing.require()
            if run.trigger.kind in UNATTENDED and not _is_within(run, persona):
                raise Skip("Its agent was given other powers after this run was queued.")
            await self.check_budget(persona, heartbeat=run.kind == "heartbeat", before=run.number)
        except CabinetError as error:
            raise Skip(error.message) from None
        return standing

    async def is_tainted(self, session_id: str) -> bool:
        """Whether a session contains text from outside."""
        return any(run.tainted for run in await self._records.of_session(session_id))

    async def default_runtime(self) -> str:
        """The name of what serves an agent that names none."""
        return await asyncio.to_thread(self._runtimes.default_name)

    async def unenforced(self, persona: Persona) -> tuple[str, ...]:
        """What the found CLI of an agent does not keep of its limits, in sentences. Nothing, where it was not found."""
        name = persona.runtime or await self.default_runtime()
        can = await asyncio.to_thread(self._runtimes.capabilities, name)
        if can is None:
            return ()
        wanted = RequestedLimits(tools=persona.tools(), permission_mode=persona.permission_mode)
        title = self._runtimes.get(name).about.title
        problems = enforceable(wanted, can, title)[1]
        ignored = usable_model(persona.model, can, title)[1]
        return (*(f"{problem.message} {problem.instead}" for problem in problems), *ignored)

    async def look_around(self) -> Marks:
        """How the files stand that a run of an agent must not write."""
        return await asyncio.to_thread(marks, self.root)

    async def make_workdir(self, terms: Terms) -> None:
        """The folder that the agent works in, made where it is missing. Raises `OutsideRoot`, `Invalid`."""
        if terms.cwd:
            await asyncio.to_thread(self._make_workdir, terms.cwd)

    def _make_workdir(self, path: str) -> None:
        real = resolve_below(self.root, path, field="workdir")
        if is_folder_below(self.root, path):
            return
        try:
            real.mkdir(parents=True)
        except OSError as error:
            raise Invalid(f"The folder {path} cannot be made: {error.strerror}.", field="workdir") from None


def check_left_open(new: NewRun, refusal: str) -> None:
    """Raise `Invalid` for a request that says how a run works whose effects its agent answers for."""
    for field in FIXED:
        if getattr(new, field) is not None:
            raise Invalid(refusal, field=field)


def must_own(standing: RosterEntry, principal: Principal) -> None:
    """Raise `NotAllowed` for who may see an agent, and not change it."""
    if not owns(principal, standing.record.owner):
        raise NotAllowed("Only the owner of an agent may do this.")


def _is_within(run: Run, persona: Persona) -> bool:
    """Whether what it was queued with is no more than the persona grants by now."""
    if MODES.index(run.permission_mode) > MODES.index(persona.permission_mode):
        return False
    allowed = persona.tools()
    return allowed is None or (run.allowed_tools is not None and set(run.allowed_tools) <= set(allowed))
