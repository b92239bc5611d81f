"""Builds what plays need, opens and closes it. Called by the room of agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from ...core.events import EventBus
from ...runs.records import RunRecords
from ...runs.service import Runs
from ...schedules.scheduler import Scheduler
from ...storage.commits import Commits
from ...storage.database import Database
from ...storage.file_cache import FileCache
from ...storage.outbox import Outbox
from ...trust.service import Trust
from ..briefing import Briefing
from ..effects.doer import DirectiveDoer
from ..follow_ups import MESSAGES
from ..items import AgentItems
from ..kinds import AgentRuns
from ..roster import Roster
from . import completed
from .file_watch import FileWatch
from .files import PlayFiles
from .followers import Followers
from .goal_watch import GoalWatch
from .hooks import Hooks, Secrets
from .kind import PlayKind
from .playbook import Playbook
from .schedules import PlaySchedules
from .service import Plays, Watches
from .starter import PlayStarter


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What the plays are built on."""

    root: Path
    state_folder: Path
    data: Path  # outside the root
    roster: Roster
    runs: AgentRuns
    briefing: Briefing
    items: AgentItems
    doer: DirectiveDoer
    scheduler: Scheduler
    records: RunRecords
    database: Database
    commits: Commits
    outbox: Outbox
    trust: Trust
    bus: EventBus
    cache: FileCache


class PlayRoom:
    """The attributes without an underscore are what the room of agents, `web/` and tests use."""

    def __init__(self, around: Around) -> None:
        roster, clock = around.roster, around.roster.clock
        files = PlayFiles(around.root, around.state_folder, zone=roster.settings.time_zone, cache=around.cache)
        playbook = Playbook(files=files, roster=roster, trust=around.trust)
        self.kind = PlayKind(runs=around.runs, briefing=around.briefing, playbook=playbook)
        self._starter = PlayStarter(playbook=playbook, database=around.database, commits=around.commits, clock=clock)
        followers = Followers(playbook=playbook, starter=self._starter, items=around.items, commits=around.commits)
        around.outbox.register(completed.HISTORY, followers.write_history)
        around.outbox.register(completed.COMPLETED, followers.do_completed)
        around.outbox.register(MESSAGES, followers.do_message)
        self.watches = Watches(
            schedules=PlaySchedules(scheduler=around.scheduler, starter=self._starter),
            goals=GoalWatch(roster=roster, doer=around.doer, starter=self._starter, clock=clock),
            files=FileWatch(root=around.root, records=around.records, starter=self._starter, clock=clock),
        )
        secrets = Secrets(around.data, around.root)
        self.hooks = Hooks(secrets=secrets, playbook=playbook, starter=self._starter, clock=clock)
        self.plays = Plays(
            playbook=playbook,
            watches=self.watches,
            secrets=secrets,
            hooks=self.hooks,
            records=around.records,
            commits=around.commits,
        )
        self._bus = around.bus
        self._unhear: Callable[[], None] = lambda: None

    def begin(self, runs: Runs) -> None:
        """Runs can be asked for, though they may be refused yet."""
        self._starter.begin(runs)
        self.plays.begin(runs)

    async def open(self) -> None:
        """Look out for what starts plays."""
        self._unhear = self._bus.subscribe(self.watches.files.hear)
        await self.plays.follow(silently=True)
        self.watches.goals.start(self._bus)

    async def close(self) -> None:
        """Start nothing any more."""
        self._unhear()
        await self.watches.files.stop()
        await self.watches.goals.stop()
