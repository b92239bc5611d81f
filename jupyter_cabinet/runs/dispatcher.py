"""Takes runs from the queue to their end: claims, prepares, has them worked on, records the end and what follows.

The work itself is in `execution/`, what a kind of run asks behind `kinds.RunKind`. Called by `service.py` alone; it
accepts nothing that a person asked for, and adopts what somebody typed into an open CLI.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import msgspec
from sqlalchemy import Connection

from ..approvals.service import RUN_ENDED
from ..core.errors import CabinetError
from ..core.people import Person
from ..execution.model import Order, StoppedBeforeStart, Typed
from ..execution.output import OutputJournal
from ..execution.settings import Surroundings
from ..runtimes.model import Failure, Outcome
from ..storage import files
from ..storage.places import private_folder
from . import lifecycle, queue
from .agent_requests import AgentRequests
from .intake import of_typed
from .kinds import MAX_INSTRUCTION_BYTES, Prepared, RunKinds
from .lifecycle import is_final
from .live import LiveRun
from .lower_services import LowerServices
from .manual import wanted_terminal
from .model import Run, RunResult
from .reconcile import Reconciler
from .records import RunRecords
from .reporter import RunReporter
from .settings import RunSettings

log = logging.getLogger(__name__)

BUG = Failure(kind="unknown", message="Cabinet made a mistake. The server's log has it.")


class Dispatcher:
    """Nothing is started before `accepting` is set, and nothing after it is taken away; and nothing in a folder that
    nobody has confirmed (`trusted`)."""

    def __init__(
        self,
        *,
        kinds: RunKinds,
        records: RunRecords,
        services: LowerServices,
        reconciler: Reconciler,
        requests: AgentRequests,
        settings: RunSettings,
        surroundings: Surroundings,
    ) -> None:
        self.accepting = False
        self.trusted = False
        self.work_begun = asyncio.Event()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._kinds = kinds
        self._records = records
        self._sessions = services.sessions
        self._approvals = services.approvals
        self._executor = services.executor
        self._reconciler = reconciler
        self._requests = requests
        self._settings = settings
        self._places = surroundings

    # --- the queue --------------------------------------------------------------------------

    def fill(self) -> None:
        """Start what may start. Called whenever a place may have become free."""
        if not self.accepting or not self.trusted or not self._reconciler.may_act():
            return
        queued, working = self._records.queued(), self._records.working()
        chosen = queue.startable(queued, working, self._settings.max_concurrent_runs)
        for run_id in chosen:
            live = self._records.live[run_id]
            self._claim(live)
            self.spawn(self._work(live))
        self._records.place_in_line(queue.positions([run for run in queued if run.id not in chosen]))
        self._requests.tell_queue()

    def _claim(self, live: LiveRun) -> None:
        live.follow(lifecycle.claimed(live.life).life)
        self.work_begun.set()

    async def _work(self, live: LiveRun) -> None:
        try:
            outcome = await self._carry_out(live)
        except StoppedBeforeStart:
            outcome = None
        except CabinetError as error:
            outcome = Outcome(failure=Failure(kind="unknown", message=error.message))
        except Exception:
            log.exception("Run %s failed by a bug", live.run.id)
            outcome = Outcome(failure=BUG)
        await self.finish(live, outcome)

    async def _carry_out(self, live: LiveRun) -> Outcome:
        await self._records.put(live, lifecycle.starting(live.life))
        if live.life.stopping:
            raise StoppedBeforeStart
        self._begin_journal(live)
        prepared = await self._kinds.of(live.run.kind).prepare(live.run, live.new)
        order = self._order(live, prepared)
        folder = self._places.run_folder(live.run.id)
        await asyncio.to_thread(files.replace, folder / "prompt.md", order.prompt.encode())
        live.warnings.extend(prepared.warnings)
        live.execution = self._executor.execution(order, self._reporter(live))
        if live.life.stopping:
            raise StoppedBeforeStart
        return await live.execution.work()

    def _begin_journal(self, live: LiveRun) -> None:
        folder = private_folder(self._places.run_folder(live.run.id))
        live.begin(OutputJournal(folder / "output.jsonl", self._places.redactor.fresh()))

    def _order(self, live: LiveRun, prepared: Prepared) -> Order:
        run, new = live.run, live.new
        return Order(
            run_id=run.id,
            session_id=run.session_id,
            prompt=self._places.redactor.redact(prepared.prompt),
            system=prepared.system,
            label=run.instruction,
            runtime=run.runtime,
            runtime_title=run.runtime_title,
            mode=run.mode,
            cwd=run.cwd,
            model=run.model,
            permission_mode=run.permission_mode,
            allowed_tools=run.allowed_tools,
            max_turns=new.max_turns,
            command=prepared.command,
            terminal_id=wanted_terminal(new),
            cols=new.cols,
            rows=new.rows,
            by=run.trigger.person,
            owner=run.owner,
            visibility=run.visibility,
        )

    def _reporter(self, live: LiveRun) -> RunReporter:
        return RunReporter(
            live,
            records=self._records,
            approvals=self._approvals,
            sessions=self._sessions,
            root=self._places.root,
            on_typed=self._adopt_typed,
        )

    # --- the end -----------------------------------------------------------------------------

    async def finish(self, live: LiveRun, outcome: Outcome | None) -> None:
        """Put the final state on record with what follows from it. Its process, if it had one, is gone."""
        live.warnings.extend(await self._look_back(live))
        outcome, step = outcome or Outcome(), lifecycle.ended(live.life, outcome)
        native_id = outcome.native_id or live.native_id
        newest = step.life.state != "interrupted"

        def also(connection: Connection) -> None:
            self._sessions.take_outcome(connection, live.run.session_id, native_id, outcome, newest=newest)

        await self._records.end(
            live,
            step,
            also,
            lambda run: self._kinds.of(run.kind).effects(run, outcome),
            result=RunResult(text=self._places.redactor.redact(outcome.text)) if outcome.text else None,
            usage=outcome.usage or live.usage,
            cost_usd=outcome.cost_usd,
            warnings=tuple(live.warnings),
        )
        await self._withdraw_questions(live.run)
        if is_final(live.run) and not live.life.lost:
            self._requests.leave(live)
        self.fill()

    async def _look_back(self, live: LiveRun) -> tuple[str, ...]:
        try:
            return await self._kinds.of(live.run.kind).look_back(live.run)
        except Exception:
            log.exception("What run %s left behind could not be looked at", live.run.id)
            return ()

    async def _withdraw_questions(self, run: Run) -> None:
        try:
            await self._approvals.withdraw(run.id, None, RUN_ENDED)
        except Exception:
            log.exception("The questions of run %s stay open on record until the next start", run.id)

    # --- typed into an open CLI --------------------------------------------------------------

    def _adopt_typed(self, before: Run, typed: Typed) -> None:
        """A person typed an instruction into the open CLI: it is a run of its own, and works already."""
        if not typed.text.strip() or not self.accepting:
            return
        person = typed.typist or Person(username=before.owner, display_name=before.trigger.display_name)
        text = self._places.redactor.redact(typed.text.replace("\0", "")[:MAX_INSTRUCTION_BYTES])
        run = of_typed(before, text, person, terminal_id=typed.terminal_id, now=self._places.clock.now())
        live = self._records.hold(run, self._kinds.of(run.kind).request(instruction=run.instruction))
        self._claim(live)
        self._begin_journal(live)
        order = self._order(live, Prepared(prompt=run.instruction))
        live.execution = typed.accept(order, self._reporter(live))
        self.spawn(self._follow_typed(live))

    async def _follow_typed(self, live: LiveRun) -> None:
        assert live.execution is not None
        session = await self._sessions.load(live.run.session_id)
        if session is not None:  # its document may have been renamed since the instruction before
            live.run = msgspec.structs.replace(live.run, path=session.path)
        await self._records.create(live)
        await self._records.put(live, lifecycle.starting(live.life))
        await self._records.put(live, lifecycle.begun(live.life))
        await self.finish(live, await live.execution.work())

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Have it done; `tasks` has it until then."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
