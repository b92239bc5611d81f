"""The room's service: accepts, queues, follows and ends runs. Only `submit` creates one.

The rules are in `states.py`, `queue.py`, `watchdog.py` and `ending.py`; the work itself in `worker.py`; what a kind
of run asks and what follows from it is behind `kinds.RunKind`. Callers: `web/` and `editor/`.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import msgspec

from ..core.errors import (
    AlreadyFinal,
    CabinetError,
    Conflict,
    Invalid,
    NotAllowed,
    QueueFull,
    ShuttingDown,
)
from ..core.people import Person, Principal, owns
from ..runtimes.model import Failure, Outcome
from ..schedules.leases import RENEW_EVERY_SECONDS
from ..storage import files
from ..storage.places import check_room, private_folder
from ..trust.service import Trust
from . import queue, watchdog
from .ending import Ending, ending
from .intake import Intake
from .kinds import MAX_INSTRUCTION_BYTES, Prepared, RunKind
from .live import LiveRun
from .model import NewRun, Run, RunFilter, RunResult
from .open_cli import OpenCli
from .output import OutputJournal, follow_finished
from .raw import read_start
from .reconcile import Reconciler
from .records import RunRecords
from .sessions import Sessions
from .settings import Surroundings
from .states import is_final
from .worker import StoppedBeforeStart, Worker

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
MAX_FAILURES = 200  # looked through for each runtime's last
RECORD_AGAIN_SECONDS = 2.0


class Runs:
    """Everything that makes an agent work goes through here."""

    def __init__(
        self,
        *,
        intake: Intake,
        records: RunRecords,
        sessions: Sessions,
        worker: Worker,
        reconciler: Reconciler,
        trust: Trust,
        surroundings: Surroundings,
    ) -> None:
        self._intake = intake
        self._records = records
        self._sessions = sessions
        self._worker = worker
        self._reconciler = reconciler
        self._trust = trust
        self._places = surroundings
        self._settings = surroundings.settings
        self._kinds: dict[str, RunKind] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._accepting = False
        self._work_begun = asyncio.Event()
        worker.news.typed = self._adopt_typed

    def register(self, name: str, kind: RunKind) -> None:
        """Make a kind of run known, before `start`."""
        self._kinds[name] = kind

    # --- life ------------------------------------------------------------------------------

    async def start(self) -> None:
        """Put right what an earlier server left behind, then accept work."""
        await self._reconciler.take_lease()
        for left in await self._reconciler.put_right():
            self._records.hold(left.run, left.new).recorded = True
        for run in await self._reconciler.unsettled():
            await self._settle(run, Outcome())
        await self._sessions.forget_open(but_of=await self._reconciler.others())
        self._accepting = True
        self._spawn(self._watch())
        self._spawn(self._keep())
        self._fill()

    async def stop(self) -> None:
        """Refuse new work and end what runs within `stop_seconds`; what is queued stays queued."""
        self._accepting = False
        working = [live for live in self._records.live.values() if live.claimed]
        for live in working:
            live.interrupted = True
        await asyncio.gather(*(live.stop() for live in working if live.stop), return_exceptions=True)
        await self._worker.close_all("The server was stopped.")
        finals = [asyncio.create_task(live.finished.wait()) for live in working]
        if finals:
            await asyncio.wait(finals, timeout=self._settings.stop_seconds)
        for task in (tasks := [*finals, *self._tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._reconciler.release_lease()
        except Exception:
            log.exception("The lease could not be given back; other servers will find this one dead")

    # --- what callers ask ------------------------------------------------------------------

    async def submit(self, new: NewRun, principal: Principal, *, may_wait: bool = True) -> Run:
        """Accept a run and return it as queued.

        Raises `Invalid` and its kin for a bad request, `NotTrusted` in an unconfirmed root directory,
        `QueueFull` when all places are taken and `may_wait` is false, `NoRoom`, `ShuttingDown`.
        """
        if not self._accepting:
            raise ShuttingDown
        kind = self._kinds.get(new.kind)
        if kind is None:
            raise Invalid(f"There is no kind of run named {new.kind}.", field="kind")
        await self._trust.require()
        check_room(self._places.root)
        new = await self._intake.complete(await kind.check(new, principal), principal)
        if new.terminal_id is not None and self._in_terminal(new.terminal_id) is not None:
            raise Conflict("Another agent works in this terminal, or is about to.")
        if not may_wait and len(self._records.working()) >= self._settings.max_concurrent_runs:
            raise QueueFull
        run = self._intake.make(
            new,
            principal,
            trigger="person" if principal.in_browser else "program",
            visibility="server" if principal.shared_token else "private",
        )
        live = self._records.hold(run, new)
        await self._records.create(live)
        await self._sessions.note_instruction(run)
        self._fill()
        return live.run

    async def get(self, run_id: str, principal: Principal) -> Run:
        """The run as it is. Raises `NotFound`, also for a run that is not the caller's to see."""
        return await self._records.get(run_id, principal)

    async def find(self, wanted: RunFilter, principal: Principal) -> list[Run]:
        """The runs that the caller may see, newest first."""
        return await self._records.find(wanted, principal)

    async def last_failures(self, principal: Principal) -> dict[str, Run]:
        """The newest failed run of each runtime, among those that the caller may see."""
        failed = await self._records.find(RunFilter(state="failed", limit=MAX_FAILURES), principal)
        return {run.runtime: run for run in reversed(failed)}

    async def of_session(self, session_id: str) -> list[Run]:
        """A session's runs, oldest first."""
        return await self._records.of_session(session_id)

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until the run is final, at most so long."""
        live = self._records.live.get(run_id)
        if live is not None:
            try:
                await asyncio.wait_for(live.finished.wait(), seconds)
            except TimeoutError:
                return

    async def cancel(self, run_id: str, principal: Principal) -> Run:
        """End a run and everything it started; returns when that is confirmed. Only for its owner.

        Raises `AlreadyFinal` for a run that has ended.
        """
        run = await self._own(run_id, principal)
        live = self._records.live.get(run_id)
        if live is None or is_final(run):
            raise AlreadyFinal
        await self._end(live, principal)
        await self.wait(run_id, self._settings.stop_seconds)
        return live.run

    async def stop_in(self, terminal_id: str, principal: Principal) -> bool:
        """End the run that works in a terminal or waits for it, and close the CLI there; False if there is neither.

        For who may steer the terminal: the caller has asked. Returns when it is confirmed.
        """
        live = self._in_terminal(terminal_id)
        if live is not None:
            await self._end(live, principal)
            await self.wait(live.run.id, self._settings.stop_seconds)
        closed = await self._worker.close_in(terminal_id, f"Stopped by {principal.display_name}.")
        return closed or live is not None

    async def delete(self, run_id: str, principal: Principal) -> None:
        """Remove the record and the files of a run that has ended. Only for its owner."""
        run = await self._own(run_id, principal)
        if not is_final(run):
            raise Conflict("This run has not ended yet. Stop it first.")
        await self._records.delete(run)
        await asyncio.to_thread(shutil.rmtree, self._places.run_folder(run_id), ignore_errors=True)

    async def close_session(self, session_id: str, principal: Principal) -> None:
        """Close the session's CLI. Only for the session's owner."""
        session = await self._sessions.get(session_id, principal)
        if not owns(principal, session.owner):
            raise NotAllowed("Only the owner of a session may close it.")
        lives = [live for live in self._records.live.values() if live.run.session_id == session_id]
        for live in sorted(lives, key=lambda live: live.claimed):  # what waits must not take a freed place
            await self._end(live, principal)
        await self._worker.close(session_id, f"Closed by {principal.display_name}.")

    async def follow(self, run_id: str, since: int, principal: Principal) -> AsyncIterator[bytes]:
        """What the run says, as encoded `OutputRecord`s from index `since` on, until it is final."""
        await self.get(run_id, principal)
        live = self._records.live.get(run_id)
        while live is not None and live.journal is None and not live.finished.is_set():
            await live.begun.wait()
        if live is not None and live.journal is not None:
            records = live.journal.follow(since)
        else:
            records = follow_finished(self._places.run_folder(run_id) / "output.jsonl", since)
        async for record in records:
            yield record

    async def raw(self, run_id: str, principal: Principal) -> bytes:
        """The first 10 MB of what the CLI wrote, without colours turned into anything."""
        run = await self.get(run_id, principal)
        return await asyncio.to_thread(read_start, self._places.raw_path(run))

    async def _end(self, live: LiveRun, principal: Principal) -> None:
        """Have a run ended for a person, whether it waits, starts or works."""
        live.cancelled_by = principal.display_name
        if not live.claimed:
            live.claimed = True  # the queue must not start it while its end is written
            self._spawn(self._finish(live, None))
        elif live.stop is not None:
            await live.stop()

    def _in_terminal(self, terminal_id: str) -> LiveRun | None:
        lives = self._records.live.values()
        return next((live for live in lives if terminal_id in (live.run.terminal_id, live.new.terminal_id)), None)

    async def _own(self, run_id: str, principal: Principal) -> Run:
        run = await self.get(run_id, principal)
        if not owns(principal, run.owner):
            raise NotAllowed("Only the owner of a run may do this.")
        return run

    # --- queue and work --------------------------------------------------------------------

    def _fill(self) -> None:
        """Start what may start. Called whenever a place may have become free."""
        if not self._accepting or not self._reconciler.may_act():
            return
        queued, working = self._records.queued(), self._records.working()
        chosen = queue.startable(queued, working, self._settings.max_concurrent_runs)
        for run_id in chosen:
            live = self._records.live[run_id]
            self._claim(live)
            self._spawn(self._work(live))
        self._records.place_in_line(queue.positions([run for run in queued if run.id not in chosen]))

    def _claim(self, live: LiveRun) -> None:
        live.claimed = True
        self._work_begun.set()

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
        await self._finish(live, outcome)

    async def _prepare(self, live: LiveRun) -> Prepared:
        prepared = await self._kinds[live.run.kind].prepare(live.run, live.new)
        return msgspec.structs.replace(prepared, prompt=self._places.redactor.redact(prepared.prompt))

    async def _finish(self, live: LiveRun, outcome: Outcome | None) -> None:
        """Write the final state, then do what follows from it."""
        end = ending(
            outcome,
            cancelled_by=live.cancelled_by,
            interrupted=live.interrupted,
            limit_passed=live.limit_passed,
        )
        outcome = outcome or Outcome()
        await self._record_end(live, end, outcome)
        await self._worker.news.withdraw(live)
        if live.journal is not None and not live.journal.ended:
            live.journal.end()  # it was taken over, or ended before it began
        if is_final(live.run) and not live.lost:
            self._worker.leave_terminal(live)
            await self._follow_up(live, outcome)
        self._fill()

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
        await self._settle(live.run, outcome)

    async def _settle(self, run: Run, outcome: Outcome) -> None:
        try:
            await self._kinds[run.kind].settle(run, outcome)
            await self._records.note_settled(run)
        except CabinetError as error:
            log.warning("What follows from run %s is tried again at the next start: %s", run.id, error.message)
        except Exception:
            log.exception("What follows from run %s could not be done; it is tried again at the next start", run.id)

    def _adopt_typed(self, cli: OpenCli, text: str) -> None:
        """A person typed an instruction into the open CLI: it is a run of its own, and works already."""
        if not text.strip() or not self._accepting:
            return
        person = cli.terminal.last_typist() or Person(
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
        self._spawn(self._follow_typed(live, cli.expect(live.run)))

    async def _follow_typed(self, live: LiveRun, answer: asyncio.Future[Outcome]) -> None:
        await self._records.create(live)
        await self._records.advance(live, "starting")
        await self._records.advance(live, "running")
        await self._finish(live, await answer)

    # --- watching --------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Stop runs that take too long or write too much. While nothing works it does not wake."""
        while True:
            await self._work_begun.wait()
            await asyncio.sleep(WATCH_SECONDS)
            if not self._records.working():
                self._work_begun.clear()
            now = self._places.clock.monotonic()
            for live in [live for live in self._records.live.values() if live.progress and not live.ending]:
                assert live.progress is not None
                passed = watchdog.verdict(live.progress, self._settings.limits, now)
                if passed is not None and live.stop is not None:
                    live.limit_passed = passed
                    self._spawn(live.stop())
            await self._worker.news.expire()

    async def _keep(self) -> None:
        """Renew the lease, take over from servers that died, close idle CLIs."""
        while True:
            await asyncio.sleep(RENEW_EVERY_SECONDS)
            try:
                for left in await self._reconciler.renew():
                    self._records.hold(left.run, left.new).recorded = True
                await self._worker.news.put_right()
                await self._worker.close_idle()
                self._fill()
            except Exception:
                log.exception("Keeping the queue failed; it is tried again")

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
