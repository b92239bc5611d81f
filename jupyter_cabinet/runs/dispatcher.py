"""Takes runs from the queue to their end: claims, prepares, has them worked on, records the end and what follows.

The work itself is in `worker.py`, what a kind of run asks behind `kinds.RunKind`. Called by `service.py` alone; it
accepts nothing that a person asked for, and adopts what somebody typed into an open CLI.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import msgspec

from ..core.errors import CabinetError
from ..core.people import Person
from ..runtimes.model import Failure, Outcome
from ..storage import files
from ..storage.places import private_folder
from . import queue
from .ending import Ending, ending
from .intake import Intake
from .kinds import MAX_INSTRUCTION_BYTES, Prepared, RunKind
from .live import LiveRun
from .model import NewRun, Run, RunResult
from .open_cli import OpenCli
from .output import OutputJournal
from .reconcile import Reconciler
from .records import RunRecords
from .sessions import Sessions
from .settings import Surroundings
from .states import is_final
from .worker import StoppedBeforeStart, Worker

log = logging.getLogger(__name__)

RECORD_AGAIN_SECONDS = 2.0


class Dispatcher:
    """Nothing is started before `accepting` is set, and nothing after it is taken away; and nothing in a folder that
    nobody has confirmed (`trusted`)."""

    def __init__(
        self,
        *,
        intake: Intake,
        records: RunRecords,
        sessions: Sessions,
        worker: Worker,
        reconciler: Reconciler,
        surroundings: Surroundings,
    ) -> None:
        self.kinds: dict[str, RunKind] = {}
        self.accepting = False
        self.trusted = False
        self.work_begun = asyncio.Event()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._intake = intake
        self._records = records
        self._sessions = sessions
        self._worker = worker
        self._reconciler = reconciler
        self._places = surroundings
        worker.news.typed = self._adopt_typed

    # --- the queue --------------------------------------------------------------------------

    def fill(self) -> None:
        """Start what may start. Called whenever a place may have become free."""
        if not self.accepting or not self.trusted or not self._reconciler.may_act():
            return
        queued, working = self._records.queued(), self._records.working()
        chosen = queue.startable(queued, working, self._places.settings.max_concurrent_runs)
        for run_id in chosen:
            live = self._records.live[run_id]
            self._claim(live)
            self.spawn(self._work(live))
        self._records.place_in_line(queue.positions([run for run in queued if run.id not in chosen]))
        self._worker.asked.tell_queue()

    def _claim(self, live: LiveRun) -> None:
        live.claimed = True
        self.work_begun.set()

    async def _work(self, live: LiveRun) -> None:
        outcome: Outcome | None = None
        try:
            await self._records.advance(live, "starting")
            if live.ending:
                raise StoppedBeforeStart
            folder = private_folder(self._places.run_folder(live.run.id))
            live.begin(OutputJournal(folder / "output.jsonl", self._places.redactor.fresh()))
            prepared = await self._prepare(live)
            await asyncio.to_thread(files.replace, folder / "prompt.md", prepared.prompt.encode())
            live.warnings.extend(prepared.warnings)
            outcome = await self._worker.work(live, prepared)
        except StoppedBeforeStart:
            pass
        except CabinetError as error:
            outcome = Outcome(failure=Failure(kind="unknown", message=error.message))
        except Exception:
            log.exception("Run %s failed by a bug", live.run.id)
            outcome = Outcome(
                failure=Failure(kind="unknown", message="Cabinet made a mistake. The server's log has it.")
            )
        await self.finish(live, outcome)

    async def _prepare(self, live: LiveRun) -> Prepared:
        prepared = await self.kinds[live.run.kind].prepare(live.run, live.new)
        return msgspec.structs.replace(prepared, prompt=self._places.redactor.redact(prepared.prompt))

    # --- the end -----------------------------------------------------------------------------

    async def finish(self, live: LiveRun, outcome: Outcome | None) -> None:
        """Write the final state, then do what follows from it."""
        end = ending(
            outcome,
            cancelled_by=live.cancelled_by,
            interrupted=live.interrupted,
            limit_passed=live.limit_passed,
        )
        outcome = outcome or Outcome()
        live.warnings.extend(await self._look_back(live))
        await self._record_end(live, end, outcome)
        await self._worker.news.withdraw(live)
        if live.journal is not None and not live.journal.ended:
            live.journal.end()  # it was taken over, or ended before it began
        if is_final(live.run) and not live.lost:
            self._worker.asked.leave(live)
            await self._follow_up(live, outcome)
        self.fill()

    async def _look_back(self, live: LiveRun) -> tuple[str, ...]:
        try:
            return await self.kinds[live.run.kind].look_back(live.run, live.new)
        except Exception:
            log.exception("What run %s left behind could not be looked at", live.run.id)
            return ()

    async def _record_end(self, live: LiveRun, end: Ending, outcome: Outcome) -> None:
        """Put the final state on record, however long the disk is full or the database away."""
        while True:
            try:
                await self._records.advance(
                    live,
                    end.state,
                    reason=end.reason,
                    failure=end.failure,
                    result=RunResult(text=self._places.redactor.redact(outcome.text)) if outcome.text else None,
                    usage=outcome.usage or live.usage,
                    cost_usd=outcome.cost_usd,
                    warnings=tuple(live.warnings),
                )
                return
            except Exception as error:
                log.error("The end of run %s cannot be recorded, it is tried again: %s", live.run.id, error)
                await asyncio.sleep(RECORD_AGAIN_SECONDS)

    async def _follow_up(self, live: LiveRun, outcome: Outcome) -> None:
        native_id = outcome.native_id or live.native_id
        try:
            await self._sessions.note_outcome(live.run, native_id, outcome)
        except Exception:
            log.exception("The session of run %s could not be brought up to date", live.run.id)
        await self.settle(live.run, outcome)

    async def settle(self, run: Run, outcome: Outcome) -> None:
        try:
            await self.kinds[run.kind].settle(run, outcome)
            await self._records.note_settled(run)
        except CabinetError as error:
            log.warning("What follows from run %s is tried again at the next start: %s", run.id, error.message)
        except Exception:
            log.exception("What follows from run %s could not be done; it is tried again at the next start", run.id)

    # --- typed into an open CLI --------------------------------------------------------------

    def _adopt_typed(self, cli: OpenCli, text: str) -> None:
        """A person typed an instruction into the open CLI: it is a run of its own, and works already."""
        if not text.strip() or not self.accepting:
            return
        person = cli.terminal.input.last_typist or Person(
            username=cli.last.owner, display_name=cli.last.trigger.display_name
        )
        new = NewRun(
            kind=cli.last.kind,
            instruction=self._places.redactor.redact(text).replace("\0", "")[:MAX_INSTRUCTION_BYTES],
            session_id=cli.session_id,
            path=cli.last.path,
            cwd=cli.last.cwd,
            runtime=cli.last.runtime,
            model=cli.last.model,
            permission_mode=cli.last.permission_mode,
            allowed_tools=cli.last.allowed_tools,
            mode="terminal",
        )
        run = self._intake.make(new, person, trigger="terminal", visibility=cli.last.visibility)
        folder = private_folder(self._places.run_folder(run.id))
        journal = OutputJournal(folder / "output.jsonl", self._places.redactor.fresh())
        live = self._records.hold(msgspec.structs.replace(run, terminal_id=cli.terminal.id), new)
        self._claim(live)
        live.begin(journal)
        live.stop = lambda: cli.close("The run was stopped.")
        self.spawn(self._follow_typed(live, cli.expect(live.run)))

    async def _follow_typed(self, live: LiveRun, answer: asyncio.Future[Outcome]) -> None:
        await self._records.create(live)
        await self._records.advance(live, "starting")
        await self._records.advance(live, "running")
        await self.finish(live, await answer)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
