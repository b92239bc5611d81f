"""Builds, opens and closes the services of plays, from the services below and the agents. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Callable

from ..agents.run_kinds.play_notices import MESSAGES
from ..agents.wiring import AgentRoom
from ..foundation import Foundation
from ..runs.records import RunRecords
from ..runs.service import Runs
from . import completion
from .hooks import Hooks, Secrets
from .play_files import PlayFiles
from .play_kind import PlayKind
from .playbook import Playbook
from .service import Plays, Watches
from .starters import event_watch
from .starters.event_watch import EventWatch
from .starters.file_watch import FileWatch
from .starters.follow_up_plays import Followers
from .starters.goal_watch import GoalWatch
from .starters.schedules import PlaySchedules
from .starters.starter import PlayStarter


class PlayRoom:
    """All services of plays. `backend.py`, `web/` and tests use the attributes without an underscore."""

    def __init__(self, foundation: Foundation, *, agents: AgentRoom, records: RunRecords) -> None:
        roster, clock, commits = agents.roster, foundation.clock, foundation.commits
        files = PlayFiles(foundation.root, foundation.state_folder, zone=roster.settings.time_zone, cache=agents.cache)
        self.playbook = playbook = Playbook(files=files, roster=roster, trust=foundation.trust)
        self.kind = PlayKind(runs=agents.runs, briefing=agents.briefing, playbook=playbook)
        self._starter = PlayStarter(playbook=playbook, database=foundation.database, commits=commits, clock=clock)
        followers = Followers(playbook=playbook, starter=self._starter, items=agents.items, commits=commits)
        foundation.outbox.register(completion.HISTORY, followers.write_history)
        foundation.outbox.register(completion.COMPLETED, followers.do_completed)
        foundation.outbox.register(event_watch.HAPPENED, followers.do_happened)
        foundation.outbox.register(MESSAGES, followers.do_message)
        self.watches = Watches(
            schedules=PlaySchedules(scheduler=agents.scheduler, starter=self._starter),
            goals=GoalWatch(roster=roster, doer=agents.doer, starter=self._starter, clock=clock),
            files=FileWatch(root=foundation.root, records=records, starter=self._starter, clock=clock),
            events=EventWatch(commits=commits),
        )
        secrets = Secrets(foundation.data, foundation.root)
        self.hooks = Hooks(secrets=secrets, playbook=playbook, starter=self._starter, clock=clock)
        self.plays = Plays(
            playbook=playbook,
            watches=self.watches,
            secrets=secrets,
            hooks=self.hooks,
            records=records,
            commits=commits,
        )
        agents.followers.append(self.plays.follow)
        self._bus = foundation.bus
        self._unhear: list[Callable[[], None]] = []

    def begin(self, runs: Runs) -> None:
        """Connect the service of runs, so that plays can request runs. These may still be refused."""
        self._starter.begin(runs)
        self.plays.begin(runs)

    async def open(self) -> None:
        """Start to watch for the triggers of plays, and start those that wait for the start of the server."""
        self._unhear = [self._bus.subscribe(each) for each in (self.watches.files.hear, self.watches.events.hear)]
        await self.plays.follow(silently=True)
        await self.watches.events.server_started()
        self.watches.goals.start(self._bus)

    async def close(self) -> None:
        """Stop watching, so that no play is started any more."""
        for unhear in self._unhear:
            unhear()
        await self.watches.events.stop()
        await self.watches.files.stop()
        await self.watches.goals.stop()
