"""Builds the services of a server from plain settings, and opens and closes them in order.

The only file that knows every room. No Jupyter server is needed for it: `app.py` passes in Jupyter's settings.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from .activity.reviews import ReviewedServices, Reviews
from .activity.service import ActivityList
from .agents.files.safe_files import AGENTS
from .agents.settings import AgentSettings
from .agents.wiring import AgentRoom
from .approvals.rulebook import Rulebook
from .approvals.service import Approvals, ApprovalSettings
from .bundles.wiring import BundleRoom
from .changes.service import RunChanges
from .changes.settings import ChangeSettings
from .changes.snapshots.excluded_paths import exclusions_of
from .changes.snapshots.exclusions import Exclusions
from .changes.snapshots.never_compared import CABINET_STATE, CLI_STATE, JUPYTER_STATE
from .channels.wiring import ChannelRoom
from .core.clock import Clock, SystemClock
from .core.events import EventBus
from .core.ids import new_id
from .core.redaction import Redactor
from .editor.completion import FileIndex
from .editor.wiring import EditorRoom
from .execution.executor import Executor
from .execution.settings import ExecutionSettings, Surroundings
from .foundation import Foundation
from .notebook_tools.service import NotebookTools
from .plans.wiring import PlanRoom
from .plays.playbook import TRUST_KIND as PLAYS_TRUST
from .plays.wiring import PlayRoom
from .runners.dask_cluster import DaskCluster
from .runners.docker_runner import DockerRunner
from .runners.port import Runner, RunnerName
from .runners.runner_check import RunnerCheck
from .runs.required_services import RequiredServices
from .runs.rules.trigger_chain import PLAYBOOKS
from .runs.settings import RunSettings
from .runs.terminal_agents import TerminalAgents
from .runs.tools.tool_questions import ToolQuestions
from .runs.wiring import build_records, build_remote_runs, build_runs, build_work_in_documents
from .runtimes.registry import Runtimes
from .sandboxes.environment import shell_environment
from .sandboxes.local import LocalSandbox
from .sandboxes.mount_places import MountPlaces
from .sandboxes.pty import Ptys
from .schedules.leases import Leases
from .sessions.service import Sessions
from .skills.wiring import SkillRoom
from .storage.commits import Commits
from .storage.database import Database, sqlite_file, sqlite_url
from .storage.database_checks import mark_from, mark_of, put_mark
from .storage.event_log import EventLog
from .storage.filesystem.leftovers import clean_up
from .storage.outbox import Outbox
from .terminals.recording.recordings import Recordings
from .terminals.service import Terminals
from .terminals.settings import TerminalSettings
from .tool_servers.wiring import ToolServerRoom
from .transcripts.continuation import Continuation
from .transcripts.next_prompt_runs import ENDED as NEXT_PROMPTS_ENDED
from .transcripts.next_prompt_runs import NextPromptRuns, NextPromptsKind
from .transcripts.service import CliSessions, SessionIndexSettings
from .trust.model import TrustPolicy
from .trust.service import Trust
from .trust.store import TrustStore

log = logging.getLogger(__name__)


class BackendSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings from which the services are built."""

    root: Path
    data: Path  # outside the root: the confirmations of people
    run_directories: Path
    environment: Mapping[str, str]
    secrets: tuple[str, ...]
    trust: TrustPolicy = "ask"
    db_url: str = ""
    default_runtime: str = ""
    enabled_runtimes: frozenset[str] = frozenset()
    runtime_paths: Mapping[str, str] = {}
    runtime_env: tuple[str, ...] = ()
    acp_agents: Mapping[str, Sequence[str]] = {}
    cluster: str = ""  # the scheduler of a Dask cluster; empty: none
    docker_image: str = ""  # of the containers of runs; empty: none
    approval_seconds: float = 10 * 60  # a question that nobody answers within this time is denied
    runs: RunSettings = RunSettings()
    execution: ExecutionSettings = ExecutionSettings()
    agents: AgentSettings = AgentSettings()
    changes: ChangeSettings = ChangeSettings()
    jupyter_paths: tuple[str, ...] = ()  # absolute: Jupyter's own files; see `KeepsState` for `*`
    shared_login: bool = True  # whether everybody who is logged in is the owner
    own_port: int = 0  # of the server's API; 0: not known
    session_index: bool = False  # whether the sessions that CLIs keep on disk are read
    terminals: TerminalSettings = TerminalSettings()  # except the shell's environment, which is made here


class Backend:
    """All services of one server. `web/` and tests use the attributes without an underscore."""

    def __init__(self, settings: BackendSettings, clock: Clock | None = None) -> None:
        """Prepare the folders and build the services. Raises `CabinetError` if that fails."""
        self.clock = clock or SystemClock()
        self._settings = settings
        self._tidying: asyncio.Task[None] | None = None
        foundation = self._lay_foundation(settings)
        self._build_runtimes_and_terminals(settings)
        services = self._build_what_runs_need(settings, foundation)
        self._build_agents_and_runs(settings, foundation, services)

    def _lay_foundation(self, settings: BackendSettings) -> Foundation:
        self._store = TrustStore(settings.data)
        self._claimed = self._store.claim_state_folder(
            settings.root, now=self.clock.now(), accept_unknown=settings.trust == "always"
        )
        if self._claimed.aside is not None:
            log.warning(
                "%s was not created by this server. It was set aside as %s.",
                self._claimed.path,
                self._claimed.aside.name,
            )
        state, clock = self._claimed.path, self.clock
        self.bus, redactor, leases = EventBus(), Redactor(settings.secrets), Leases(new_id(), clock)
        self.database = Database(settings.db_url or sqlite_url(state / "cabinet.db"), state_folder=state)
        self.events = EventLog(database=self.database, bus=self.bus, clock=clock, redactor=redactor)
        self.outbox = Outbox(database=self.database, clock=clock, holder=leases.holder, may_act=leases.may_act)
        self.commits = Commits(
            database=self.database, log=self.events, outbox=self.outbox, bus=self.bus, fence=leases.require
        )
        self.trust = Trust(root=settings.root, store=self._store, policy=settings.trust, clock=clock, bus=self.bus)
        return Foundation(
            root=settings.root,
            state_folder=state,
            data=settings.data,
            clock=clock,
            bus=self.bus,
            redactor=redactor,
            database=self.database,
            events=self.events,
            outbox=self.outbox,
            commits=self.commits,
            leases=leases,
            trust=self.trust,
        )

    def _build_runtimes_and_terminals(self, settings: BackendSettings) -> None:
        self.runtimes = Runtimes(
            set(settings.enabled_runtimes),
            settings.runtime_paths,
            settings.environment,
            preferred=settings.default_runtime,
            acp_agents=settings.acp_agents,
        )
        environment = shell_environment(settings.environment, secrets=settings.secrets)
        terminals = msgspec.structs.replace(settings.terminals, shell_environment=environment)
        self.recordings = Recordings(
            self._claimed.path / "recordings", settings=terminals, clock=self.clock, bus=self.bus
        )
        places, ptys = MountPlaces(), Ptys()
        self.sandbox = LocalSandbox(places, ptys)
        self.cluster = RunnerCheck(DaskCluster(settings.cluster)) if settings.cluster else None
        self.containers: RunnerCheck | None = None
        if settings.docker_image:
            memory = settings.runs.limits.memory_bytes
            self.containers = RunnerCheck(
                DockerRunner(settings.docker_image, settings.run_directories, places, ptys=ptys, memory_bytes=memory)
            )
        self.terminals = Terminals(
            clock=self.clock, bus=self.bus, sandbox=self.sandbox, settings=terminals, recordings=self.recordings
        )

    def _build_what_runs_need(self, settings: BackendSettings, foundation: Foundation) -> RequiredServices:
        self._surroundings = Surroundings(
            root=settings.root,
            state_folder=self._claimed.path,
            run_directories=settings.run_directories,
            environment=settings.environment,
            kept_environment=settings.runtime_env,
            private_paths=tuple(self._private_paths(settings)),
            redactor=foundation.redactor,
            clock=self.clock,
        )
        self.sessions = Sessions(
            database=self.database, commits=self.commits, clock=self.clock, holder=foundation.leases.holder
        )
        self.approval_rules = Rulebook(trust=self.trust, clock=self.clock, root=settings.root)
        remote_runs = build_remote_runs(foundation)
        self.approvals = Approvals(
            database=self.database,
            commits=self.commits,
            clock=self.clock,
            redactor=foundation.redactor,
            rules=self.approval_rules,
            settings=ApprovalSettings(settings.root, settings.approval_seconds),
            refusal=remote_runs.refusal,
        )
        self.executor = Executor(
            sessions=self.sessions,
            runtimes=self.runtimes,
            terminals=self.terminals,
            sandbox=self.sandbox,
            settings=settings.execution,
            surroundings=self._surroundings,
            runners=self._runners(),
        )
        self.changes = RunChanges(
            root=settings.root,
            folder=self._claimed.path / "changes",
            database=self.database,
            commits=self.commits,
            clock=self.clock,
            settings=settings.changes,
            exclusions=self._exclusions(settings),
        )
        return RequiredServices(
            remote_runs=remote_runs,
            sessions=self.sessions,
            approvals=self.approvals,
            executor=self.executor,
            trust=self.trust,
            changes=self.changes,
            runtimes=self.runtimes,
            terminals=self.terminals,
        )

    def _build_agents_and_runs(
        self, settings: BackendSettings, foundation: Foundation, services: RequiredServices
    ) -> None:
        self.records = build_records(foundation)
        agents = self._agent_room = AgentRoom(
            foundation,
            runtimes=self.runtimes,
            records=self.records,
            sessions=self.sessions,
            confirmed_plays=lambda: self.trust.confirmed_hashes(PLAYS_TRUST),
            settings=settings.agents,
        )
        skills = SkillRoom(foundation, agents=agents)
        tool_servers = self._tool_server_room = ToolServerRoom(
            foundation,
            agents=agents,
            sandbox=self.sandbox,
            surroundings=self._surroundings,
            runtimes=self.runtimes,
            shared_login=settings.shared_login,
        )
        plays = self._play_room = PlayRoom(foundation, agents=agents, records=self.records)
        plans = self._plan_room = PlanRoom(
            foundation, sessions=self.sessions, runtimes=self.runtimes, agents=agents, records=self.records
        )
        channels = self._channel_room = ChannelRoom(
            foundation,
            agents=agents,
            approvals=self.approvals,
            sessions=self.sessions,
            records=self.records,
            shared_login=settings.shared_login,
            own_port=settings.own_port,
        )
        editor = EditorRoom(
            foundation, sessions=self.sessions, runtimes=self.runtimes, agents=agents, changes=self.changes
        )
        self.notebook_tools = NotebookTools(
            others=plans.tools,
            questions=ToolQuestions(records=self.records, approvals=self.approvals, root=settings.root),
            root=settings.root,
            redactor=foundation.redactor,
            bus=self.bus,
        )
        self.runs = build_runs(
            foundation,
            records=self.records,
            kinds=(*editor.kinds, *agents.kinds, plays.kind, *plans.kinds, channels.kind, NextPromptsKind()),
            services=services._replace(
                tools=self.notebook_tools, skills=skills.in_runs, tool_servers=tool_servers.in_runs
            ),
            elsewhere=editor.earlier,
            settings=msgspec.structs.replace(settings.runs, runners=("local", *self._runners())),
            surroundings=self._surroundings,
        )
        plays.begin(self.runs)
        plans.begin(self.runs)
        channels.begin(self.runs)
        plans.when_stopped(
            lambda plan, stop: channels.notifications.hear_plan(
                key=stop.key, title=plan.title, how=stop.how, reason=stop.reason, owner=plan.owner
            )
        )
        self.agents, self.agent_work, self.steering_files = agents.agents, agents.work, agents.steering_files
        self.reflections = agents.reflections
        self.agent_memory = agents.memory
        self.aftermath, self.briefing = agents.aftermath, agents.briefing
        self.plays, self.hooks = plays.plays, plays.hooks
        self.plans = plans.plans
        self.skills, self.tool_servers = skills.skills, tool_servers.tool_servers
        self.tool_servers_of_clis = tool_servers.of_clis
        self.bundles = BundleRoom(
            foundation, agents=agents, plays=plays, skills=skills, tool_servers=tool_servers, runtimes=self.runtimes
        ).bundles
        self.channels, self.web_chat, self.webhooks = channels.channels, channels.web_chat, channels.webhooks
        self.connected_accounts = channels.accounts
        self.editor = editor.build_sessions(self.runs)
        self.work_in_documents = build_work_in_documents(foundation)
        self.files = FileIndex(settings.root)
        self.activity = ActivityList(
            database=self.database, runs=self.runs, changes=self.changes, agents=self.agents.roster
        )
        self.reviews = Reviews(
            ReviewedServices(
                reflections=self.reflections,
                skills=self.skills,
                tool_servers=self.tool_servers,
                plans=self.plans,
                aftermath=self.aftermath,
                runs=self.runs,
                roster=self.agents.roster,
            )
        )
        index = SessionIndexSettings(environment=settings.environment, enabled=settings.session_index)
        self.cli_sessions = CliSessions(
            foundation, runtimes=self.runtimes, sessions=self.sessions, runs=self.runs, settings=index
        )
        self.continuation = Continuation(
            cli_sessions=self.cli_sessions, sessions=self.sessions, runs=self.runs, runtimes=self.runtimes
        )
        self.next_prompts = NextPromptRuns(
            cli_sessions=self.cli_sessions, sessions=self.sessions, runs=self.runs, runtimes=self.runtimes
        )
        self.outbox.register(NEXT_PROMPTS_ENDED, self.next_prompts.do_ended)
        self.terminal_agents = TerminalAgents(
            runs=self.runs,
            terminals=self.terminals,
            runtimes=self.runtimes,
            root=settings.root,
            state_folder=self._claimed.path,
        )

    def _exclusions(self, settings: BackendSettings) -> Exclusions:
        """Return the paths that no run's changes include."""
        own = self._private_paths(settings)
        return exclusions_of(settings.root, settings.environment, own, settings.changes.changes_excluded)

    def _private_paths(self, settings: BackendSettings) -> dict[str, str]:
        """Return the private files of this server, Jupyter and the CLIs, each with what it is."""
        own = {path: CLI_STATE.format(title=title) for path, title in self.runtimes.state_paths().items()}
        own |= {path: JUPYTER_STATE for path in settings.jupyter_paths}
        own |= {str(path): CABINET_STATE for path in (settings.data, settings.run_directories)}
        if file := sqlite_file(self.database.url):
            own[f"{file.absolute()}*"] = CABINET_STATE
        return own

    async def open(self) -> None:
        """Open them from the bottom up."""
        state, root = self._claimed.path, self._settings.root
        self._tidying = asyncio.create_task(clean_up(state, (state, root / AGENTS, root / PLAYBOOKS)))
        await self.database.open()
        await self.events.start()
        foreign = await self._adopt_state_folder()
        await self.changes.start(foreign=foreign)
        await self.recordings.start()
        await self.runs.start()
        await self.outbox.start()
        await self._agent_room.open(self.runs)
        await self._play_room.open()
        await self._plan_room.open()
        await self._agent_room.start()
        self._channel_room.start()
        self.cli_sessions.start()

    async def _adopt_state_folder(self) -> bool:
        """Accept a foreign `.cabinet/`, or a foreign database in our own, without its queue. Return whether it was
        foreign.

        It is marked as known only afterwards: a crash in between changes nothing. A database elsewhere did not come
        with the root.
        """
        claimed, has_database = self._claimed, not self._settings.db_url
        expected = mark_from(claimed.identity)
        foreign = has_database and (claimed.foreign or await self.database.read(mark_of) != expected)
        if foreign:
            ended = await self.runs.disown()
            await self._plan_room.disown()
            await self._channel_room.disown()
            if ended or claimed.foreign:
                log.warning(
                    ("%s was changed by somebody other than this server. Its queued runs will not start."), claimed.path
                )
        if claimed.foreign:
            expected = mark_from(await asyncio.to_thread(self._store.adopt, claimed.path))
        if has_database:
            await self.database.write(lambda c: put_mark(c, expected))
        return foreign

    def _runners(self) -> dict[RunnerName, Runner]:
        checks: dict[RunnerName, RunnerCheck | None] = {"dask": self.cluster, "docker": self.containers}
        return {name: check.runner for name, check in checks.items() if check is not None}

    async def close(self) -> None:
        """Close them from the top down; no process and no task remains."""
        async with AsyncExitStack() as rest:  # one that fails must not keep the others open
            rest.push_async_callback(self.database.close)
            if self._tidying is not None:
                rest.push_async_callback(asyncio.wait, [self._tidying])
            rest.push_async_callback(self.events.stop)
            rest.push_async_callback(self.outbox.stop)
            rest.push_async_callback(self.recordings.stop)
            rest.push_async_callback(self.terminals.stop)
            for runner in self._runners().values():
                rest.push_async_callback(runner.close)
            rest.push_async_callback(self.changes.stop)
            rest.push_async_callback(self.runs.stop)
            rest.push_async_callback(self.notebook_tools.close)
            rest.push_async_callback(self.cli_sessions.stop)
            await self._channel_room.close()
            await self._plan_room.close()
            await self._agent_room.stop_following()
            await self._play_room.close()
            await self._agent_room.close()
