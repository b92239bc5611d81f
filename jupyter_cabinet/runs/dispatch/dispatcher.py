"""Takes runs from the queue to their end: claims and prepares them, has them executed, and records the results.

The execution itself is in `execution/`; what a kind of run sends to the CLI is behind `kinds.RunKind`. Only
`service.py` calls this module. It does not accept requests, but it adopts instructions that a person typed into an open
CLI.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Coroutine
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection

from ...approvals.service import RUN_ENDED
from ...changes.service import ChangedRun
from ...core.clock import Timer
from ...core.errors import CabinetError, NoRoom
from ...core.people import Person
from ...execution.model import AgentSkill, Order, StoppedBeforeStart, Typed
from ...execution.output import OutputJournal
from ...execution.settings import Surroundings
from ...execution.tools import agent_skills
from ...execution.tools.tool_server_file import GivenServer
from ...runtimes.edited_files import reports_its_calls
from ...runtimes.model import Failure, Outcome
from ...sessions.model import Session
from ...storage.filesystem import files
from ...storage.filesystem.private_folders import check_room, private_folder
from ..agent_requests import AgentRequests
from ..intake import of_typed
from ..kinds import MAX_INSTRUCTION_BYTES, Prepared, RunKinds, Skip
from ..manual import wanted_terminal
from ..model import Run, RunResult
from ..records import RunRecords
from ..required_services import RequiredServices
from ..rules import lifecycle, queue, retries
from ..rules.breakers import Breakers
from ..rules.isolation import isolation_wish
from ..rules.lifecycle import RunTransition, is_final
from ..rules.runners import runner_of
from ..settings import RunSettings
from ..switch import Gate
from ..tools.run_skills import GivenSkills
from ..tools.run_tool_servers import GivenToolServers
from .live import LiveRun
from .reporter import RunReporter

log = logging.getLogger(__name__)

# Copies of the prompt and the system text, in the folder of the run, beside the files that its adapter writes.
PROMPT_FILE, SYSTEM_FILE = "prompt.md", "prompt-above.md"
OTHER_SERVER_SECONDS = 0.5  # until the queue checks again whether another server has ended its run
BUG = Failure(kind="unknown", message="Cabinet made a mistake. The server's log has it.")


class Dispatcher:
    """Starts queued runs and finishes them. It starts nothing while the gate is closed."""

    def __init__(
        self,
        *,
        kinds: RunKinds,
        records: RunRecords,
        services: RequiredServices,
        gate: Gate,
        requests: AgentRequests,
        settings: RunSettings,
        surroundings: Surroundings,
    ) -> None:
        self.gate = gate
        self.breakers = Breakers(surroundings.clock)
        self.work_begun = asyncio.Event()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._kinds = kinds
        self._records = records
        self._services = services
        self._sessions = services.sessions
        self._approvals = services.approvals
        self._executor = services.executor
        self._changes = services.changes
        self._requests = requests
        self._settings = settings
        self._places = surroundings
        self._alarm: Timer | None = None  # fires when the next run with a `not_before` time may start

    # --- the queue --------------------------------------------------------------------------

    def fill(self) -> None:
        """Start all queued runs that may start now, and update queue positions.

        Called whenever a slot may have become free. Returns at once: the runs start in background tasks. Starts nothing
        while the gate is closed or while disk space or file descriptors are low. Is called again by itself when a run
        with a `not_before` time may start.
        """
        if not self.gate.open:
            self._requests.tell_queue(paused_by=self.gate.paused_by)
            return
        queued, working, now = self._records.queued(), self._records.working(), self._places.clock.now()
        chosen = queue.startable(queued, working, self._settings.max_concurrent_runs, now)
        if chosen and not self._has_room():
            chosen = []
        for run_id in chosen:
            live = self._records.live[run_id]
            self._claim(live)
            self.spawn(self._work(live))
        self._records.place_in_line(queue.positions([run for run in queued if run.id not in chosen]))
        self._requests.tell_queue(paused_by=None)
        self._set_alarm(queue.next_wake(queued, now), now)

    def _has_room(self) -> bool:
        """Return whether there is enough disk space for new runs. The queue is checked again every few seconds."""
        try:
            check_room(self._places.state_folder)
        except NoRoom as error:
            log.warning("What waits is not started: %s", error.message)
            return False
        return True

    def _set_alarm(self, due: datetime | None, now: datetime) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        seconds = None if due is None else (due - now).total_seconds()
        clock = self._places.clock
        self._alarm = None if seconds is None else clock.call_at(clock.monotonic() + seconds, self.fill)

    def _claim(self, live: LiveRun) -> None:
        live.follow(lifecycle.claimed(live.life).life)
        self.work_begun.set()

    async def _work(self, live: LiveRun) -> None:
        try:
            await self._records.database_back()
            if not await self._records.start(live):
                clock = self._places.clock
                clock.call_at(clock.monotonic() + OTHER_SERVER_SECONDS, self.fill)
                return
            outcome = await self._carry_out(live)
        except StoppedBeforeStart:
            outcome = None
        except Skip as skip:
            await self._skip(live, str(skip))
            return
        except CabinetError as error:
            outcome = Outcome(failure=Failure(kind="unknown", message=error.message))
        except OSError as error:  # the disk is full, or there are too many processes
            message = f"What it needs could not be made: {error.strerror or error}."
            outcome = Outcome(failure=Failure(kind="unknown", message=message, retry_helps=True))
        except Exception:
            log.exception("Run %s failed by a bug", live.run.id)
            outcome = Outcome(failure=BUG)
        await self.finish(live, outcome)

    async def _carry_out(self, live: LiveRun) -> Outcome:
        if live.life.stopping:
            raise StoppedBeforeStart
        if refusal := self.breakers.refusal(live.run, logged_in=await self._logged_in(live.run)):
            raise Skip(refusal)
        self._begin_journal(live)
        prepared = await self._kinds.of(live.run.kind).prepare(live.run, live.new)
        given, tools = GivenSkills(), GivenToolServers()
        if prepared.equipped:
            given = await self._services.skills.of(live.run)
            tools = await self._services.tool_servers.of(live.run)
        order = self._order(live, prepared, given.skills, tools.servers)
        folder = self._places.run_folder(live.run.id)
        await asyncio.to_thread(files.replace, folder / PROMPT_FILE, order.prompt.encode())
        if order.system:
            shown = self._places.redactor.redact(order.system)
            await asyncio.to_thread(files.replace, folder / SYSTEM_FILE, shown.encode())
        warnings = (*prepared.warnings, *given.warnings, *tools.warnings)
        live.warnings.extend(warning for warning in warnings if warning not in live.warnings)
        chain = max(live.run.trigger.chain, prepared.chain, key=len)
        trigger = msgspec.structs.replace(live.run.trigger, chain=chain)
        live.run = msgspec.structs.replace(live.run, tainted=prepared.tainted, trigger=trigger)
        live.execution = self._executor.execution(order, self._reporter(live))
        await self._look_before(live)
        return await live.execution.work()

    async def _look_before(self, live: LiveRun) -> None:
        """Take a snapshot of the run's folder before its work.

        Raises `StoppedBeforeStart` as soon as the run is to be stopped, because a snapshot can take long.
        """
        look = asyncio.create_task(self._changes.begin(_changed_run(live.run)))
        stopping = asyncio.create_task(live.stopping.wait())
        try:
            await asyncio.wait((look, stopping), return_when=asyncio.FIRST_COMPLETED)
            if live.life.stopping:
                raise StoppedBeforeStart
            look.result()
        finally:
            look.cancel()
            stopping.cancel()
            await asyncio.gather(look, stopping, return_exceptions=True)

    async def _logged_in(self, run: Run) -> bool:
        """Ask the CLI whether it is logged in. Return False without asking if no breaker is open for the runtime."""
        if run.runtime not in self.breakers.names:
            return False
        return await asyncio.to_thread(self._executor.logged_in, run.runtime)

    def _begin_journal(self, live: LiveRun) -> None:
        """Open the journal of a run. Another attempt appends to the journal of the previous one."""
        folder = private_folder(self._places.run_folder(live.run.id))
        journal = live.journal or OutputJournal(folder / "output.jsonl", self._places.redactor.fresh())
        live.begin(journal)

    def _order(
        self,
        live: LiveRun,
        prepared: Prepared,
        skills: tuple[AgentSkill, ...] = (),
        tool_servers: tuple[GivenServer, ...] = (),
    ) -> Order:
        run, new = live.run, live.new
        return Order(
            run_id=run.id,
            session_id=run.session_id,
            prompt=self._places.redactor.redact(prepared.prompt),
            system=agent_skills.system_text(prepared.system, skills),
            label=run.instruction,
            runtime=run.runtime,
            runtime_title=run.runtime_title,
            mode=run.mode,
            cwd=run.cwd,
            model=run.model,
            permission_mode=run.permission_mode,
            allowed_tools=run.allowed_tools,
            max_turns=new.max_turns,
            own_tools=run.own_tools,
            allow_unenforced=run.allow_unenforced,
            command=prepared.command,
            runner=runner_of(run, self._settings, is_command=bool(prepared.command)),
            image=run.image,
            isolate=isolation_wish(run, self._settings.sandbox),
            network=run.network,
            skills=skills,
            tool_servers=tool_servers,
            agent=run.agent,
            terminal_id=wanted_terminal(new),
            cols=new.cols,
            rows=new.rows,
            by=run.trigger.person,
            owner=live.owner,
            visibility=run.visibility,
        )

    def _reporter(self, live: LiveRun) -> RunReporter:
        return RunReporter(
            live,
            records=self._records,
            services=self._services,
            root=self._places.root,
            on_typed=self._adopt_typed,
        )

    # --- the end -----------------------------------------------------------------------------

    async def finish(self, live: LiveRun, outcome: Outcome | None) -> None:
        """Store the final state of a run together with its effects, or queue its next attempt. Then fill the queue.

        `outcome`: None if no work had begun. The process of the run, if it had one, has already ended. Waits until the
        database answers and accepts the change, without a limit. Withdraws the run's open questions.
        """
        await self._records.database_back()
        live.warnings.extend(await self._look_back(live))
        outcome, step = outcome or Outcome(), lifecycle.ended(live.life, outcome)
        await self._note_login(live.run, outcome)
        if await self._try_again(live, step):
            return
        for call_id in live.calls.never_allowed():
            self._changes.refused(live.run.id, call_id)
        changed = await self._changes.end(live.run.id)
        native_id = outcome.native_id or live.native_id
        newest = step.life.state != "interrupted"
        kind = self._kinds.of(live.run.kind)

        def also(connection: Connection, run: Run) -> None:
            self._sessions.keep_foreign(connection, _session_of(run, native_id))
            self._sessions.take_outcome(connection, run.session_id, native_id, outcome, newest=newest)
            kind.put_end(connection, run, outcome)

        await self._records.end(
            live,
            step,
            also,
            lambda run: kind.effects(run, outcome),
            result=RunResult(text=self._places.redactor.redact(outcome.text)) if outcome.text else None,
            usage=outcome.usage or live.usage,
            cost_usd=outcome.cost_usd,
            changed=changed,
            denied=await self._denied(live.run),
            warnings=tuple(live.warnings),
        )
        await self._after_end(live)

    async def _after_end(self, live: LiveRun) -> None:
        await self._withdraw_questions(live.run)
        if is_final(live.run) and not live.life.lost:
            self._requests.leave(live)
        self.fill()

    async def _skip(self, live: LiveRun, reason: str) -> None:
        """Store that a run was skipped, for this reason. A run that is being stopped is finished instead."""
        if live.life.stopping:
            await self.finish(live, None)
            return
        kind, nothing = self._kinds.of(live.run.kind), Outcome()
        step = lifecycle.skipped(live.life, self._places.redactor.redact(reason))
        also = lambda connection, run: kind.put_end(connection, run, nothing)  # noqa: E731
        await self._records.end(live, step, also, lambda run: kind.effects(run, nothing))
        await self._after_end(live)

    async def _note_login(self, run: Run, outcome: Outcome) -> None:
        failed = outcome.failure is not None and outcome.failure.kind == "not_logged_in"
        logged_in = failed and await asyncio.to_thread(self._executor.logged_in, run.runtime)
        self.breakers.saw(run, outcome, logged_in=logged_in)

    async def _try_again(self, live: LiveRun, step: RunTransition) -> bool:
        """Queue the run for another attempt if that may help. Return whether it was queued."""
        run, failure = live.run, step.life.failure
        if failure is None or step.life.state not in ("failed", "timed_out"):
            return False
        seconds = retries.wait_seconds(failure, attempt=run.attempt, max_attempts=run.max_attempts)
        again = lifecycle.tried_again(live.life, f"Tried again soon. {failure.message}")
        if seconds is None or again.life.state != "queued":
            return False
        fresh = {} if await self._sessions.load(run.session_id) else {"session_id": str(uuid.uuid4())}
        live.prepare_again()
        await self._records.end(
            live,
            again,
            lambda connection, run: None,
            lambda run: (),
            attempt=run.attempt + 1,
            not_before=self._places.clock.now() + timedelta(seconds=seconds),
            **fresh,
        )
        await self._withdraw_questions(run)
        live.follow(lifecycle.released_to_queue(live.life).life)
        if live.life.stopping and not live.life.over:
            await self.finish(live, None)
        self.fill()
        return True

    async def _look_back(self, live: LiveRun) -> tuple[str, ...]:
        try:
            return await self._kinds.of(live.run.kind).look_back(live.run)
        except Exception:
            log.exception("Could not inspect what run %s left behind", live.run.id)
            return ()

    async def _denied(self, run: Run) -> int:
        try:
            return await self._approvals.denied_of(run.id)
        except Exception:
            log.exception("The questions of run %s cannot be counted", run.id)
            return 0

    async def _withdraw_questions(self, run: Run) -> None:
        try:
            await self._approvals.withdraw(run.id, None, RUN_ENDED)
        except Exception:
            log.exception("The questions of run %s stay open on record until the next start", run.id)

    # --- typed into an open CLI --------------------------------------------------------------

    def _adopt_typed(self, before: Run, typed: Typed) -> None:
        """Create a run for an instruction that a person typed into the open CLI. The new run is working already."""
        if not typed.text.strip() or not self.gate.accepting:
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
        if session is not None:  # its document may have been renamed since the previous instruction
            live.run = msgspec.structs.replace(live.run, path=session.path)
        await self._records.create(live)
        await self._records.put(live, lifecycle.starting(live.life))
        await self._records.put(live, lifecycle.begun(live.life))
        await self._changes.begin(_changed_run(live.run, typed=True))
        await self.finish(live, await live.execution.work())

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a coroutine as a task. `tasks` holds it until it is done.

        Its result is lost, and no caller sees its error.
        """
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


def _changed_run(run: Run, *, typed: bool = False) -> ChangedRun:
    return ChangedRun(run.id, run.cwd, typed=typed, path=run.path, reports=reports_its_calls(run.runtime))


def _session_of(run: Run, native_id: str | None) -> Session:
    """Return the session of a run that continued none."""
    return Session(
        id=run.session_id,
        title=run.instruction,
        runtime=run.runtime,
        native_id=native_id,
        owner=run.owner,
        visibility=run.visibility,
        created_at=run.queued_at,
        updated_at=run.finished_at or run.queued_at,
    )
