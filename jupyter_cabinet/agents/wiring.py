"""Builds the room's services from those of the rooms below, opens and closes them. Called by `backend.py`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from ..foundation import Foundation
from ..runs.kinds import RunKind
from ..runs.records import RunRecords
from ..runs.service import Runs
from ..runtimes.registry import Runtimes
from ..schedules.scheduler import Scheduler
from ..sessions.service import Sessions
from ..storage.filesystem.file_cache import FileCache
from .agent_memory import AgentMemory
from .agent_starter import AgentStarter
from .agent_tools import AgentTools
from .assignments import AgentWork
from .browser_tools import BrowserTools
from .correspondence.mailbox import AgentItems
from .directive_desk import DirectiveDesk
from .directives.effects.doer import DirectiveDoer
from .directives.post_office import PostOffice
from .files.agent_folders import AgentFolders
from .files.file_versions import SHARED
from .files.shared_file import SharedFile
from .memory.memory_search import MemorySearch
from .memory.search_queue import SearchQueue
from .memory_tools import MemoryTools
from .prompts.briefing import Briefing, known_agent
from .reflection.proposal_files import ProposalFiles
from .reflection.service import Reflections
from .roster.agent_views import AgentViews
from .roster.definition_watch import DefinitionWatch
from .roster.heartbeat_schedule import Heartbeats
from .roster.roster import Roster
from .roster.something_to_do import SomethingToDo
from .run_kinds import run_completion
from .run_kinds.agent_runs import AgentRuns
from .run_kinds.heartbeat import HeartbeatKind
from .run_kinds.reflection import REFLECTED, ReflectionKind
from .run_kinds.run_completion import Aftermath
from .run_kinds.talk import MessageKind, ReplyKind
from .service import Agents
from .settings import AgentSettings
from .skill_desk import SkillDesk
from .steering_files import SteeringFiles
from .task_reports import TaskReports
from .tool_server_tools import ToolServerTools


class AgentRoom:
    """All services of the room. `backend.py`, `web/` and tests use the attributes without an underscore."""

    def __init__(
        self,
        foundation: Foundation,
        *,
        runtimes: Runtimes,
        records: RunRecords,
        sessions: Sessions,
        confirmed_plays: Callable[[], Awaitable[Mapping[str, str] | None]],
        settings: AgentSettings,
    ) -> None:
        root = foundation.root
        self._watch = DefinitionWatch(root=root, clock=foundation.clock, follow=self._follow)
        self.cache = FileCache()
        folders = AgentFolders(root, foundation.state_folder, self.cache)
        self.roster = roster = Roster(
            folders=folders,
            database=foundation.database,
            commits=foundation.commits,
            trust=foundation.trust,
            runtimes=runtimes,
            clock=foundation.clock,
            settings=settings,
        )
        self.doer = doer = DirectiveDoer(root=root, folders=folders, known=lambda slug: known_agent(roster, slug))
        self.items = AgentItems(root=root, folders=folders)
        self.posts = PostOffice()
        self.skill_desk = SkillDesk()
        self.tool_server_tools = ToolServerTools(roster)
        reports = TaskReports(roster=roster, items=self.items)
        desk = DirectiveDesk(roster=roster, doer=doer, posts=self.posts, reports=reports)
        memory = MemorySearch(folders, root=root, data=foundation.data)
        searches = SearchQueue(memory)
        self._starter = starter = AgentStarter(roster=roster, records=records, clock=foundation.clock)
        self.tools = AgentTools(
            roster=roster,
            items=self.items,
            desk=desk,
            records=records,
            others={
                **MemoryTools(folders, memory, searches).by_name(),
                **BrowserTools(roster=roster, root=root).by_name(),
                **self.tool_server_tools.by_name(),
            },
            skills=self.skill_desk,
            starter=starter,
        )
        self.memory = AgentMemory(roster=roster, search=memory, queue=searches)
        self.briefing = Briefing(
            root=root,
            roster=roster,
            items=self.items,
            doer=doer,
            confirmed_plays=confirmed_plays,
        )
        self.scheduler = Scheduler(
            database=foundation.database,
            commits=foundation.commits,
            clock=foundation.clock,
            may_act=foundation.leases.may_act,
        )
        self.aftermath = Aftermath(
            roster=roster,
            doer=doer,
            desk=desk,
            database=foundation.database,
            commits=foundation.commits,
            failures_before_pause=settings.failures_before_pause,
        )
        foundation.outbox.register(run_completion.DIRECTIVES, self.aftermath.do_directives)
        foundation.outbox.register(run_completion.ENDED, self.aftermath.do_end)
        self.runs = runs = AgentRuns(root=root, roster=roster, records=records, runtimes=runtimes)
        proposals = ProposalFiles(root=root, data=foundation.data)
        self.kinds: tuple[RunKind, ...] = (
            HeartbeatKind(runs=runs, briefing=self.briefing, sessions=sessions),
            MessageKind(runs=runs, briefing=self.briefing, sessions=sessions),
            ReplyKind(runs=runs, briefing=self.briefing),
            ReflectionKind(runs=runs, briefing=self.briefing, is_pending=proposals.is_pending),
        )
        self.something_to_do = SomethingToDo(root=root, roster=roster, items=self.items, doer=doer)
        heartbeats = Heartbeats(
            roster=roster, something_to_do=self.something_to_do, scheduler=self.scheduler, records=records
        )
        self.agents = Agents(
            roster=roster,
            runs=runs,
            briefing=self.briefing,
            views=AgentViews(roster=roster, runs=runs, doer=doer, scheduler=self.scheduler),
            heartbeats=heartbeats,
            scheduler=self.scheduler,
            memory=self.memory,
        )
        self.reflections = Reflections(
            roster=roster, agents=self.agents, proposals=proposals, commits=foundation.commits
        )
        self.agents.forgetters.append(self.reflections.forget)
        self.aftermath.followers.append(self.reflections.start_if_due)
        foundation.outbox.register(REFLECTED, self.reflections.do_reflected)
        self.followers = [self.agents.follow]  # called after a person has changed files by hand
        shared = [SharedFile(name, root, foundation.state_folder) for name in SHARED]
        self.steering_files = SteeringFiles(roster=roster, shared=shared)
        self.work = AgentWork(
            root=root, roster=roster, items=self.items, reports=reports, scheduler=self.scheduler, records=records
        )

    async def open(self, runs: Runs) -> None:
        """Read the agents and their schedules. Call `start` once plays are open too."""
        self._starter.begin(runs)
        self.reflections.begin(runs)
        await self.agents.begin(runs)
        await self.memory.open()

    async def start(self) -> None:
        """Start schedules, and start watching files for changes."""
        await self.scheduler.start()
        await self._watch.start()

    async def _follow(self) -> None:
        for follow in self.followers:
            await follow()

    async def stop_following(self) -> None:
        """Stop reacting to changes of files. Call `close` soon after."""
        await self._watch.stop_following()

    async def close(self) -> None:
        """Stop schedules, and stop watching files."""
        await self.scheduler.stop()
        await self._watch.stop()
        self.memory.close()
