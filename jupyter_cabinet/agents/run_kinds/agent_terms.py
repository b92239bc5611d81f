"""The terms of a named agent that others ask to work (on a document, a step of a plan), and its system text."""

from __future__ import annotations

import msgspec

from ...core.people import Principal
from ...runs.kinds import Terms
from ...runs.model import Run
from ..prompts import talk_prompt
from ..prompts.briefing import Briefing
from .agent_runs import AgentRuns
from .run_terms import talk_terms


class AgentSystemText(msgspec.Struct, frozen=True, kw_only=True):
    """The system text that says who an agent is and what it remembers."""

    system: str
    warnings: tuple[str, ...]


class AgentTerms:
    """Looks up named agents for kinds of runs whose answer has no effects on the agent."""

    def __init__(self, runs: AgentRuns, briefing: Briefing) -> None:
        self._runs = runs
        self._briefing = briefing

    async def of(self, slug: str, principal: Principal) -> Terms:
        """Return the terms of an agent, as for a talk with it, and create its working directory.

        Raises `NotFound`, also if the caller may not see the agent, `OutOfService`, `OverBudget`, and `OutsideRoot` or
        `Invalid` for its working directory.
        """
        standing = await self._runs.may_ask(slug, principal)
        await self._runs.check_budget(standing.persona, heartbeat=False)
        terms = talk_terms(standing.persona, standing.record, principal, seconds=None)
        await self._runs.make_workdir(terms)
        return terms

    async def runtime(self, agent: str, principal: Principal) -> str:
        """Return the runtime of an agent: that of its persona, else the server's default. Raises as `of`."""
        return (await self.of(agent, principal)).runtime or await self._runs.default_runtime()

    async def told(self, run: Run) -> AgentSystemText:
        """Return the system text for a run that starts now. Raises `Skip` if the agent may no longer run."""
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        return AgentSystemText(system=talk_prompt.system(gathered), warnings=gathered.warnings)
