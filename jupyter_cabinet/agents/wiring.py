"""Builds the room's services from those of the rooms below, opens and closes them. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from ..core.clock import Clock
from ..core.events import EventBus
from ..runs.kinds import RunKind
from ..runs.records import RunRecords
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..schedules.scheduler import Scheduler
from ..sessions.service import Sessions
from ..storage.commits import Commits
from ..storage.database import Database
from ..storage.file_cache import FileCache
from ..storage.outbox import Outbox
from ..trust.service import Trust
from .agent_tools import AgentTools
from .assignments import AgentWork
from .correspondence.mailbox import AgentItems
from .directives.effects.doer import DirectiveDoer
from .files.agent_folders import AgentFolders
from .files.user_file import UserFile
from .prompts.briefing import Briefing, known_agent
from .roster.definition_watch import DefinitionWatch
from .roster.heartbeat_schedule import Heartbeats
from .roster.roster import Roster
from .run_kinds import run_completion
from .run_kinds.agent_runs import AgentRuns
from .run_kinds.heartbeat import HeartbeatKind
from .run_kinds.run_completion import Aftermath
from .run_kinds.talk import MessageKind, ReplyKind
from .service import Agents
from .settings import AgentSettings
from .steering_files import SteeringFiles


class AgentDependencies(msgspec.Struct, frozen=True, kw_only=True):
    """The services of the rooms below."""

    root: Path
    state_folder: Path
    data: Path  # outside the root
    database: Database
    commits: Commits
    outbox: Outbox
    trust: Trust
    runtimes: Runtimes
    records: RunRecords
    sessions: Sessions
    bus: EventBus
    clock: Clock
    may_act: Callable[[], bool]
    confirmed_plays: Callable[[], Awaitable[Mapping[str, str] | None]]


class AgentRoom:
    """The attributes without an underscore are what `backend.py`, `web/` and tests use."""

    def __init__(self, below: AgentDependencies, settings: AgentSettings) -> None:
        self._watch = DefinitionWatch(root=below.root, clock=below.clock, follow=self._follow)
        self.cache = FileCache()
        folders = AgentFolders(below.root, below.state_folder, self.cache)
        self.roster = roster = Roster(
            folders=folders,
            database=below.database,
            commits=below.commits,
            trust=below.trust,
            runtimes=below.runtimes,
            clock=below.clock,
            settings=settings,
        )
        self.doer = doer = DirectiveDoer(root=below.root, folders=folders, known=lambda slug: known_agent(roster, slug))
        self.items = AgentItems(root=below.root, folders=folders)
        self.tools = AgentTools(roster=roster, items=self.items, doer=doer, records=below.records)
        self.briefing = Briefing(
            root=below.root,
            roster=roster,
            items=self.items,
            doer=doer,
            confirmed_plays=below.confirmed_plays,
        )
        self.scheduler = Scheduler(
            database=below.database,
            commits=below.commits,
            clock=below.clock,
            may_act=below.may_act,
        )
        self.aftermath = Aftermath(
            roster=roster,
            doer=doer,
            database=below.database,
            commits=below.commits,
            failures_before_pause=settings.failures_before_pause,
        )
        below.outbox.register(run_completion.DIRECTIVES, self.aftermath.do_directives)
        below.outbox.register(run_completion.ENDED, self.aftermath.do_end)
        self.runs = runs = AgentRuns(root=below.root, roster=roster, records=below.records, runtimes=below.runtimes)
        self.kinds: tuple[RunKind, ...] = (
            HeartbeatKind(runs=runs, briefing=self.briefing, sessions=below.sessions),
            MessageKind(runs=runs, briefing=self.briefing, sessions=below.sessions),
            ReplyKind(runs=runs, briefing=self.briefing),
        )
        heartbeats = Heartbeats(roster=roster, briefing=self.briefing, scheduler=self.scheduler, records=below.records)
        self.agents = Agents(
            roster=roster,
            runs=runs,
            briefing=self.briefing,
            doer=doer,
            heartbeats=heartbeats,
            scheduler=self.scheduler,
        )
        self.followers = [self.agents.follow]  # called after somebody has changed files by hand
        self.steering_files = SteeringFiles(roster=roster, user_file=UserFile(below.root, below.state_folder))
        self.work = AgentWork(
            root=below.root, roster=roster, items=self.items, scheduler=self.scheduler, records=below.records
        )

    async def open(self, runs: Runs) -> None:
        """Read the agents and their schedules. `start` is to follow, once plays are open too."""
        await self.agents.begin(runs)

    async def start(self) -> None:
        """Fire what is due from now on, and follow changes of files."""
        await self.scheduler.start()
        await self._watch.start()

    async def _follow(self) -> None:
        for follow in self.followers:
            await follow()

    async def stop_following(self) -> None:
        """Follow no further change of a file. `close` is to be called soon."""
        await self._watch.stop_following()

    async def close(self) -> None:
        """Fire nothing any more."""
        await self.scheduler.stop()
        await self._watch.stop()
