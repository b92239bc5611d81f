"""Checks that all kinds of agent runs share: permission to start, budget, session and working directory."""

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

FIXED = ("permission_mode", "allowed_tools", "tool_preset", "cwd", "runtime", "model", "mode", "max_turns", "runner")
MODES = ("ask", "edit", "bypass")  # each mode grants more than the previous one


class AgentRuns:
    """Checks that every kind of agent run makes, when a run is queued and again when it starts."""

    def __init__(self, *, root: Path, roster: Roster, records: RunRecords, runtimes: Runtimes) -> None:
        self.roster = roster
        self.root = root
        self._runtimes = runtimes
        self._records = records

    async def may_ask(self, slug: str, principal: Principal) -> RosterEntry:
        """Return the agent that is to work. Everyone who may see it may ask it.

        Raises `OutOfService` if it has errors, is not confirmed or is paused, and `NotFound`, also if the caller may
        not see it.
        """
        entry = await self.roster.get(slug, principal)
        entry.require()
        return entry

    async def check_budget(self, persona: Persona, *, heartbeat: bool, before: int | None = None) -> None:
        """Raise `OverBudget` with the reason if the agent has used up its budget.

        `before`: number of the run that is about to start; None: the run is not queued yet.
        """
        spent = await self.spent(persona, before=before)
        refusal = budgets.refusal(budget_of(persona, self.roster.settings), spent, heartbeat=heartbeat)
        if refusal is not None:
            raise OverBudget(refusal)

    async def spent(self, persona: Persona, *, before: int | None = None) -> budgets.Spent:
        """Return what the agent has used in the current month and on the current day, in its time zone.

        `before`: count only runs with a lower number; None: all.
        """
        since = budgets.since(self.roster.clock.now(), zone_of(persona, self.roster.settings))
        return await self._records.spent(persona.slug, since, before=before)

    async def spent_by_all(self, personas: Iterable[Persona]) -> dict[str, budgets.Spent]:
        """Return what each of these agents has used in the current month and on the current day, by slug."""
        now, settings = self.roster.clock.now(), self.roster.settings
        since = {persona.slug: budgets.since(now, zone_of(persona, settings)) for persona in personas}
        distinct = {(each.day, each.month): each for each in since.values()}
        found = {key: await self._records.spent_by_agent(each) for key, each in distinct.items()}
        return {slug: found[each.day, each.month].get(slug, budgets.Spent()) for slug, each in since.items()}

    async def newest(self, slugs: Collection[str]) -> dict[str, Run]:
        """Return the newest run of each agent that has one, by slug, whoever may see it."""
        return await self._records.latest_of_agents(slugs)

    async def all_at_work(self) -> dict[str, Run]:
        """Return the active run, else the first queued run, of every agent that has one in any server, by slug."""
        found: dict[str, Run] = {}
        for run in await self._records.unfinished_of_agents():
            if run.agent is not None:
                found.setdefault(run.agent, run)
        return found

    async def reflects(self, slug: str) -> bool:
        """Return whether the agent has an active or queued reflection in any server."""
        at_work = await self._records.unfinished_of_agents()
        return any(run.agent == slug and run.kind == "reflection" for run in at_work)

    async def refuse_while_at_work(self, slug: str) -> None:
        """Raise `Conflict` if the agent has an active or queued run in any server."""
        if slug in await self.all_at_work():
            raise Conflict(f"The agent {slug} has running or queued runs. Stop them first.")

    async def still_may(self, run: Run) -> RosterEntry:
        """Check again that a run may start, and return its agent.

        Raises `Skip` with the reason if the agent is gone or may not act, or has used up its budget. A run that no
        person has requested is also skipped if its agent has lost permissions since it was queued.
        """
        try:
            entry = await self.roster.get(run.agent or "")
            persona = entry.require()
            if run.trigger.kind in UNATTENDED and not _is_within(run, persona):
                raise Skip("The permissions of its agent have changed since this run was queued.")
            await self.check_budget(persona, heartbeat=run.kind in budgets.HEARTBEATS, before=run.number)
        except CabinetError as error:
            raise Skip(error.message) from None
        return entry

    async def is_tainted(self, session_id: str) -> bool:
        """Return whether a session contains text from outside."""
        return any(run.tainted for run in await self._records.of_session(session_id))

    async def default_runtime(self) -> str:
        """Return the name of the runtime for agents whose persona names none."""
        return await asyncio.to_thread(self._runtimes.default_name)

    async def unenforced(self, persona: Persona) -> tuple[str, ...]:
        """Return the limits that an agent's CLI cannot enforce, in sentences, and whether it ignores the model.

        Empty if there is nothing to say, or if the CLI was not found.
        """
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
        """Return the marks of the files that an agent's run must not write."""
        return await asyncio.to_thread(marks, self.root)

    async def make_workdir(self, terms: Terms) -> None:
        """Create the agent's working directory if it does not exist; nothing happens without one.

        Raises `OutsideRoot` for a path outside the root, `NotFound` for links that form a loop, and `Invalid` if it
        cannot be created.
        """
        if terms.cwd:
            await asyncio.to_thread(self._make_workdir, terms.cwd)

    def _make_workdir(self, path: str) -> None:
        real = resolve_below(self.root, path, field="workdir")
        if is_folder_below(self.root, path):
            return
        try:
            real.mkdir(parents=True)
        except OSError as error:
            raise Invalid(f"The folder {path} could not be created: {error.strerror}.", field="workdir") from None


def check_left_open(new: NewRun, refusal: str) -> None:
    """Raise `Invalid` if a request sets a field that only the agent's persona may set."""
    for field in FIXED:
        if getattr(new, field) is not None:
            raise Invalid(refusal, field=field)


def must_own(entry: RosterEntry, principal: Principal) -> None:
    """Raise `NotAllowed` if the caller does not own the agent."""
    if not owns(principal, entry.record.owner):
        raise NotAllowed("Only the owner of an agent may do this.")


def _is_within(run: Run, persona: Persona) -> bool:
    """Return whether the run was queued with no more permissions than the persona grants now."""
    if MODES.index(run.permission_mode) > MODES.index(persona.permission_mode):
        return False
    if persona.isolate and not run.isolate:
        return False
    if run.runner not in (None, persona.runner):
        return False
    if not set(run.network) <= set(persona.network):
        return False
    allowed = persona.tools()
    return allowed is None or (run.allowed_tools is not None and set(run.allowed_tools) <= set(allowed))
