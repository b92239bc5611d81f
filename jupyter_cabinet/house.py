"""Builds the rooms from plain settings, opens and closes them in order. The one file that knows every room.

No server is needed for it: `app.py` hands in what Jupyter knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from .core.clock import Clock, SystemClock
from .core.events import EventBus
from .core.ids import new_id
from .core.redaction import Redactor
from .editor.completion import FileIndex
from .editor.kind import EditorKind
from .editor.sessions import EditorSessions
from .runs.approvals import Approvals
from .runs.intake import Intake
from .runs.kinds import Manual
from .runs.reconcile import Reconciler
from .runs.records import RunRecords
from .runs.service import Runs
from .runs.sessions import Sessions
from .runs.settings import RunSettings, Surroundings
from .runs.terminal_agents import TerminalAgents
from .runs.worker import Worker
from .runtimes.registry import Runtimes
from .sandboxes.environment import shell_environment
from .sandboxes.local import LocalSandbox
from .sandboxes.processes import end_orphans
from .schedules.leases import Leases
from .storage.database import Database
from .storage.event_log import EventLog
from .storage.first_look import mark_from, mark_of, put_mark
from .terminals.recording.recordings import Recordings
from .terminals.service import Terminals
from .terminals.settings import TerminalSettings
from .trust.model import TrustPolicy
from .trust.service import Trust
from .trust.store import TrustStore
from .web.rooms import Rooms

log = logging.getLogger(__name__)

# What the handlers reach for: `Rooms` has the same names.
DOORS = (
    "runs",
    "approvals",
    "runtimes",
    "editor",
    "files",
    "terminals",
    "terminal_agents",
    "recordings",
    "trust",
    "events",
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the rooms are built from."""

    root: Path
    data: Path  # outside the root: what people have confirmed
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
    runs: RunSettings = RunSettings()
    terminals: TerminalSettings = TerminalSettings()  # but for the shell's environment, which is made here


class House:
    """All rooms of one server."""

    def __init__(self, plan: Plan, clock: Clock | None = None) -> None:
        """Prepare the folders and build the rooms. Raises `CabinetError` where that cannot be done."""
        clock, bus, redactor = clock or SystemClock(), EventBus(), Redactor(plan.secrets)
        self.bus = bus
        store = TrustStore(plan.data)
        claimed = store.claim_state_folder(plan.root, now=clock.now(), accept_unknown=plan.trust == "always")
        state = claimed.path
        if claimed.aside is not None:
            log.warning("%s was not made by this server. It was set aside as %s.", state, claimed.aside.name)
        self._plan, self._store, self._claimed = plan, store, claimed
        places = Surroundings(
            root=plan.root,
            state_folder=state,
            run_directories=plan.run_directories,
            environment=plan.environment,
            kept_environment=plan.runtime_env,
            settings=plan.runs,
            redactor=redactor,
            clock=clock,
        )
        holder = new_id()
        self.database = Database(plan.db_url or f"sqlite:///{state / 'cabinet.db'}", state_folder=state)
        self.events = EventLog(database=self.database, bus=bus, clock=clock, redactor=redactor)
        self.trust = Trust(root=plan.root, store=store, policy=plan.trust, clock=clock, bus=bus)
        self.runtimes = Runtimes(
            set(plan.enabled_runtimes),
            plan.runtime_paths,
            plan.environment,
            preferred=plan.default_runtime,
            acp_agents=plan.acp_agents,
        )
        terminal_settings = msgspec.structs.replace(
            plan.terminals, shell_environment=shell_environment(plan.environment, secrets=plan.secrets)
        )
        self.recordings = Recordings(state / "recordings", settings=terminal_settings, clock=clock, bus=bus)
        sandbox = LocalSandbox()
        self.terminals = Terminals(
            clock=clock, bus=bus, sandbox=sandbox, settings=terminal_settings, recordings=self.recordings
        )
        sessions = Sessions(database=self.database, bus=bus, clock=clock)
        records = RunRecords(database=self.database, bus=bus, clock=clock, holder=holder, redactor=redactor)
        self.approvals = Approvals(
            database=self.database,
            bus=bus,
            clock=clock,
            redactor=redactor,
            root=plan.root,
            seconds=plan.runs.approval_seconds,
        )
        self._reconciler = Reconciler(
            leases=Leases(holder, clock), database=self.database, bus=bus, clock=clock, end_orphans=end_orphans
        )
        self.runs = Runs(
            intake=Intake(
                runtimes=self.runtimes,
                sessions=sessions,
                terminals=self.terminals,
                surroundings=places,
            ),
            records=records,
            sessions=sessions,
            worker=Worker(
                records=records,
                sessions=sessions,
                runtimes=self.runtimes,
                terminals=self.terminals,
                sandbox=sandbox,
                surroundings=places,
                approvals=self.approvals,
            ),
            reconciler=self._reconciler,
            trust=self.trust,
            surroundings=places,
        )
        self.terminal_agents = TerminalAgents(
            runs=self.runs, terminals=self.terminals, runtimes=self.runtimes, root=plan.root, state_folder=state
        )
        self.editor = EditorSessions(root=plan.root, runs=self.runs, sessions=sessions, runtimes=self.runtimes)
        self.files = FileIndex(plan.root)
        self.runs.register("manual", Manual())
        self.runs.register("editor", EditorKind(root=plan.root, sessions=self.editor))
        self.runs.show_too(self.editor.earlier_run)

    async def open(self, rooms: Rooms) -> None:
        """Open the rooms from the bottom up, then the doors."""
        await self.database.open()
        await self.events.start()
        await self._adopt_state_folder()
        await self.recordings.start()
        await self.runs.start()
        await self.approvals.put_right()
        for name in DOORS:
            setattr(rooms, name, getattr(self, name))
        rooms.trouble = ""

    async def _adopt_state_folder(self) -> None:
        """Accept a foreign `.cabinet/`, or a foreign database in our own, without its queue.

        Known only afterwards: a crash in between changes nothing. A database elsewhere did not come with the root.
        """
        claimed, has_database = self._claimed, not self._plan.db_url
        expected = mark_from(claimed.identity)
        if has_database and (claimed.foreign or await self.database.read(mark_of) != expected):
            ended = await self._reconciler.disown()
            if ended or claimed.foreign:
                log.warning("%s was not left like this by this server. What waited in it is not run.", claimed.path)
        if claimed.foreign:
            expected = mark_from(await asyncio.to_thread(self._store.adopt, claimed.path))
        if has_database:
            await self.database.write(lambda c: put_mark(c, expected))

    async def close(self) -> None:
        """Close them from the top down; no process and no task stays."""
        async with AsyncExitStack() as rest:  # one that fails must not keep the others open
            rest.push_async_callback(self.database.close)
            rest.push_async_callback(self.events.stop)
            rest.push_async_callback(self.recordings.stop)
            rest.push_async_callback(self.terminals.stop)
            await self.runs.stop()
