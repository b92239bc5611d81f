"""How a named agent works on a notebook: its terms when it is asked, and the text about itself that its prompt has."""

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
    """Who an agent is and what it remembers, as system text."""

    system: str
    warnings: tuple[str, ...]


class AgentTerms:
    """Asked by the kinds of runs that are about a document."""

    def __init__(self, runs: AgentRuns, briefing: Briefing) -> None:
        self._runs = runs
        self._briefing = briefing

    async def of(self, slug: str, principal: Principal) -> Terms:
        """As for a talk with it: it has no effects. Raises `NotFound`, `OutOfService`, `OverBudget`."""
        standing = await self._runs.may_ask(slug, principal)
        await self._runs.check_budget(standing.persona, heartbeat=False)
        terms = talk_terms(standing.persona, standing.record, principal, seconds=None)
        await self._runs.make_workdir(terms)
        return terms

    async def runtime(self, new: NewCellRun, principal: Principal) -> str | None:
        """What its session is with: as the request says, else as the agent's persona does. Raises as `of`."""
        if new.runtime is not None or new.agent is None:
            return new.runtime
        return (await self.of(new.agent, principal)).runtime or await self._runs.default_runtime()

    async def told(self, run: Run) -> AgentSystemText:
        """For a run that starts now. Raises `Skip` where what allowed it is gone."""
        gathered = await self._briefing.gathered(await self._runs.still_may(run))
        return AgentSystemText(system=talk_prompt.system(gathered), warnings=gathered.warnings)
