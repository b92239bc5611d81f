"""Builds the services of runs from those of the packages below. Called by `backend.py`.

It has two steps: agents and plays need the records of runs, and runs need the kinds that agents and plays define.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..execution.settings import Surroundings
from ..foundation import Foundation
from ..sandboxes.process_table.processes import end_orphans
from .agent_requests import AgentRequests
from .dispatch.dispatcher import Dispatcher
from .document_work import WorkInDocuments
from .intake import Intake
from .kinds import RunKind, RunKinds
from .manual import ManualKind
from .reconcile import Reconciler
from .records import RunRecords
from .remote_runs import RemoteRuns
from .required_services import RequiredServices
from .service import Elsewhere, Runs
from .settings import RunSettings
from .switch import Gate, OffSwitch


def build_records(foundation: Foundation) -> RunRecords:
    """Build the records of runs, the first step."""
    return RunRecords(
        database=foundation.database,
        commits=foundation.commits,
        bus=foundation.bus,
        clock=foundation.clock,
        holder=foundation.leases.holder,
        redactor=foundation.redactor,
    )


def build_work_in_documents(foundation: Foundation) -> WorkInDocuments:
    """Build what tells people in which documents agents of others work."""
    return WorkInDocuments(database=foundation.database, bus=foundation.bus)


def build_remote_runs(foundation: Foundation) -> RemoteRuns:
    """Build what reads the runs of other servers."""
    return RemoteRuns(database=foundation.database, leases=foundation.leases, clock=foundation.clock)


def build_runs(
    foundation: Foundation,
    *,
    records: RunRecords,
    kinds: Iterable[RunKind],
    services: RequiredServices,
    elsewhere: Elsewhere,
    settings: RunSettings,
    surroundings: Surroundings,
) -> Runs:
    """Build the service of runs, the second step. `kinds`: those that other packages define. `Runs.start` starts it."""
    all_kinds = RunKinds(ManualKind(sessions=services.sessions, terminals=services.terminals), *kinds)
    reconciler = Reconciler(
        leases=foundation.leases,
        database=foundation.database,
        commits=foundation.commits,
        outbox=foundation.outbox,
        kinds=all_kinds,
        clock=foundation.clock,
        end_orphans=end_orphans,
    )
    switch = OffSwitch(database=foundation.database, commits=foundation.commits, clock=foundation.clock)
    dispatcher = Dispatcher(
        kinds=all_kinds,
        records=records,
        services=services,
        gate=Gate(may_act=reconciler.may_act, switch=switch),
        requests=AgentRequests(records, services.terminals),
        settings=settings,
        surroundings=surroundings,
    )
    return Runs(
        intake=Intake(kinds=all_kinds, runtimes=services.runtimes, settings=settings, surroundings=surroundings),
        records=records,
        services=services,
        dispatcher=dispatcher,
        reconciler=reconciler,
        elsewhere=elsewhere,
        settings=settings,
    )
