"""The terms of a named agent that works on a document, and the system text that describes it."""

from __future__ import annotations

import msgspec

from ..agents.prompts import talk_prompt
from ..agents.prompts.briefing import Briefing
from ..agents.run_kinds.agent_runs import AgentRuns
from ..agents.run_kinds.run_terms import talk_terms
from ..core.people import Principal
from ..runs.kinds import Terms
from ..runs.model import Run
from .model import NewCellRun


class AgentSystemText(msgspec.Struct, frozen=True, kw_only=True):
    """The system text that says who an agent is and what it remembers."""

    system: str
    warnings: tuple[str, ...]


class AgentTerms:
    """Looks up named agents for the kinds of runs that are about a document."""

    def __init__(self, runs: AgentRuns, briefing: Briefing) -> None:
        self._runs = runs
        self._briefing = briefing

    async def of(self, slug: str, principal: Principal) -> Terms:
        """Return the terms of an agent, as for a talk with it: its answer has no effects.

        Raises `NotFound`, `OutOfService`, `OverBudget`.
        """
        standing = await self._runs.may_ask(slug, principal)
        await self._runs.check_budget(standing.persona, heartbeat=False)
        terms = talk_terms(standing.persona, standing.record, principal, seconds=None)
        await self._runs.make_workdir(terms)
        return terms

    async def runtime(self, new: NewCellRun, principal: Principal) -> str | None:
        """Return the runtime of the session: that of the request, else that of the agent's persona. Raises as `of`."""
        if new.runtime is not None or new.agent is None:
            return new.runtime
        return (await self.of(new.agent, principal)).runtime or await self._runs.default_runtime()

    async def told(self, run: Run) -> AgentSystemText:
        """Return the system text for a run that starts now. Raises `Skip` if the agent may no longer run."""
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        return AgentSystemText(system=talk_prompt.system(gathered), warnings=gathered.warnings)
