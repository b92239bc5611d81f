"""Builds what plays need from the services below and from the agents, opens and closes it. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Callable

from ..agents.run_kinds.play_notices import MESSAGES
from ..agents.wiring import AgentDependencies, AgentRoom
from ..runs.service import Runs
from . import completion
from .file_watch import FileWatch
from .follow_up_plays import Followers
from .goal_watch import GoalWatch
from .hooks import Hooks, Secrets
from .play_files import PlayFiles
from .play_kind import PlayKind
from .playbook import Playbook
from .schedules import PlaySchedules
from .service import Plays, Watches
from .starter import PlayStarter


class PlayRoom:
    """The attributes without an underscore are what `backend.py`, `web/` and tests use."""

    def __init__(self, below: AgentDependencies, agents: AgentRoom) -> None:
        roster, clock = agents.roster, below.clock
        files = PlayFiles(below.root, below.state_folder, zone=roster.settings.time_zone, cache=agents.cache)
        playbook = Playbook(files=files, roster=roster, trust=below.trust)
        self.kind = PlayKind(runs=agents.runs, briefing=agents.briefing, playbook=playbook)
        self._starter = PlayStarter(playbook=playbook, database=below.database, commits=below.commits, clock=clock)
        followers = Followers(playbook=playbook, starter=self._starter, items=agents.items, commits=below.commits)
        below.outbox.register(completion.HISTORY, followers.write_history)
        below.outbox.register(completion.COMPLETED, followers.do_completed)
        below.outbox.register(MESSAGES, followers.do_message)
        self.watches = Watches(
            schedules=PlaySchedules(scheduler=agents.scheduler, starter=self._starter),
            goals=GoalWatch(roster=roster, doer=agents.doer, starter=self._starter, clock=clock),
            files=FileWatch(root=below.root, records=below.records, starter=self._starter, clock=clock),
        )
        secrets = Secrets(below.data, below.root)
        self.hooks = Hooks(secrets=secrets, playbook=playbook, starter=self._starter, clock=clock)
        self.plays = Plays(
            playbook=playbook,
            watches=self.watches,
            secrets=secrets,
            hooks=self.hooks,
            records=below.records,
            commits=below.commits,
        )
        agents.followers.append(self.plays.follow)
        self._bus = below.bus
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
