"""Builds, opens and closes the services of plans. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Callable

from ..agents.run_kinds.agent_terms import AgentTerms
from ..agents.wiring import AgentRoom
from ..foundation import Foundation
from ..runs.kinds import RunKind
from ..runs.records import RunRecords
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..sessions.service import Sessions
from .checklist_files import ChecklistFiles
from .checklists import Checklists
from .kinds.breakdown_kind import BreakdownKind
from .kinds.commit_kind import CommitKind
from .kinds.evaluate_kind import EvaluateKind
from .kinds.handoff_kind import HandoffKind
from .kinds.plan_kind import ADVANCE
from .kinds.step_kind import StepKind
from .kinds.verify_kind import VerifyKind
from .model import Plan
from .rules.stops import Stop
from .service import Plans
from .step_tools import StepTools
from .work import PlanWork


class PlanRoom:
    """All services of plans. `backend.py`, `web/` and tests use the attributes without an underscore."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        sessions: Sessions,
        runtimes: Runtimes,
        agents: AgentRoom,
        records: RunRecords,
    ) -> None:
        database, commits, clock = foundation.database, foundation.commits, foundation.clock
        terms = AgentTerms(agents.runs, agents.briefing)
        files = ChecklistFiles(foundation.root)
        checklists = Checklists(files=files, database=database, clock=clock)
        self._work = PlanWork(database=database, commits=commits, clock=clock, checklists=checklists)
        self.tools = StepTools(others=agents.tools, work=self._work, clock=clock, redactor=foundation.redactor)
        self.kinds: tuple[RunKind, ...] = (
            StepKind(
                database=database,
                clock=clock,
                agents=terms,
                sessions=sessions,
                runtimes=runtimes,
                checklists=files,
            ),
            VerifyKind(database=database, clock=clock, agents=terms),
            CommitKind(root=foundation.root, database=database, clock=clock, agents=terms),
            HandoffKind(database=database, clock=clock, agents=terms),
            EvaluateKind(database=database, clock=clock, agents=terms),
            BreakdownKind(database=database, clock=clock, agents=terms),
        )
        foundation.outbox.register(ADVANCE, self._work.do_advance)
        self.plans = Plans(
            root=foundation.root,
            database=database,
            commits=commits,
            clock=clock,
            records=records,
            work=self._work,
            checklists=files,
        )

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs."""
        self._work.begin(runs)

    def when_stopped(self, listener: Callable[[Plan, Stop], None]) -> None:
        """Call `listener` when a plan has stopped by itself, perhaps several times for the same stop.

        It replaces an earlier one.
        """
        self._work.when_stopped = listener

    async def disown(self) -> None:
        """Pause the plans of another server's database, without starting anything. Called before `open`."""
        await self._work.disown()

    async def open(self) -> None:
        """Repair what an earlier server has left, and carry on."""
        await self._work.open()

    async def close(self) -> None:
        """Start no step any more."""
        await self._work.close()
