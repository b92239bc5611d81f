"""Builds the room's services from those of the rooms below, opens and closes them. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Callable
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
from . import aftermath
from .aftermath import Aftermath
from .briefing import Briefing, known_agent
from .definition_watch import DefinitionWatch
from .effects.doer import DirectiveDoer
from .folders import AgentFolders
from .heartbeat import HeartbeatKind
from .heartbeats import Heartbeats
from .items import AgentItems
from .kinds import AgentRuns
from .plays.playbook import TRUST_KIND as PLAYS_TRUST
from .plays.room import Around, PlayRoom
from .roster import Roster
from .service import Agents
from .settings import AgentSettings
from .steering_files import SteeringFiles
from .talk import MessageKind, ReplyKind
from .tools import AgentTools
from .user_file import UserFile
from .work import AgentWork


class Below(msgspec.Struct, frozen=True, kw_only=True):
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


class AgentRoom:
    """The attributes without an underscore are what `backend.py`, `web/` and tests use."""

    def __init__(self, below: Below, settings: AgentSettings) -> None:
        self._watch = DefinitionWatch(root=below.root, clock=below.clock, follow=self._follow)
        cache = FileCache()
        folders = AgentFolders(below.root, below.state_folder, cache)
        self.roster = roster = Roster(
            folders=folders,
            database=below.database,
            commits=below.commits,
            trust=below.trust,
            runtimes=below.runtimes,
            clock=below.clock,
            settings=settings,
        )
        doer = DirectiveDoer(root=below.root, folders=folders, known=lambda slug: known_agent(roster, slug))
        self.items = AgentItems(root=below.root, folders=folders)
        self.tools = AgentTools(roster=roster, items=self.items, doer=doer, records=below.records)
        self.briefing = Briefing(
            root=below.root,
            roster=roster,
            items=self.items,
            doer=doer,
            confirmed_plays=lambda: below.trust.confirmed_hashes(PLAYS_TRUST),
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
        below.outbox.register(aftermath.DIRECTIVES, self.aftermath.do_directives)
        below.outbox.register(aftermath.ENDED, self.aftermath.do_end)
        self.runs = runs = AgentRuns(root=below.root, roster=roster, records=below.records, runtimes=below.runtimes)
        plays = self._plays = PlayRoom(
            Around(
                root=below.root,
                state_folder=below.state_folder,
                data=below.data,
                roster=roster,
                runs=runs,
                briefing=self.briefing,
                items=self.items,
                doer=doer,
                scheduler=self.scheduler,
                records=below.records,
                database=below.database,
                commits=below.commits,
                outbox=below.outbox,
                trust=below.trust,
                bus=below.bus,
                cache=cache,
            )
        )
        self.plays, self.hooks = plays.plays, plays.hooks
        self.kinds: tuple[RunKind, ...] = (
            HeartbeatKind(runs=runs, briefing=self.briefing, sessions=below.sessions),
            MessageKind(runs=runs, briefing=self.briefing, sessions=below.sessions),
            ReplyKind(runs=runs, briefing=self.briefing),
            plays.kind,
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
        self.steering_files = SteeringFiles(roster=roster, user_file=UserFile(below.root, below.state_folder))
        self.work = AgentWork(
            root=below.root, roster=roster, items=self.items, scheduler=self.scheduler, records=below.records
        )

    def begin(self, runs: Runs) -> None:
        """Runs can be asked for, though they may be refused yet."""
        self._plays.begin(runs)

    async def open(self, runs: Runs) -> None:
        """Fire what is due from now on."""
        await self.agents.begin(runs)
        await self._plays.open()
        await self.scheduler.start()
        await self._watch.start()

    async def _follow(self) -> None:
        await self.agents.follow()
        await self.plays.follow()

    async def close(self) -> None:
        """Fire nothing any more."""
        await self._watch.stop_following()
        await self._plays.close()
        await self.scheduler.stop()
        await self._watch.stop()
