"""The room's service: accepts, follows, watches and ends runs. Only `submit` creates one.

The rules are in `rules/`; `dispatcher.py` takes a run from the queue to its end.
Callers: `web/` and `editor/`.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Collection
from typing import Protocol

from sqlalchemy import Connection

from ..approvals import store as approval_store
from ..changes import store as change_store
from ..core.errors import AlreadyFinal, Conflict, NotAllowed, QueueFull, ShuttingDown
from ..core.paths import moved
from ..core.people import Principal, owns
from ..execution.output import answer_alone, follow_finished
from ..execution.raw_log import read_start
from ..runtimes.model import Failure
from ..schedules.leases import RENEW_EVERY_SECONDS
from ..storage.private_folders import check_room
from .dispatcher import PROMPT_FILE, SYSTEM_FILE, Dispatcher
from .intake import Intake
from .live import LiveRun
from .manual import wanted_terminal
from .model import NewRun, Run, RunFilter, Switch, Trigger
from .reconcile import Reconciler
from .records import AlsoOf, RunRecords
from .required_services import RequiredServices
from .rules import lifecycle, limits, queue
from .rules.budgets import Since, Spent
from .rules.lifecycle import is_final
from .settings import RunSettings
from .store import AlsoIs, Latest

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
MAX_FAILURES = 200  # looked through for each runtime's last


class Elsewhere(Protocol):
    """Runs that are on no record here: to be read, by everybody, and nothing else."""

    def earlier_run(self, run_id: str) -> Run | None:
        """None for one that it does not have. May block."""


class Runs:
    """Everything that makes an agent work goes through here."""

    def __init__(
        self,
        *,
        intake: Intake,
        records: RunRecords,
        services: RequiredServices,
        dispatcher: Dispatcher,
        reconciler: Reconciler,
        elsewhere: Elsewhere,
        settings: RunSettings,
    ) -> None:
        self.kinds = intake.kinds
        self._gate = dispatcher.gate
        self.switch = self._gate.switch
        self._intake = intake
        self._records = records
        self._sessions = services.sessions
        self._approvals = services.approvals
        self._executor = services.executor
        self._trust = services.trust
        self._changes = services.changes
        self._dispatcher = dispatcher
        self._reconciler = reconciler
        self._elsewhere = elsewhere
        self._settings = settings
        self._places = services.executor.places

    # --- life ------------------------------------------------------------------------------

    async def disown(self) -> list[Run]:
        """Before `start`, where the database is somebody else's: end what is open in it, and run nothing of it."""
        return await self._reconciler.disown()

    async def start(self) -> None:
        """Take over what an earlier server left behind, then accept work."""
        await self._reconciler.take_lease()
        for left in await self._reconciler.take_over():
            self._records.hold(left.run, left.new, on_record=True)
        await self._sessions.forget_open(but_of=await self._reconciler.others())
        await self._approvals.withdraw_orphans(self._records.unfinished_among)
        self._gate.trusted = (await self._trust.state()).confirmed
        await self.switch.read()
        self._gate.accepting = True
        self._dispatcher.spawn(self._watch())
        self._dispatcher.spawn(self._keep())
        self._dispatcher.fill()

    async def stop(self) -> None:
        """Refuse new work and end what runs within `stop_seconds`; what is queued stays queued."""
        self._gate.accepting = False
        working = [live for live in self._records.live.values() if live.life.claimed]
        for live in working:
            live.follow(lifecycle.shut_down(live.life).life)
        self._changes.close_soon()
        stops = [live.execution.stop() for live in working if live.execution is not None]
        await asyncio.gather(*stops, return_exceptions=True)
        await self._executor.close_all("The server was stopped.")
        finals = [asyncio.create_task(live.finished.wait()) for live in working]
        if finals:
            await asyncio.wait(finals, timeout=self._settings.stop_seconds)
        await self._records.settled()
        for task in (tasks := [*finals, *self._dispatcher.tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._reconciler.release_lease()
        except Exception:
            log.exception("The lease could not be given back; other servers will find this one dead")

    # --- what callers ask ------------------------------------------------------------------

    async def submit(
        self,
        new: NewRun,
        principal: Principal,
        *,
        may_wait: bool = True,
        trigger: Trigger | None = None,
        also: AlsoOf | None = None,
    ) -> Run:
        """Accept a run and return it as queued.

        `trigger`: what has asked, where it is not the caller. `also`: written in the same transaction.
        Raises `Invalid` and its kin for a bad request, `NotTrusted` in an unconfirmed root directory,
        `QueueFull` when all places are taken and `may_wait` is false, `NoRoom`, `ShuttingDown`.
        """
        if not self._gate.accepting:
            raise ShuttingDown
        await self._trust.require()
        self._gate.trusted = True
        check_room(self._places.state_folder)
        run, new = await self._intake.resolve(new, principal, trigger)
        terminal_id = wanted_terminal(new)
        if terminal_id is not None and self._records.in_terminal(terminal_id) is not None:
            raise Conflict("Another agent works in this terminal, or is about to.")
        if not may_wait and len(self._records.working()) >= self._settings.max_concurrent_runs:
            raise QueueFull
        live = self._records.hold(run, new)
        kind = self.kinds.of(run.kind)

        def besides(connection: Connection) -> None:
            self._sessions.take_instruction(connection, run.session_id, run.instruction)
            kind.put_begin(connection, run, new)
            if also is not None:
                also(connection, run)

        await self._records.create(live, besides)
        self._dispatcher.fill()
        return live.run

    async def get(self, run_id: str, principal: Principal) -> Run:
        """The run as it is. Raises `NotFound`, also for a run that is not the caller's to see."""
        earlier = await asyncio.to_thread(self._elsewhere.earlier_run, run_id)
        return earlier or await self._records.get(run_id, principal)

    async def owned(self, run_id: str, principal: Principal) -> Run:
        """A run that the caller owns. Raises `NotFound`, `NotAllowed`."""
        return await self._own(run_id, principal)

    async def find(self, wanted: RunFilter, principal: Principal, *, also: AlsoIs | None = None) -> list[Run]:
        """The runs that the caller may see, newest first. `also`: what another room asks of each."""
        return await self._records.find(wanted, principal, also)

    async def last_failures(self, principal: Principal) -> dict[str, Run]:
        """The newest failed run of each runtime, among those that the caller may see."""
        failed = await self._records.find(RunFilter(state="failed", limit=MAX_FAILURES), principal)
        return {run.runtime: run for run in reversed(failed)}

    async def of_session(self, session_id: str) -> list[Run]:
        """A session's runs, oldest first."""
        return await self._records.of_session(session_id)

    async def latest(self, session_ids: Collection[str]) -> dict[str, Latest]:
        """The newest run of each session, and how many there are."""
        return await self._records.latest(session_ids)

    async def sessions_with(self, text: str) -> list[str]:
        """Sessions in whose instructions or answers the text stands, at most some hundreds."""
        return await self._records.sessions_with(text)

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until the run is final, at most so long."""
        live = self._records.live.get(run_id)
        if live is None:
            return
        ways = [asyncio.create_task(live.finished.wait()), asyncio.create_task(self._places.clock.sleep(seconds))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()

    async def turn_switch(self, *, paused: bool, now: bool, principal: Principal) -> Switch:
        """Pause or resume work on this root directory. `now`: what works in this server is ended too, confirmed."""
        state = await self.switch.turn(paused=paused, principal=principal)
        if paused and now:
            working = [live for live in self._records.live.values() if live.life.claimed and not live.life.over]
            await asyncio.gather(*(self._end(live, principal) for live in working))
            await asyncio.gather(*(self.wait(live.run.id, self._settings.stop_seconds) for live in working))
        self._dispatcher.fill()
        return state

    def is_at_work(self, patience_seconds: float) -> bool:
        """Whether an agent works or is about to. One that waits for a person does for `patience_seconds`."""
        return self._records.is_at_work(patience_seconds, queue_goes_on=not self.switch.state.paused)

    async def spent(self, agent: str, since: Since, *, before: int | None = None) -> Spent:
        """What an agent's runs have used since its day and its month began: see `store.spent`."""
        return await self._records.spent(agent, since, before=before)

    async def cancel(self, run_id: str, principal: Principal) -> Run:
        """End a run; returns when that is confirmed. Only for its owner.

        Where it works in an open CLI its turn is interrupted, and the CLI stays open; one that cannot be interrupted
        is closed, and the run's reason says so. Everything else that it has started is ended. Raises `AlreadyFinal` for
        a run that has ended.
        """
        live = await self._unfinished(run_id, principal)
        await self._interrupt(live, principal)
        await self.wait(run_id, self._settings.stop_seconds)
        return live.run

    async def send_now(self, run_id: str, principal: Principal) -> Run:
        """Put a queued run before all others of its session, and interrupt the one that works there; returns when that
        has ended. Only for the owner of both. Nothing happens to a run that works already.

        Raises `AlreadyFinal` for a run that has ended.
        """
        live = await self._unfinished(run_id, principal)
        lives = list(self._records.live.values())
        others = [each for each in lives if each.run.session_id == live.run.session_id and each is not live]
        working = [each for each in others if each.life.claimed and not each.life.over]
        if live.life.claimed:
            return live.run
        if any(not owns(principal, each.run.owner) for each in working):
            raise NotAllowed("Only the owner of the run that works in this session may interrupt it.")
        ahead = queue.ahead_of([each.run for each in others])
        await self._records.put(live, lifecycle.RunTransition(life=live.life), ahead=ahead)
        await asyncio.gather(*(self._interrupt(each, principal) for each in working))
        await asyncio.gather(*(self.wait(each.run.id, self._settings.stop_seconds) for each in working))
        self._dispatcher.fill()
        return live.run

    async def stop_in(self, terminal_id: str, principal: Principal) -> bool:
        """End the run that works in a terminal or waits for it, and close the CLI there; False if there is neither.

        For who may steer the terminal: the caller has asked. Returns when it is confirmed.
        """
        live = self._records.in_terminal(terminal_id)
        if live is not None:
            await self._end(live, principal)
            await self.wait(live.run.id, self._settings.stop_seconds)
        closed = await self._executor.close_in(terminal_id, f"Stopped by {principal.display_name}.")
        return closed or live is not None

    async def delete(self, run_id: str, principal: Principal) -> None:
        """Remove the record and the files of a run that has ended. Only for its owner."""
        run = await self._own(run_id, principal)
        if not is_final(run):
            raise Conflict("This run has not ended yet. Stop it first.")

        def also(connection: Connection) -> None:
            approval_store.delete_of_run(connection, run_id)
            change_store.remove(connection, run_id)

        await self._records.delete(run, also)
        await asyncio.to_thread(shutil.rmtree, self._places.run_folder(run_id), ignore_errors=True)

    async def document_moved(self, old: str, new: str) -> None:
        """A document or a folder of documents was renamed or moved: sessions and runs that have not ended go with it.

        An agent that is already working receives it only with the next instruction; its run says so.
        """
        await self._sessions.move(old, new)
        for live in list(self._records.live.values()):
            path = live.run.path and moved(live.run.path, old, new)
            if not path:
                continue
            if live.life.claimed:
                live.warnings.append(f"{live.run.path} became {path} while the agent worked on it.")
            step = lifecycle.RunTransition(life=live.life)
            await self._records.put(live, step, path=path, warnings=tuple(live.warnings))

    async def close_session(self, session_id: str, principal: Principal) -> None:
        """Close the session's CLI; what works or waits in the session is cancelled. Only for the session's owner."""
        session = await self._sessions.get(session_id, principal)
        if not owns(principal, session.owner):
            raise NotAllowed("Only the owner of a session may close it.")
        lives = [live for live in self._records.live.values() if live.run.session_id == session_id]
        for live in sorted(lives, key=lambda live: live.life.claimed):  # what waits must not take a freed place
            await self._end(live, principal, note="The session was ended.")
        await self._executor.close(session_id, f"Closed by {principal.display_name}.")

    async def follow(self, run_id: str, since: int, principal: Principal) -> AsyncIterator[bytes]:
        """What the run says, as encoded `OutputRecord`s from index `since` on, until it is final."""
        run = await self.get(run_id, principal)
        live = self._records.live.get(run_id)
        while live is not None and live.journal is None and not live.finished.is_set():
            await live.begun.wait()
        if live is not None and live.journal is not None:
            records = live.journal.follow(since)
        else:
            path = self._places.run_folder(run_id) / "output.jsonl"
            records = follow_finished(path, since, beneath=self._places.state_folder)
        silent = since == 0
        async for record in records:
            silent = False
            yield record
        if silent and run.result is not None and run.result.text:  # its events are not kept here: the answer is
            yield answer_alone(run.result.text)

    async def raw(self, run_id: str, principal: Principal) -> bytes:
        """The first 10 MB of what the CLI wrote, without colours turned into anything."""
        run = await self.get(run_id, principal)
        path = self._places.raw_path(run.id, run.terminal_id)
        return await asyncio.to_thread(read_start, path, beneath=self._places.state_folder)

    async def prompt(self, run_id: str, principal: Principal) -> tuple[str, str]:
        """The system text and the prompt that its CLI was given; each is empty where none is kept."""
        run = await self.get(run_id, principal)
        folder, beneath = self._places.run_folder(run.id), self._places.state_folder
        paths = (folder / SYSTEM_FILE, folder / PROMPT_FILE)
        contents = [await asyncio.to_thread(read_start, path, beneath=beneath) for path in paths]
        system, prompt = (content.decode(errors="ignore") for content in contents)
        return system, prompt

    async def _end(self, live: LiveRun, principal: Principal, *, note: str = "") -> None:
        """Have a run ended for a person, whether it waits, starts or works, with all that works on it."""
        await self._follow(live, lifecycle.cancelled(live.life, principal.display_name, note=note))

    async def _interrupt(self, live: LiveRun, principal: Principal) -> None:
        """Have a run ended for a person; an open CLI stays so where it can be interrupted."""
        await self._follow(live, lifecycle.interrupted(live.life, principal.display_name))

    async def _follow(self, live: LiveRun, step: lifecycle.RunTransition) -> None:
        live.follow(step.life)
        if step.end_now:
            self._dispatcher.spawn(self._dispatcher.finish(live, None))
        elif step.stop and live.execution is not None:
            await live.execution.stop()
        elif step.interrupt and live.execution is not None and (why := await live.execution.interrupt()):
            await self._follow(live, lifecycle.not_interrupted(live.life, why))

    async def _unfinished(self, run_id: str, principal: Principal) -> LiveRun:
        run = await self._own(run_id, principal)
        live = self._records.live.get(run_id)
        if live is None or is_final(run):
            raise AlreadyFinal
        return live

    async def _own(self, run_id: str, principal: Principal) -> Run:
        run = await self._records.get(run_id, principal)
        if not owns(principal, run.owner):
            raise NotAllowed("Only the owner of a run may do this.")
        return run

    # --- watching --------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Stop runs that take too long or write too much. While nothing works it does not wake."""
        while True:
            await self._dispatcher.work_begun.wait()
            await self._places.clock.sleep(WATCH_SECONDS)
            if not self._records.working():
                self._dispatcher.work_begun.clear()
            now = self._places.clock.monotonic()
            for live in [live for live in self._records.live.values() if not live.life.stopping]:
                bounds = limits.of_attempt(self._settings.limits, live.run.timeouts, live.run.attempt)
                passed = live.progress and limits.verdict(live.progress, bounds, now)
                if passed:
                    self._limit(live, passed)
            await self._expire_questions()

    def _limit(self, live: LiveRun, passed: Failure) -> None:
        step = lifecycle.limit_passed(live.life, passed)
        live.follow(step.life)
        if step.stop and live.execution is not None:
            self._dispatcher.spawn(live.execution.stop())

    async def _expire_questions(self) -> None:
        try:
            await self._approvals.expire()
        except Exception:
            log.exception("A question could not be closed; it is tried again")

    async def _keep(self) -> None:
        """Renew the lease, take over from servers that died, close idle CLIs."""
        while True:
            await self._places.clock.sleep(RENEW_EVERY_SECONDS)
            try:
                for left in await self._reconciler.renew():
                    self._records.hold(left.run, left.new, on_record=True)
                await self._approvals.withdraw_orphans(self._records.unfinished_among)
                await self._executor.close_idle()
                self._gate.trusted = (await self._trust.state()).confirmed
                await self.switch.read()
                await self._records.keep_reserve()
                self._dispatcher.fill()
            except Exception:
                log.exception("Keeping the queue failed; it is tried again")
